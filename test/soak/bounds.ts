// `npm run soak:bounds`: an instance of the deployed size under many, large and unread answers, and one greedy key.
import { randomBytes } from 'node:crypto';
import { type IncomingMessage, Agent, get } from 'node:http';
import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { eachLimit } from '../../functions/core/each-limit.ts';
import type { WireRow } from '../../functions/core/query-runner.ts';
import type { Endpoint } from '../../functions/endpoints/endpoint.ts';
import { cacheKey } from '../../functions/cache/cache-key.ts';
import { createMain, runMain } from '../../scripts/cli/command.ts';
import { type Own, positiveInteger } from '../support/program.ts';
import { FakeSqlTree, parameter, rowOf } from '../support/sql/fake-sql-tree.ts';
import { columns } from '../support/sql/columns.ts';
import { createRuns } from '../support/bigquery/bigquery-runs.ts';
import { TEST_SCOPE } from '../support/service/config.ts';
import {
  connectFirestore,
  projectOf,
  provideFirestore,
} from '../support/service/firestore-emulators.ts';
import { listen } from '../support/service/listen.ts';
import { runFunction } from '../support/service/running-function.ts';
import { storeKey } from '../support/world.ts';
import { memoryMib } from '../support/process.ts';
import { type Verdict, judge } from './verdict.ts';

const MIB = 1024 * 1024;
const INSTANCE_MIB = 512;
const GREEDY = 'sqk_bounds-key-that-is-greedy-0000000000000000000';
const OTHER = 'sqk_bounds-key-that-asks-for-one-row-000000000000';
const NAME = 'memory.rows';
const GROWTH_MIB_MAX = 100;
const DELAY_MS_MAX = 2000;

const COUNT = positiveInteger(1_000_000);
const SECONDS = positiveInteger(600);
const FAIR = 'duration in seconds of each measurement of how long other keys wait';

export const main = createMain('npm run soak:bounds --', (program) =>
  program
    .description(
      'Runs the function query in a control group of 512 MiB without a heap flag. Sends many different small requests, large ones at once, and requests whose answers are not read. Fails if the instance is killed, if its memory stays high, or if a request is lost. Then measures how long a key that reads a lot makes others wait. Needs root on Linux for the control group; otherwise it is skipped with a message.',
    )
    .option('--results <n>', 'number of small results to request', COUNT, 60_000)
    .option('--rest <n>', 'seconds of rest before the last measurement of memory', SECONDS, 60)
    .option('--fair <n>', FAIR, SECONDS, 30)
    .option('--only <part>', 'memory or fairness')
    .action((options) => judge((verdict, own) => bounds(options, verdict, own))),
);

interface Options {
  results: number;
  rest: number;
  fair: number;
  only?: string | undefined;
}

