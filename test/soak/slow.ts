// `npm run soak:slow`: slow queries of many API keys, whose callers come back or do not, while instances are killed and replaced.
import { setTimeout as delay } from 'node:timers/promises';
import type { Firestore } from '@google-cloud/firestore';
import { createMain, runMain } from '../../scripts/cli/command.ts';
import { compileCatalogue } from '../../scripts/compile/inspect-catalogue.ts';
import { type BigQueryRuns, createRuns } from '../support/bigquery/bigquery-runs.ts';
import { type Own, positiveInteger } from '../support/program.ts';
import { createRandom, pickOf } from '../support/random.ts';
import { connectFirestore, provideFirestore } from '../support/service/firestore-emulators.ts';
import { listen } from '../support/service/listen.ts';
import { type RunningFunction, runFunction } from '../support/service/running-function.ts';
import { columns } from '../support/sql/columns.ts';
import { FakeSqlTree, parameter, rowOf } from '../support/sql/fake-sql-tree.ts';
import { startPlaces } from './places.ts';
import { KEY_PREFIX, type SlowPlace, createCallers } from './slow-callers.ts';
import { type Customer, JOB_BYTES, type Ledger, createLedger, versionOf } from './slow-ledger.ts';
import { type Verdict, judge } from './verdict.ts';

const ROW = 'id STRING REQUIRED, version STRING REQUIRED';
const CALLERS = 3;
/** Each way of a call to BigQuery, for some seconds. */
const CALL_MS = [0, 0, 50, 300, 600];
const SETTINGS = {
  QUERY_TIMEOUT_SECONDS: '8',
  JOB_TIMEOUT_SECONDS: '60',
  LEASE_SECONDS: '5',
  WARM_BUDGET_SECONDS: '10',
};
const STARTS_MAX = 10;
const SETTLE_MS_MAX = 180_000;
/** In this time, a run of warming sees that a query has ended. */
const SEEN_MS_MAX = 25_000;
const NO_FAULTS = { now: 'none', wasFaulty: () => false, reasons: () => new Set<string>() };

export const main = createMain('npm run soak:slow --', (program) =>
  program
    .description(
      'Asks two instances of the function query for slow queries of many API keys while instances are killed, and replaced by some with another definition. Compares what callers are told, and which bytes the store counts, with what BigQuery knows. Prints the first violations of each kind.',
    )
    .option('--minutes <n>', 'duration', positiveInteger(1440), 10)
    .option('--seed <n>', 'the same seed gives the same traffic', positiveInteger(1_000_000), 1)
    .option('--control', 'BigQuery bills twice what it says: the test must then fail')
    .addHelpText('after', '\nExample:\n  npm run soak:slow -- --minutes 30 --seed 7')
    .action((options) => judge((verdict, own) => slow(options, verdict, own))),
);

interface Options {
  minutes: number;
  seed: number;
  control?: true | undefined;
}

async function slow(options: Options, verdict: Verdict, own: Own): Promise<void> {
  const { count, say } = verdict;
  const random = createRandom(options.seed);
  const emulator = own(await provideFirestore(), ({ stop }) => stop());
  if (emulator.kind === 'in-process') return say("SKIPPED: install gcloud's Firestore emulator");
  const firestore = own(connectFirestore(emulator.host), (client) => client.terminate());
  let callMs = 0;
  const bigquery = createRuns({
    callMs: () => callMs,
    plan: ({ parameters }) => ({ ms: Number(parameters.ms), error: null }),
    columnsOf: () => columns(ROW),
    rowCountOf: () => 1,
    rowOf: (run) => ({ f: [{ v: run.parameters.id }, { v: versionOf(run) }] }),
    bytes: JOB_BYTES,
  });
  const ledger = createLedger(bigquery, verdict);
  const service = await startService(emulator.host, { firestore, bigquery, ledger, verdict, own });
  const { places, warming } = service;
  const { customers, visit } = createCallers(places, firestore, ledger, random);

  const untilMs = Date.now() + options.minutes * 60_000;
  let isOver = false;
  const every = async (fromMs: number, toMs: number, work: () => unknown): Promise<void> => {
    while (!isOver) {
      await work();
      await delay(fromMs + random() * (toMs - fromMs));
    }
  };
  const call = async (): Promise<void> => {
    while (Date.now() < untilMs) await visit();
  };
  await Promise.all([
    every(8000, 20_000, warming.post),
    every(10_000, 20_000, () => (callMs = pickOf(CALL_MS, random))),
    every(300, 300, () => ledger.sample(customers.slice(-100))),
    every(15_000, 30_000, async () => {
      const name = pickOf(['kill', 'kill', 'killWarm', 'deploy'] as const, random);
      say(`${name}, ${bigquery.runs.size} queries, ${verdict.violationCount()} violations`);
      count(name);
      await (name === 'kill' ? service.kill(pickOf(places, random)) : service[name]());
    }),
    // All else goes on until the last caller has its rows.
    Promise.all(Array.from({ length: CALLERS }, call)).then(() => (isOver = true)),
  ]);
  callMs = 0;
  const left = await settle({ firestore, bigquery, verdict }, warming.post);
  for (const what of left) ledger.violate('left for ever', what);
  await ledger.judgeRuns(customers);
  for (const customer of customers.filter(({ bytesPerDay }) => bytesPerDay !== undefined)) {
    const counted = await countedOf(firestore, customer);
    const billed = ledger.billedOf(customer) * (options.control ? 2 : 1);
    count('MiB billed with a bound', billed / 2 ** 20);
    if (counted <= billed && counted >= billed - ledger.lostOf(customer)) continue;
    ledger.violate('not counted', `${customer.name}: ${counted} of ${billed} bytes`);
  }
  service.judgeLogs();
  say(`${bigquery.runs.size} queries of ${customers.length} keys, ${String(verdict)}`);
}

