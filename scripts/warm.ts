// `npm run warm`: shows, runs, pauses and resumes the deployed job of Cloud Scheduler, and refreshes results.
import { join } from 'node:path';
import { Option } from '@commander-js/extra-typings';
import { SETTINGS } from '../functions/config.ts';
import {
  catalogueDigest,
  COMPILED_CATALOGUE,
  readCompiled,
} from '../functions/endpoints/catalogue.ts';
import { UsageError, createMain, runMain } from './cli/command.ts';
import { addHelp } from './cli/help.ts';
import {
  parseSeconds,
  projectOption,
  requireSqlDirectory,
  sqlOption,
  unknownName,
} from './cli/options.ts';
import { withFirestore } from './keys/key-register.ts';
import { loadCatalogue } from './compile/inspect-catalogue.ts';
import {
  deploymentOption,
  namedByDeployment,
  partOptions,
  workspaceOf,
} from './deploy/deployment-option.ts';
import { createOperatorStore } from './warm/operator-store.ts';
import type { OperatorStore, RecordedRun } from './warm/operator-store.ts';
import { describeJob, jobName, requirePlace, withScheduler } from './warm/scheduler-job.ts';
import type { Place, UseJob } from './warm/scheduler-job.ts';
import { describeRun, waitForRun } from './warm/wait-for-run.ts';

type GivenPlace = Parameters<typeof requirePlace>[0] & { deployment?: string | undefined };

export const main = createMain('npm run warm --', (program, terminal) => {
  const { env, print, note } = terminal;
  const emulatorHost = env[SETTINGS.firestoreEmulatorHost.name] || undefined;
  const schedulerHost = env.CLOUD_SCHEDULER_EMULATOR_HOST || undefined;
  const placeOf = ({ deployment, ...given }: GivenPlace) => {
    if (emulatorHost !== undefined && schedulerHost === undefined) {
      const remedy = `unset ${SETTINGS.firestoreEmulatorHost.name}`;
      throw new UsageError(`warm acts on a deployment, not on npm start: ${remedy}.`);
    }
    return requirePlace(given, workspaceOf(env, deployment));
  };
  const withJob = (place: Place, use: UseJob): Promise<void> =>
    withScheduler(jobName(place), schedulerHost, use);
  const startRun = (place: Place): Promise<void> =>
    withJob(place, async (client, job) => void (await client.runJob(job)));
  const inStore = (
    { project, database }: Place,
    use: (store: OperatorStore) => Promise<void>,
  ): Promise<void> =>
    withFirestore({ project, database, emulatorHost }, async (firestore, inTime) => {
      const store = createOperatorStore(firestore);
      await inTime(store.lastRun());
      await use(store);
    });
  const runAndWait = async (
    place: Place,
    how: Pick<Parameters<typeof waitForRun>[0], 'timeoutSeconds' | 'store' | 'isMet' | 'digest'>,
  ): Promise<string> =>
    describeRun(await waitForRun({ ...how, note, start: () => startRun(place) }));

  program.usage('status|run|refresh|pause|resume [options]');
  const part = partOptions(env);
  const command = <Text extends string>(text: Text) =>
    program
      .command(text)
      .addOption(projectOption(terminal))
      .addOption(part('--location <region>', 'region'))
      .addOption(part('--job <name>', 'job'))
      .addOption(part('--database <name>', 'results'))
      .addOption(deploymentOption())
      .option('--terraform <dir>');
  namedByDeployment(program, { job: 'scheduler_job', database: 'firestore_database' });
  const timeoutOption = new Option('--timeout <seconds>').default(600).argParser(parseSeconds);

  command('status').action(async (given) => {
    const place = await placeOf(given);
    await withJob(place, async (client, { name }) => {
      const [job] = await client.getJob({ name });
      print(describeJob(name, job));
    });
  });

  command('run')
    .option('--wait')
    .option('--bundle <dir>')
    .addOption(timeoutOption)
    .action(async ({ wait, bundle, timeout, ...given }) => {
      if (bundle !== undefined && !wait) throw new UsageError('--bundle needs --wait.');
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
      const how = { timeoutSeconds: timeout, isMet, digest };
      await inStore(place, async (store) => print(await runAndWait(place, { ...how, store })));
    });

  command('refresh <name>')
    .addOption(timeoutOption)
    .addOption(sqlOption())
    .action(async (name, { timeout, sql, ...given }) => {
      const place = await placeOf(given);
      const catalogue = loadCatalogue(requireSqlDirectory(sql));
      const endpoint = catalogue.resolve(name);
      const known = catalogue.endpoints.map((each) => each.name);
      if (endpoint === undefined) throw unknownName('endpoint', name, known);
      await inStore(place, async (store) => {
        const demandedMs = await store.demand(endpoint.id);
        note(`Refreshing results computed before ${new Date(demandedMs).toISOString()}.`);
        const isMet = (run: RecordedRun): boolean =>
          (run.demands.get(endpoint.id) ?? -Infinity) >= demandedMs;
        const done = await runAndWait(place, { timeoutSeconds: timeout, store, isMet });
        const withdrawn = await store.withdrawAll(endpoint.id, demandedMs);
        print(done);
        print(`Other results, recomputed when next read: ${withdrawn}.`);
      });
    });

  const done = {
    pause: 'paused: results are not refreshed until it is resumed',
    resume: 'resumed',
  } as const;
  for (const name of ['pause', 'resume'] as const) {
    command(name).action(async (given) => {
      const place = await placeOf(given);
      await withJob(place, async (client, job) => {
        await client[`${name}Job`](job);
        print(`The job is ${done[name]}.`);
      });
    });
  }
  addHelp(program, 'warm');
});

if (import.meta.main) void runMain(main);
