// `npm run warm`: shows, runs, pauses and resumes the deployed job of Cloud Scheduler, and refreshes results.
import { join } from 'node:path';
import { InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { SETTINGS } from '../functions/config.ts';
import { catalogueDigest } from '../functions/endpoints/catalogue.ts';
import { COMPILED_CATALOGUE, readCompiled } from '../functions/endpoints/compiled-catalogue.ts';
import { createMain, runMain } from './cli/command.ts';
import { LOCAL } from './cli/project.ts';
import { requireSqlDirectory, sqlOption } from './cli/options.ts';
import { withFirestore } from './keys/key-register.ts';
import { loadCatalogue } from './compile/inspect-catalogue.ts';
import { DEPLOYMENT } from './deploy/defaults.ts';
import {
  type OperatorStore,
  type RecordedRun,
  createOperatorStore,
} from './warm/operator-store.ts';
import { type Place, requirePlace } from './warm/place.ts';
import { type UseJob, describeJob, runLocally, withScheduler } from './warm/scheduler-job.ts';
import { describeRun, waitForRun } from './warm/wait-for-run.ts';

export const main = createMain('npm run warm --', (program, terminal) => {
  const { env, print, note } = terminal;
  const emulatorHost = env[SETTINGS.firestoreEmulatorHost.name] || undefined;
  const schedulerHost = env.CLOUD_SCHEDULER_EMULATOR_HOST || undefined;
  const localWarm =
    emulatorHost === undefined || schedulerHost !== undefined
      ? undefined
      : `http://localhost:${env.WARM_PORT || Number(env.PORT || '8080') + 1}`;
  const placeOf = (given: Parameters<typeof requirePlace>[0]) => requirePlace(given, env);
  const withJob = ({ project, location, job }: Place, use: UseJob): Promise<void> =>
    withScheduler(`projects/${project}/locations/${location}/jobs/${job}`, schedulerHost, use);
  const startRun = (place: Place): Promise<void> =>
    localWarm === undefined
      ? withJob(place, async (client, job) => void (await client.runJob(job)))
      : runLocally(localWarm);
  const inStore = (
    { project, database }: Place,
    use: (store: OperatorStore) => Promise<void>,
  ): Promise<void> =>
    withFirestore({ project, database, emulatorHost }, async (firestore, inTime) => {
      const store = createOperatorStore(firestore);
      await inTime(store.lastRun());
      await use(store);
    });
  const runAndWait = (
    place: Place,
    timeoutSeconds: number,
    store: OperatorStore,
    isMet: (run: RecordedRun) => boolean,
  ): Promise<string> =>
    waitForRun({ store, isMet, note, timeoutSeconds, start: () => startRun(place) }).then(
      describeRun,
    );

  const command = <Text extends string>(text: Text, description: string) =>
    program
      .command(text)
      .description(description)
      .addOption(
        new Option('--project <id>', 'Google Cloud project').default(
          env[SETTINGS.project.name] || (localWarm === undefined ? '' : LOCAL.project),
          `GOOGLE_CLOUD_PROJECT; for "npm start" ${LOCAL.project}`,
        ),
      )
      .addOption(
        new Option('--location <region>', 'region of the job').default(
          env.SCHEDULER_LOCATION || DEPLOYMENT.region,
          `SCHEDULER_LOCATION, else ${DEPLOYMENT.region}`,
        ),
      )
      .addOption(
        new Option('--job <name>', 'name of the job').default(
          env.SCHEDULER_JOB || DEPLOYMENT.schedulerJob,
          `SCHEDULER_JOB, else ${DEPLOYMENT.schedulerJob}`,
        ),
      )
      .addOption(
        new Option('--database <name>', 'Firestore database of the results').default(
          env[SETTINGS.firestoreDatabase.name] ||
            (localWarm === undefined ? DEPLOYMENT.database : SETTINGS.firestoreDatabase.default),
          `FIRESTORE_DATABASE, else ${DEPLOYMENT.database}; for "npm start" ${SETTINGS.firestoreDatabase.default}`,
        ),
      )
      .addOption(
        new Option(
          '--terraform <dir>',
          'instead of these options: the Terraform directory with the state of the deployment',
        ).argParser(terminal.path),
      );
  const timeoutOption = new Option('--timeout <seconds>', 'how long to wait for the run')
    .default(600)
    .argParser(parseSeconds);
  const example = (text: string): string => `\nExample:\n  npm run warm -- ${text}`;

  program
    .usage('status|run|refresh|pause|resume [options]')
    .description('Shows and controls the deployed Cloud Scheduler job that calls warm.')
    .addHelpText(
      'after',
      `
Each command takes --project, --location and --job, or --terraform: "npm run warm -- status --help".
Credentials are those of "gcloud auth application-default login"; with FIRESTORE_EMULATOR_HOST, run and
refresh act on "npm start", which needs none.
${example('status --project my-project')}`,
    );

  command('status', 'show the state of the job, its last attempt and result, and its next run')
    .addHelpText('after', example('status --project my-project'))
    .action(async (given) =>
      withJob(await placeOf(given), async (client, { name }) => {
        const [job] = await client.getJob({ name });
        print(describeJob(name, job));
      }),
    );

  command('run', 'run the job now')
    .option('--wait', 'wait until the run ends, and print its report')
    .addOption(
      new Option(
        '--bundle <dir>',
        'with --wait: wait for a run of the functions in this bundle',
      ).argParser(terminal.path),
    )
    .addOption(timeoutOption)
    .addHelpText('after', example('run --wait --project my-project'))
    .action(async ({ wait, bundle, timeout, ...given }) => {
      const place = await placeOf(given);
      if (!wait) {
        await startRun(place);
        print('The job was started; its report is in the log of the function warm.');
        return;
      }
      const digest =
        bundle === undefined
          ? undefined
          : catalogueDigest(readCompiled(join(bundle, 'functions', COMPILED_CATALOGUE)));
      const isMet = (run: RecordedRun): boolean =>
        digest === undefined || run.catalogueDigest === digest;
      await inStore(place, async (store) => print(await runAndWait(place, timeout, store, isMet)));
    });

  command(
    'refresh <name>',
    'recompute all results of an endpoint after its data was corrected: live results in a run that it starts and waits for, the others when they are next read. No older rows are sent after MEMORY_CACHE_SECONDS.',
  )
    .addOption(
      new Option(
        '--computed-before <time>',
        'only results computed before this time, such as 2026-11-20T10:00:00Z (default: now)',
      ).argParser(parseTime),
    )
    .addOption(timeoutOption)
    .addOption(sqlOption(terminal))
    .addHelpText('after', example('refresh usage.api-counts --project my-project'))
    .action(async (name, { computedBefore, timeout, sql, ...given }) => {
      const place = await placeOf(given);
      const catalogue = loadCatalogue(requireSqlDirectory(sql));
      const endpoint = catalogue.resolve(name);
      if (endpoint === undefined) {
        const names = catalogue.endpoints.map((each) => each.name).join(', ');
        throw new Error(`There is no endpoint ${name}. There are ${names}.`);
      }
      await inStore(place, async (store) => {
        const { nowMs } = await store.lastRun();
        if (computedBefore !== undefined && computedBefore > nowMs) {
          throw new Error('--computed-before is in the future.');
        }
        const demandedMs = await store.demand(endpoint.id, computedBefore);
        note(`Refreshing results computed before ${new Date(demandedMs).toISOString()}.`);
        const isMet = (run: RecordedRun): boolean =>
          (run.demandedMs.get(endpoint.id) ?? -Infinity) >= demandedMs;
        const done = await runAndWait(place, timeout, store, isMet);
        const withdrawn = await store.withdrawAll(endpoint.id, demandedMs);
        print(done);
        print(`Other results, recomputed when next read: ${withdrawn}.`);
      });
    });

  command('pause', 'stop the job until it is resumed')
    .addHelpText('after', example('pause --project my-project'))
    .action(async (given) =>
      withJob(await placeOf(given), async (client, job) => {
        await client.pauseJob(job);
        print('The job is paused: results are not refreshed until it is resumed.');
      }),
    );

  command('resume', 'end the pause')
    .addHelpText('after', example('resume --project my-project'))
    .action(async (given) =>
      withJob(await placeOf(given), async (client, job) => {
        await client.resumeJob(job);
        print('The job is resumed.');
      }),
    );
});

function parseSeconds(text: string): number {
  const seconds = Number(text);
  if (Number.isInteger(seconds) && seconds > 0 && seconds <= 86_400) return seconds;
  throw new InvalidArgumentError('It must be a whole number of seconds, at most 86400.');
}

/** Requires a time zone, so that the instant is unambiguous. */
function parseTime(text: string): number {
  const ms = /T.*(?:Z|[+-]\d\d:\d\d)$/.test(text) ? Date.parse(text) : NaN;
  if (!Number.isNaN(ms)) return ms;
  throw new InvalidArgumentError('It must be a time with a zone, such as 2026-11-20T10:00:00Z.');
}

if (import.meta.main) void runMain(main);