interface Parts {
  firestore: Firestore;
  bigquery: BigQueryRuns;
  ledger: Ledger;
  verdict: Verdict;
  own: Own;
}

/** Each process calls BigQuery at an address of its own. */
async function startService(firestoreHost: string, parts: Parts) {
  const { firestore, bigquery, ledger, verdict, own } = parts;
  let version = 1;
  let count = 0;
  const start = async (target: 'query' | 'warm', port = 0) => {
    const name = `${target}-${(count += 1)}`;
    const server = bigquery.serve(name);
    const options = {
      ...{ target, firestore, port, compiled: compiledOf(version) },
      bigQueryUrl: await listen(server),
      env: { ...SETTINGS, FIRESTORE_EMULATOR_HOST: firestoreHost },
    };
    let running: RunningFunction | undefined;
    for (let tries = 1; running === undefined; tries += 1) {
      // On a busy machine it may not start in time.
      running = await runFunction(options).catch((error: unknown) => {
        if (tries === STARTS_MAX) throw error;
        return undefined;
      });
    }
    void running.failed.then(() => server.close());
    own(server, () => server.close());
    return { name, running: own(running, ({ stop }) => stop()), version: `v${version}` };
  };
  const secret = KEY_PREFIX;
  const deployment = await startPlaces({ start, secret, faults: NO_FAULTS, verdict });
  const { places, replace } = deployment;
  const killWarm = (): Promise<void> => deployment.killWarm(({ name }) => ledger.kills(name));
  return {
    ...deployment,
    killWarm,
    kill: async (place: SlowPlace): Promise<void> => {
      ledger.kills(place.name);
      await place.instance.kill();
      await replace(place);
    },
    /** Each instance, and warming, gets another definition, one after the other. */
    deploy: async (): Promise<void> => {
      version += 1;
      for (const place of places) {
        await place.instance.terminate();
        await replace(place);
      }
      await killWarm();
    },
  };
}

/**
 * Warming runs until nothing runs in BigQuery, and has collected the rows of all queries that have ended well. Returns what it
 * has not collected. Not of earlier definitions, and not of those whose time is over before a run of warming can see their end.
 */
async function settle(
  { firestore, bigquery, verdict }: Pick<Parts, 'firestore' | 'bigquery' | 'verdict'>,
  warm: () => Promise<void>,
): Promise<string[]> {
  const { runs } = bigquery;
  const beganMs = Date.now();
  const last = Math.max(...[...runs.values()].map((run) => Number(versionOf(run).slice(1))));
  const left = async (): Promise<string[]> => {
    const { docs } = await firestore.collection('leases').get();
    return docs.flatMap((lease) => {
      const query = lease.get('query') as { jobId?: string; endsAtMs: number } | null;
      const run = query?.jobId ? runs.get(query.jobId) : undefined;
      if (!query || !run || versionOf(run) !== `v${last}`) return [];
      const isInTime = query.endsAtMs > Math.max(beganMs, run.endedMs ?? 0) + SEEN_MS_MAX;
      return isInTime && run.outcome === null ? [`${run.jobId}, id=${run.parameters.id}`] : [];
    });
  };
  const isAnyOwed = async (): Promise<boolean> =>
    !(await firestore.collection('dayBytes').where('account', '>', '').get()).empty;
  const isAnyRunning = () => bigquery.running().length > 0;
  verdict.count('left to warming at the end', (await left()).length);
  while (Date.now() < beganMs + SETTLE_MS_MAX) {
    await warm();
    if (!isAnyRunning() && !(await isAnyOwed()) && (await left()).length === 0) break;
    await delay(3000);
  }
  return isAnyRunning() ? ['BigQuery still runs a query'] : left();
}

async function countedOf(firestore: Firestore, { digest }: Customer): Promise<number> {
  const { docs } = await firestore.collection('dayBytes').get();
  const own = docs.filter(({ id }) => id.startsWith(digest));
  return own.reduce((sum, document) => sum + Number(document.get('bytes')), 0);
}

/** Two endpoints; of one, jobs are stopped after 12 s. */
function compiledOf(version: number): string {
  const tree = new FakeSqlTree();
  const base = {
    maxRows: 10,
    cachingSeconds: 120,
    cacheWarmingSeconds: 0,
    parameters: {
      id: parameter({ required: true }),
      ms: parameter({ type: 'INT64', required: true, example: '1' }),
    },
    row: rowOf(ROW),
  };
  const sql = `SELECT @id AS id, 'v${version}' AS version, @ms`;
  const brief = { id: '11111111-2222-4333-8444-666666666666', jobTimeoutSeconds: 12 };
  tree.endpoint({ ...base, name: 'slow.long' }, sql);
  tree.endpoint({ ...base, ...brief, name: 'slow.brief' }, sql);
  const compiled = compileCatalogue(tree.catalogue());
  tree.remove();
  return compiled;
}

if (import.meta.main) void runMain(main);
