// The names of the deployment that `npm run doctor` looks at, and the options that repeat them in a command.
import { isText } from '../../functions/core/json.ts';
import { commandLine } from '../deploy/run-script.ts';
import { type Place, requirePlace } from '../warm/scheduler-job.ts';

export interface Deployment extends Place {
  /** Its name, if the project has another one. */
  deployment?: string | undefined;
  keysDatabase: string;
  dataset: string;
  datasetLocation: string;
  /** Undefined if nothing names it. */
  url?: string | undefined;
  sql: string;
  timeoutMs: number;
  /** Addresses of stand-ins; undefined for Google's own. */
  hosts: Record<'firestore' | 'scheduler' | 'bigquery', string | undefined>;
}

type GivenDeployment = Omit<Deployment, 'hosts'> & { terraform?: string | undefined };

/** Terraform, if it is named, provides all names that its outputs have. */
export async function requireDeployment(
  { terraform, ...given }: GivenDeployment,
  env: Parameters<typeof requirePlace>[1],
): Promise<Deployment> {
  const { outputs, ...place } = await requirePlace({ ...given, terraform }, env);
  const { dataset, query_url: url } = outputs;
  return {
    ...given,
    ...place,
    dataset: isText(dataset) ? (dataset.split('.').at(-1) ?? '') : given.dataset,
    url: given.url ?? (isText(url) ? url : undefined),
    hosts: {
      firestore: env.FIRESTORE_EMULATOR_HOST || undefined,
      scheduler: env.CLOUD_SCHEDULER_EMULATOR_HOST || undefined,
      bigquery: env.BIGQUERY_EMULATOR_HOST || undefined,
    },
  };
}

export function warmCommand(of: Deployment, ...words: string[]): string {
  const { project, location, job } = of;
  const place = ['--project', project, '--location', location, '--job', job];
  return commandLine(['npm', 'run', 'warm', '--', ...words, ...place]);
}

export function keysCommand({ project, keysDatabase }: Deployment, ...words: string[]): string {
  const place = ['--project', project, '--database', keysDatabase];
  return commandLine(['npm', 'run', 'keys', '--', ...words, ...place]);
}

/** The newest lines of `warm` with this event. */
export function logCommand({ project }: Deployment, event: string): string {
  const filter = `jsonPayload.event="${event}"`;
  return commandLine(['gcloud', 'logging', 'read', filter, '--limit=5', `--project=${project}`]);
}
