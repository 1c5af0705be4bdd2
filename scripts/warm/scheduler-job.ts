// The place of a Cloud Scheduler job, its client, or the local service in its place, and the job's state as text.
import { execFile } from 'node:child_process';
import { promisify, stripVTControlCharacters } from 'node:util';
import { CloudSchedulerClient, type protos } from '@google-cloud/scheduler';
import { credentials } from '@grpc/grpc-js';
import { errorCode } from '../../functions/core/errors.ts';
import { isObject } from '../../functions/core/json.ts';
import { explainGoogleError, requireCredentials } from '../cli/google-errors.ts';
import { requireProject } from '../cli/options.ts';

export type UseJob = (client: CloudSchedulerClient, job: { name: string }) => Promise<void>;

type Job = protos.google.cloud.scheduler.v1.IJob;

/** Calls `use` with a client of Google's scheduler, or of a replacement at `host:port`. `name` is `projects/…/locations/…/jobs/…`. */
export async function withScheduler(name: string, emulatorHost: string | undefined, use: UseJob) {
  const [apiEndpoint = '', port] = emulatorHost?.split(':') ?? [];
  const client = new CloudSchedulerClient(
    emulatorHost
      ? { apiEndpoint, port: Number(port), sslCreds: credentials.createInsecure() }
      : { auth: await requireCredentials() },
  );
  try {
    await use(client, { name });
  } catch (error) {
    throw explainGoogleError(error, {
      notFound: `The job ${name} does not exist.`,
      denied: `Permission denied for ${name}: ask for the role Cloud Scheduler Admin.`,
      failedPrecondition: 'The state of the job does not allow it.',
    });
  } finally {
    await client.close();
  }
}

export function describeJob(name: string, job: Job): string {
  const { code, message } = job.status ?? {};
  const result = code ? `failed with code ${code}${message ? `: ${message}` : ''}` : 'succeeded';
  const facts = {
    job: name,
    state: String(job.state),
    schedule: `${job.schedule} (${job.timeZone})`,
    'last attempt': job.lastAttemptTime ? `${formatTime(job.lastAttemptTime)}, ${result}` : 'none',
    'next run': job.scheduleTime ? formatTime(job.scheduleTime) : 'none',
  };
  return Object.entries(facts)
    .map(([label, value]) => `${label.padEnd(13)}${value}`)
    .join('\n');
}

function formatTime({ seconds }: protos.google.protobuf.ITimestamp): string {
  return new Date(Number(seconds) * 1000).toISOString();
}

/** The names and locations of a deployment. */
export interface Place {
  project: string;
  location: string;
  job: string;
  database: string;
}

/** Of the scheduler job, for its client. */
export function jobName({ project, location, job }: Place): string {
  return `projects/${project}/locations/${location}/jobs/${job}`;
}

/** `terraform` is the directory of Terraform's files and state, whose outputs provide all names. */
export async function requirePlace<Given extends Place>(
  { terraform, ...given }: Given & { terraform?: string | undefined },
  env: Readonly<Record<string, string | undefined>>,
) {
  if (terraform === undefined) {
    const outputs: Record<string, unknown> = {};
    return { ...given, project: requireProject(given.project), outputs };
  }
  const outputs = await terraformOutputs(terraform, env);
  if (isObject(outputs.deployment)) return { ...given, ...outputs.deployment, outputs };
  throw new Error(
    `Terraform has no deployment in ${terraform}: run "npm run deploy" first, or name the project with --project.`,
  );
}

/** The outputs of the state in this directory; none before the first apply. Throws an Error of one line if Terraform fails. */
async function terraformOutputs(
  terraform: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Record<string, unknown>> {
  const args = [`-chdir=${terraform}`, 'output', '-json', '-no-color'];
  try {
    const { stdout } = await promisify(execFile)('terraform', args, { env });
    const outputs = Object.entries(JSON.parse(stdout) as Record<string, { value: unknown }>);
    return Object.fromEntries(outputs.map(([name, { value }]) => [name, value]));
  } catch (error) {
    const said = isObject(error) ? stripVTControlCharacters(String(error.stderr)) : '';
    const [, reason = 'it fails without a message'] = /Error:? (.*\S)/.exec(said) ?? [];
    const message =
      errorCode(error) === 'ENOENT'
        ? 'terraform is not installed.'
        : `Terraform cannot read the state of ${terraform}: ${reason.replace(/[.:]$/, '')}.`;
    throw new Error(message, { cause: error });
  }
}
