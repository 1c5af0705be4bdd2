// The names of the deployment that `npm run doctor` looks at, and the options that repeat them in a command.
import { commandLine } from '../deploy/command-steps.ts';
import { type Names, namesOf } from '../deploy/defaults.ts';
import { type Place, requirePlace, terraformOutput } from '../warm/scheduler-job.ts';

export interface Deployment extends Place {
  keysDatabase: string;
  /** Of callers, if it is not that of the function: `public_access`. */
  queryService?: string;
  dataset: string;
  datasetLocation: string;
  /** Undefined if nothing names it. */
  url?: string | undefined;
  sql: string;
  /** What no option states. */
  names: Names;
  timeoutMs: number;
  /** Addresses of stand-ins; undefined for Google's own. */
  hosts: Record<'firestore' | 'scheduler' | 'bigquery', string | undefined>;
}

type Env = Parameters<typeof requirePlace>[1];

type GivenDeployment = Omit<Deployment, 'hosts' | 'names'> & {
  terraform?: string | undefined;
  /** Its name, if the project has another one. */
  deployment?: string | undefined;
};

/** Terraform, if it is named, provides all names that its outputs have. */
export async function requireDeployment(
  { terraform, deployment, ...given }: GivenDeployment,
  env: Env,
): Promise<Deployment> {
  const place = await requirePlace({ ...given, terraform }, env);
  const output = async (name: string): Promise<string | undefined> => {
    const value = terraform && (await terraformOutput(terraform, name, env));
    return typeof value === 'string' ? value : undefined;
  };
  return {
    ...given,
    ...place,
    names: namesOf(deployment),
    dataset: (await output('dataset'))?.split('.').at(-1) ?? given.dataset,
    url: given.url ?? (await output('query_url')),
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
