// `npm run soak`: two `query` processes, `warm` and one Firestore, under mixed and hostile traffic, faults and events.
import { setTimeout as delay } from 'node:timers/promises';
import { createMain, runMain } from '../../scripts/cli/command.ts';
import { type Own, positiveInteger } from '../support/program.ts';
import { createLocalBigQuery } from '../../scripts/local-bigquery/rest/server.ts';
import { startGoogleSql } from '../../scripts/local-bigquery/dialect/google-sql.ts';
import { DEPLOYMENT } from '../../scripts/deploy/defaults.ts';
import { tablesOf } from '../support/bigquery/local-bigquery.ts';
import { type BigQueryCall, startBigQueryProxy } from '../support/bigquery/bigquery-proxy.ts';
import { connectFirestore, provideFirestore } from '../support/service/firestore-emulators.ts';
import { FakeSqlTree } from '../support/sql/fake-sql-tree.ts';
import { TEST_SQL } from '../support/sql/test-sql.ts';
import { checkCatalogue } from '../../scripts/check/check-endpoint.ts';
import { compileCatalogue } from '../../scripts/compile/inspect-catalogue.ts';
import { startFirestoreProxy } from '../support/service/firestore-proxy.ts';
import { runFunction } from '../support/service/running-function.ts';
import { storeKey } from '../support/world.ts';
import { NOW, QUESTIONS, addChangingTables, createChangingTables } from './changing-tables.ts';
import { createEvents } from './events.ts';
import { createFaultSchedule } from './fault-schedule.ts';
import { Memory } from './memory.ts';
import { startPlaces } from './places.ts';
import { createRandom, pickOf } from '../support/random.ts';
import { ENDPOINTS, ask } from './requests.ts';
import { API_KEY, ENVIRONMENT } from './settings.ts';
import { watchStoredResults } from './stored-results.ts';
import { createUsers } from './user.ts';
import { type Verdict, judge } from './verdict.ts';

const WORKERS = 10;
const PAUSE_MS = 200;
const MEMORY_MS = 5000;
/** Tables change one at a time, so that the others are unchanged for several runs of warming. */
const CHANGE_MS = 2500;
const KILL_WARM_MS = 25_000;
/** Time limit of an event. */
const EVENT_SECONDS = 12;

export const main = createMain('npm run soak --', (program) =>
  program
    .description(
      'Sends mixed and hostile traffic through two instances of the function query while BigQuery and Firestore fail at times, instances are paused and stopped, and documents are broken. Fails if an answer is wrong or too old, if it is an error where functions/README.md promises rows ("When a part fails"), if older rows replace newer ones, or if memory grows. Prints every violation.',
    )
    .option('--seconds <n>', 'duration', positiveInteger(86_400), 600)
    .option('--seed <n>', 'the same seed gives the same faults', positiveInteger(1_000_000), 1)
    .option('--heap <mib>', 'heap of each process', positiveInteger(16_384), 256)
    .option(
      '--control',
      'hides changes of tables from warming: the test must then fail, and ends when it does',
    )
    .addHelpText('after', '\nExample:\n  npm run soak -- --seconds 60')
    .action((options) => judge((verdict, own) => soak(options, verdict, own))),
);

