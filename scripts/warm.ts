// `npm run warm`: looks at, runs, pauses and resumes the deployed job of Cloud Scheduler.
import { parseArgs } from 'node:util';
import { CloudSchedulerClient, type protos } from '@google-cloud/scheduler';
import { credentials } from '@grpc/grpc-js';
import { GoogleAuth } from 'google-auth-library';
import { exitWithUsage, runCommand } from './cli/command.ts';

const USAGE = `Usage: npm run warm -- status|run|pause|resume [--project P] [--location L] [--job J]

  status     state of the job, its last attempt and result, and its next run
  run        run it now
  pause      stop it until it is resumed
  resume     let it run again

  --project  Google Cloud project (default: GOOGLE_CLOUD_PROJECT)
  --location region of the job    (default: SCHEDULER_LOCATION, else us-central1)
  --job      name of the job      (default: SCHEDULER_JOB, else warm)
  --help     this text

Credentials are those of "gcloud auth application-default login".
`;

type Job = protos.google.cloud.scheduler.v1.IJob;

/** gRPC status codes with a cause that a person can mend. */
const NOT_FOUND = 5;
const PERMISSION_DENIED = 7;
const FAILED_PRECONDITION = 9;
const UNAUTHENTICATED = 16;

await runCommand(async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      project: { type: 'string', default: process.env.GOOGLE_CLOUD_PROJECT || '' },
      location: { type: 'string', default: process.env.SCHEDULER_LOCATION || 'us-central1' },
      job: { type: 'string', default: process.env.SCHEDULER_JOB || 'warm' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) exitWithUsage(USAGE);
  const [command, ...rest] = positionals;
  if (command === undefined || rest.length > 0) {
    throw new Error('Say one of status, run, pause, resume. --help tells more.');
  }
  if (values.project === '')
    throw new Error('Name the project: --project or GOOGLE_CLOUD_PROJECT.');
  const name = `projects/${values.project}/locations/${values.location}/jobs/${values.job}`;
  try {
    const options = await clientOptions(process.env.CLOUD_SCHEDULER_EMULATOR_HOST);
    const client = new CloudSchedulerClient(options);
    await execute(client, command, name);
    await client.close();
  } catch (error) {
    throw explain(error, name);
  }
});

async function execute(client: CloudSchedulerClient, command: string, name: string): Promise<void> {
  switch (command) {
    case 'status': {
      const [job] = await client.getJob({ name });
      return printStatus(name, job);
    }
    case 'run':
      await client.runJob({ name });
      return console.log('The job runs now; its report is in the log of the function warm.');
    case 'pause':
      await client.pauseJob({ name });
      return console.log('The job is paused: results grow old until it is resumed.');
    case 'resume':
      await client.resumeJob({ name });
      return console.log('The job runs again.');
    default:
      throw new Error(`There is no command ${command}. Say one of status, run, pause, resume.`);
  }
}

function printStatus(name: string, job: Job): void {
  const { code, message } = job.status ?? {};
  const result = code ? `failed with code ${code}${message ? `: ${message}` : ''}` : 'succeeded';
  const lines = {
    job: name,
    state: String(job.state),
    schedule: `${job.schedule} (${job.timeZone})`,
    'last attempt': job.lastAttemptTime ? `${formatTime(job.lastAttemptTime)}, ${result}` : 'none',
    'next run': job.scheduleTime ? formatTime(job.scheduleTime) : 'none',
  };
  for (const [label, value] of Object.entries(lines)) console.log(`${label.padEnd(13)}${value}`);
}

function formatTime({ seconds }: protos.google.protobuf.ITimestamp): string {
  return new Date(Number(seconds) * 1000).toISOString();
}

/** For Google's service, or for a stand-in at `host:port`, which wants no credentials. */
async function clientOptions(
  emulatorHost: string | undefined,
): Promise<ConstructorParameters<typeof CloudSchedulerClient>[0]> {
  if (!emulatorHost) {
    const auth = new GoogleAuth({ scopes: 'https://www.googleapis.com/auth/cloud-platform' });
    // Asked for here, where their absence can be said in one line.
    await auth.getClient();
    return { auth };
  }
  const [apiEndpoint, port] = emulatorHost.split(':');
  return {
    apiEndpoint: apiEndpoint ?? '',
    port: Number(port),
    sslCreds: credentials.createInsecure(),
  };
}

/** One line that says what to do. */
function explain(error: unknown, name: string): Error {
  const { code, message } = error as { code?: number; message: string };
  if (code === NOT_FOUND) return new Error(`There is no job ${name}.`);
  if (code === PERMISSION_DENIED) {
    return new Error(`You may not do this with ${name}: ask for the role Cloud Scheduler Admin.`);
  }
  if (code === FAILED_PRECONDITION) return new Error(`The state of the job does not allow it.`);
  if (code === UNAUTHENTICATED || /default credentials/i.test(message)) {
    return new Error('There are no credentials: run "gcloud auth application-default login".');
  }
  return error as Error;
}