async function bounds(options: Options, verdict: Verdict, own: Own): Promise<void> {
  const { results, rest, fair, only } = options;
  const { violate, say } = verdict;
  const cgroup = createMemoryCgroup(INSTANCE_MIB);
  if (typeof cgroup === 'string') return say(`SKIPPED: ${cgroup}`);
  own(cgroup, ({ remove }) => remove());
  const emulator = own(await provideFirestore(), ({ stop }) => stop());
  const firestore = own(connectFirestore(emulator.host), (client) => client.terminate());
  await storeKey(firestore, GREEDY, { name: 'greedy' });
  await storeKey(firestore, OTHER, { name: 'other' });
  const tree = own(new FakeSqlTree(), (directory) => directory.remove());
  tree.endpoint(
    {
      name: NAME,
      maxRows: 10_000,
      cachingSeconds: 3600,
      cacheWarmingSeconds: 0,
      parameters: {
        id: parameter({ required: true }),
        kib: parameter({ type: 'INT64', required: true, example: '1' }),
        slow: parameter({ type: 'INT64', example: '0', default: '0' }),
      },
      row: rowOf('id STRING REQUIRED, text STRING REQUIRED'),
    },
    'SELECT @id AS id, @kib AS text, @slow',
  );
  const server = own(createRowsServer(), (http) => {
    http.closeAllConnections();
    http.close();
  });
  const bigQueryUrl = await listen(server);
  const env = { FIRESTORE_EMULATOR_HOST: emulator.host };
  const started = await cgroup.with(() =>
    runFunction({ target: 'query', firestore, bigQueryUrl, sql: tree.directory, env }),
  );
  const service = own(started, ({ stop }) => stop());
  void service.failed.then((sentence) => violate(`${sentence} ${service.output().slice(-500)}`));
  const client = createClient(service.url, verdict);
  // A cold instance on a busy machine may not look the keys up in time.
  for (const key of [GREEDY, OTHER]) while (!(await client.isStored(key))) await delay(1000);
  await client.ask('large', { id: 'first', kib: 64 });
  const startMib = memoryMib(service.pid).now;
  const report = (what: string): void => {
    const { now, peak } = memoryMib(service.pid);
    say(`${what}: ${now.toFixed()} MiB, peak ${peak.toFixed()} MiB, ${String(verdict)}`);
  };
  report('start');

  if (only !== 'fairness') {
    await seed();
    report(`${results} results stored`);
    for (const isGzip of [true, false]) {
      await readSmall(isGzip);
      report(`read once ${isGzip ? 'with' : 'without'} gzip`);
    }
    await readLarge('large');
    report('12 large results at once, four times');
    await readLate(40);
    report('40 answers that were not read at once');
    await Promise.all([readSmall(false), readLarge('both'), readLate(40)]);
    report('all together');
    await delay(rest * 1000);
    report(`${rest} s later`);
    const growth = Math.round(memoryMib(service.pid).now - startMib);
    if (growth > GROWTH_MIB_MAX) violate(`the instance keeps ${growth} MiB`);
  }
  if (only !== 'memory') await measureWaiting();

  async function seed(): Promise<void> {
    const endpoint = tree.catalogue().resolve(NAME) as Endpoint;
    // The document of one result is the form of the others.
    const form = { id: 'first', kib: '0', slow: '0' };
    const results = firestore.collection('results');
    const scope = { ...TEST_SCOPE, project: projectOf(firestore) };
    const document = results.doc(cacheKey(scope, endpoint, form));
    const first = await document.get();
    if (!first.exists) throw new Error('The first result was not stored: the machine is too busy.');
    const writer = firestore.bulkWriter({ throttling: false });
    for (const id of ids()) {
      const parameters = { ...form, id };
      const body = Buffer.from(`{"result":[{"id":"${id}","text":""}]}`);
      void writer.set(results.doc(cacheKey(scope, endpoint, parameters)), {
        ...first.data(),
        parameters,
        body: gzipSync(body),
        bodyBytes: body.length,
        etag: id,
      });
    }
    await writer.close();
  }

  function readSmall(isGzip: boolean): Promise<void> {
    return eachLimit(ids(), 30, (id) => client.ask('small', { id, isGzip }));
  }

  async function readLarge(name: string): Promise<void> {
    for (let round = 0; round < 4; round += 1) {
      await Promise.all(
        times(12, (index) =>
          client.ask('large', { id: `${name}-${round}-${index}`, kib: 7.85 * 1024 }),
        ),
      );
    }
  }

  /** Opens so many large answers, reads none for a while, and then all. */
  async function readLate(count: number): Promise<void> {
    const opened = await Promise.all(
      times(count, async (index) => {
        await delay(index * 100);
        return client.open({ id: `unread-${index}`, kib: 7.3 * 1024 });
      }),
    );
    await delay(10_000);
    await Promise.all(opened.map((answer) => client.finish('unread', answer)));
  }

  function ids(): string[] {
    return times(results, (index) => `small-${index}`);
  }

  /** The times of misses of one row, without and with another key that reads as much as it can. */
  async function measureWaiting(): Promise<void> {
    const alone = await misses('alone');
    for (const slow of [0, 5000]) {
      const over = new AbortController();
      const greedy = times(12, async (worker) => {
        for (let count = 0; !over.signal.aborted; count += 1) {
          await client.ask('large', {
            ...{ id: `greedy-${slow}-${worker}-${count}`, kib: 7.3 * 1024, slow },
          });
          await delay(50);
        }
      });
      await delay(2000);
      const beside = await misses(`beside-${slow}`);
      over.abort();
      await Promise.all(greedy);
      report(`p99 of a miss: ${alone} ms alone, ${beside} ms beside 12 large (${slow} ms slow)`);
      if (beside > alone + DELAY_MS_MAX) violate(`others wait ${beside - alone} ms`);
    }
  }

  async function misses(name: string): Promise<number> {
    const took: number[] = [];
    const untilMs = performance.now() + fair * 1000;
    await Promise.all(
      times(4, async (worker) => {
        for (let count = 0; performance.now() < untilMs; count += 1) {
          const startedMs = performance.now();
          await client.ask('one', { id: `${name}-${worker}-${count}`, key: OTHER });
          took.push(performance.now() - startedMs);
          await delay(100);
        }
      }),
    );
    took.sort((a, b) => a - b);
    say(
      `${name}: ${took.length} misses, p50 ${took[took.length >> 1]?.toFixed()}, max ${took.at(-1)?.toFixed()} ms`,
    );
    return Math.round(took[Math.floor(took.length * 0.99)] ?? 0);
  }
}

function times<T>(length: number, make: (index: number) => T): T[] {
  return Array.from({ length }, (_, index) => make(index));
}