async function soak(
  options: { seconds: number; seed: number; heap: number; control?: true | undefined },
  verdict: Verdict,
  own: Own,
): Promise<void> {
  const { seconds, seed, heap, control } = options;
  const { violate, count } = verdict;
  const random = createRandom(seed + 1);
  const close = (thing: { close: () => unknown }): unknown => thing.close();
  const engine = own(await startGoogleSql(), close);
  const startedMs = Date.now();
  // A hundredth of the real time, so that each change has a time and the logs stay in the windows of the queries.
  const clock = { nowMs: () => Date.parse(NOW) + Math.floor((Date.now() - startedMs) / 100) };
  const sql = own(createQueries(), (tree) => tree.remove());
  const tables = await tablesOf(sql.directory);
  const serve = async () => own(await createLocalBigQuery({ engine, tables, clock }), close);
  const bigquery = await serve();
  const emulator = own(await provideFirestore(), ({ stop }) => stop());
  const firestore = own(connectFirestore(emulator.host), (client) => client.terminate());
  await storeKey(firestore, API_KEY);
  const bigqueryProxy = own(await startBigQueryProxy(bigquery.url), close);
  const firestoreProxy = own(await startFirestoreProxy(emulator.host), close);

  const catalogue = await checkCatalogue(engine, sql.directory);
  const compiled = compileCatalogue(catalogue);
  const memory = new Memory();
  const start = async (target: 'query' | 'warm', port = 0) => {
    const started = await runFunction({
      ...{ target, compiled, firestore, port, bigQueryUrl: bigqueryProxy.url },
      env: {
        ...ENVIRONMENT,
        NODE_OPTIONS: `${DEPLOYMENT.process_environment.NODE_OPTIONS} --max-old-space-size=${heap}`,
        FIRESTORE_EMULATOR_HOST: firestoreProxy.host,
      },
    });
    const running = own(started, ({ stop }) => stop());
    memory.add(running.pid);
    if (target === 'warm') return { running };
    // The first request loads the clients, which may take longer than the time limit.
    const [first] = QUESTIONS;
    const request = { target: `${ENDPOINTS}${first?.target}`, headers: { 'X-API-KEY': API_KEY } };
    await ask(running.url, request);
    return { running };
  };
  const changing = createChangingTables(bigquery, random, verdict);
  const faults = createFaultSchedule(bigqueryProxy, firestoreProxy, seed, verdict);
  if (control) bigqueryProxy.fault = withholdMetadata((await serve()).url);
  // The in-process emulator ignores the preconditions that keep the order of writes.
  const stored =
    emulator.kind === 'in-process'
      ? undefined
      : own(watchStoredResults(firestore, changing, verdict), ({ stop }) => stop());
  const traffic = { tables: changing, faults, firestore, stored, catalogue, random, verdict };
  const users = createUsers(traffic);
  const deployment = await startPlaces({ start, secret: API_KEY, faults, verdict });
  const { places, warming, replace, killWarm } = deployment;
  const events = createEvents(places, replace, warming, { ...traffic, users });

  const untilMs = Date.now() + seconds * 1000;
  // One complaint is all that the control is for.
  const hasComplained = (): boolean => control === true && verdict.violationCount() > 0;
  const isOver = (): boolean => Date.now() >= untilMs || hasComplained();
  const every = async (pauseMs: number, work: () => unknown): Promise<void> => {
    while (!isOver()) {
      await work();
      const nextMs = Math.min(untilMs, Date.now() + pauseMs);
      while (!hasComplained() && Date.now() < nextMs)
        await delay(Math.min(1000, nextMs - Date.now()));
    }
  };
  const report = (): void => {
    const figures = `violations ${verdict.violationCount()}, MiB (warm query query …) ${String(memory)}`;
    verdict.say(`${figures}, fault ${faults.now}, ${String(verdict)}`);
  };
  const act = async (): Promise<void> => {
    const open = places.filter(({ instance }) => instance.isOpen);
    await users.act(pickOf(open, random).instance);
    await delay(random() * 2 * PAUSE_MS);
  };
  const short = Math.min(1, seconds / 60);
  const turn = async (): Promise<void> => {
    const of = faults.nextTurn();
    if (of === 'pause' || of === 'restart' || of === 'spoil') {
      if (untilMs - Date.now() < EVENT_SECONDS * 1000) return;
      verdict.say(of);
      count(`event: ${of}`);
      await events[of]();
      await delay((3000 + random() * 3000) * short);
      return;
    }
    // Two faults of BigQuery in a row, because it has many.
    for (let part = 0; part < (of === 'firestore' ? 1 : 2); part += 1) {
      faults.begin(of);
      verdict.say(faults.now);
      count('faults');
      count(`fault: ${faults.now}`);
      await delay((3000 + random() * 3000) * Math.max(short, 0.7));
    }
    faults.end();
    await delay((9000 + random() * 5000) * short);
  };
  await Promise.all([
    ...Array.from({ length: WORKERS }, () => every(0, act)),
    every(4000, warming.post),
    // The control is over sooner if the tables change faster.
    every(control ? CHANGE_MS / 5 : CHANGE_MS, changing.change),
    (async () => {
      while (!control && Date.now() + KILL_WARM_MS < untilMs) {
        await delay(KILL_WARM_MS * (0.5 + random() / 2));
        if (!warming.isAwaited()) await killWarm();
      }
    })(),
    every(MEMORY_MS, () => memory.sample()),
    every(30_000, () => {
      report();
      // The lists of calls are not used here, and would grow.
      bigqueryProxy.calls.length = 0;
      firestoreProxy.calls.length = 0;
    }),
    // The time that each timer of 50 ms really took.
    every(0, async () => {
      const fromMs = Date.now();
      await delay(50);
      faults.addStandstill(Date.now() - fromMs);
    }),
    (async () => {
      await delay(3000);
      // Without faults, every result is refreshed or found unchanged.
      while (!control && Date.now() < untilMs) await turn();
    })(),
  ]);
  if (control) return;
  for (const growth of memory.growths(60_000 / MEMORY_MS)) violate(growth);
  if (verdict.countOf('200') < seconds)
    violate('Fewer than one request per second was answered with rows.');
  // A shorter test may consist of one fault of BigQuery.
  if (seconds >= 60 && verdict.countOf('refreshed') === 0)
    violate('No warming run has refreshed a result.');
  if (seconds >= 60 && verdict.countOf('unchanged') === 0)
    violate('No warming run has left out a result because its tables had not changed.');
  count('different answers', changing.answers());
  if (changing.answers() < seconds / 10)
    violate('The changes of the tables are not in the answers.');
  // Until the last log lines are written.
  await delay(500);
  deployment.judgeLogs();
  report();
}

/** Beside the endpoints of the tests, which only get hostile requests, those of the changing tables. */
function createQueries(): FakeSqlTree {
  const tree = new FakeSqlTree(TEST_SQL);
  // Their caching times are shorter than the schema of the service allows.
  const schema = tree.read('endpoint.schema.json').replace('"minimum": 60', '"minimum": 1');
  // The copy is a symbolic link: without its removal the original would change.
  tree.remove('endpoint.schema.json').write('endpoint.schema.json', schema);
  addChangingTables(tree);
  return tree;
}

/** For the control: questions about tables go to a BigQuery in which nothing changes. */
function withholdMetadata(frozenUrl: string) {
  const ofFrozen = new Set<string>();
  return ({ url, body, jobId }: BigQueryCall) => {
    const isQuestion =
      /\/tables\//.test(url) ||
      JSON.stringify(body ?? '').includes('INFORMATION_SCHEMA.PARTITIONS');
    if (isQuestion) ofFrozen.add(jobId);
    return isQuestion || ofFrozen.has(jobId) ? { target: frozenUrl } : 'pass';
  };
}

if (import.meta.main) void runMain(main);