/** A request for one row, or for rows of a number of KiB. */
interface Asked {
  id: string;
  kib?: number;
  /** How long BigQuery takes for the end of the rows. */
  slow?: number;
  key?: string;
  isGzip?: boolean;
}

/** Sends requests and checks their answers: rows, or for a large one 503 or 429 (many of its queries go on) with Retry-After. */
function createClient(url: string, { violate, count }: Verdict) {
  const agent = new Agent({ keepAlive: true });
  const open = (asked: Asked): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const { id, kib = 0, slow = 0, key = GREEDY, isGzip = true } = asked;
      const path = `/api/endpoints/query/${NAME}?id=${id}&kib=${Math.floor(kib)}&slow=${slow}`;
      const headers = { 'X-API-KEY': key, 'Accept-Encoding': isGzip ? 'gzip' : 'identity' };
      const req = get(`${url}${path}`, { agent, headers }, resolve).on('error', (error) => {
        // The instance has closed an idle connection at the same moment.
        if (req.reusedSocket) resolve(open(asked));
        else reject(error);
      });
    });
  const finish = async (name: string, answer: IncomingMessage): Promise<void> => {
    let bytes = 0;
    for await (const part of answer) bytes += (part as Buffer).length;
    const { statusCode, headers } = answer;
    count(`${name} ${statusCode}`);
    const mayBeRefused = name === 'large' || name === 'unread';
    const isRefused = statusCode === 503 || statusCode === 429;
    if (mayBeRefused && isRefused && headers['retry-after'] !== undefined) return;
    if (statusCode !== 200) violate(`${name}: ${statusCode}`);
    if (bytes !== Number(headers['content-length'])) violate(`${name}: ${bytes} bytes`);
  };
  return {
    open,
    /** Reads an answer and checks it. */
    finish,
    ask: async (name: string, asked: Asked): Promise<void> => finish(name, await open(asked)),
    /** Whether the first result is in Firestore or in memory. */
    isStored: async (key: string): Promise<boolean> => {
      const answer = await open({ id: 'first', key });
      answer.resume();
      return /; (stored|hit)/.test(String(answer.headers['cache-status']));
    },
  };
}

/** A BigQuery whose first row has the id of the request, with texts that gzip hardly compresses. */
function createRowsServer() {
  const random = randomBytes(6 * MIB).toString('base64');
  // Rows of 900 bytes, 8 MiB in all.
  const rows = times(9300, (index) => {
    const from = (index * 820) % (random.length - 820);
    return { f: [{ v: '' }, { v: random.slice(from, from + 820) }] };
  });
  const runs = createRuns({
    callMs: () => 0,
    plan: () => ({ ms: 0, error: null }),
    columnsOf: () => columns('id STRING, text STRING'),
    rowCountOf: ({ parameters }) => 1 + Math.floor((Number(parameters.kib) * 1024) / 900),
    rowOf: ({ parameters }, index) =>
      index === 0 ? { f: [{ v: parameters.id }, { v: '' }] } : (rows[index - 1] as WireRow),
    bytes: 0,
    tailMs: ({ parameters }) => Number(parameters.slow),
    runsMax: 1000,
  });
  return runs.serve('');
}

/**
 * A control group (version 1 or 2) with a bound on memory, as an instance in the cloud has one; where it cannot be
 * made, a sentence that says why.
 */
function createMemoryCgroup(mib: number) {
  try {
    const lines = readFileSync('/proc/self/cgroup', 'utf8').split('\n');
    const firstMatch = (pattern: RegExp): string | undefined =>
      lines.map((line) => pattern.exec(line)?.[1]).find(Boolean);
    const v1 = firstMatch(/^\d+:(?:.*,)?memory(?:,.*)?:(.*)$/);
    const parent =
      v1 === undefined
        ? join('/sys/fs/cgroup', firstMatch(/^0::(.*)$/) ?? '/')
        : join('/sys/fs/cgroup/memory', v1);
    const group = join(parent, `saved-queries-${process.pid}-${mib}`);
    mkdirSync(group);
    const limit = v1 === undefined ? 'memory.max' : 'memory.limit_in_bytes';
    writeFileSync(join(group, limit), String(mib * 1024 * 1024));
    const move = (to: string): void => writeFileSync(join(to, 'cgroup.procs'), String(process.pid));
    return {
      /** Processes that `start` starts are in the group, and their memory counts from their start. */
      with: async <T>(start: () => Promise<T>): Promise<T> => {
        // A child begins in the group of its parent, and Node sizes its heap by the group at its start.
        move(group);
        try {
          return await start();
        } finally {
          move(parent);
        }
      },
      /** Empty groups only. */
      remove: () => rmdirSync(group),
    };
  } catch (error) {
    return `no control group for memory can be made here: ${String(error)}`;
  }
}

if (import.meta.main) void runMain(main);
