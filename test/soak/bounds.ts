// `npm run soak:bounds`: an instance of the deployed size under many, large and unread answers, and one greedy key.
import { randomBytes } from 'node:crypto';
import { type IncomingMessage, Agent, createServer, get } from 'node:http';
import { json } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { eachLimit } from '../../functions/core/each-limit.ts';
import { loadCatalogue } from '../../scripts/compile/inspect-catalogue.ts';
import { cacheKey } from '../../functions/results/cache-key.ts';
import { createMain, runMain } from '../../scripts/cli/command.ts';
import { positiveInteger } from '../support/positive-integer.ts';
import { FakeSqlTree, parameter, rowOf } from '../support/sql/fake-sql-tree.ts';
import { columns } from '../support/sql/columns.ts';
import { connectFirestore, provideFirestore } from '../support/service/firestore-emulators.ts';
import { listen } from '../support/service/listen.ts';
import { createMemoryCgroup } from '../support/service/memory-cgroup.ts';
import { runFunction } from '../support/service/running-function.ts';
import { storeKey } from '../support/service/service.ts';
import { memoryMib } from '../bench/processes.ts';
import { type Verdict, judge } from './verdict.ts';

const MIB = 1024 * 1024;
const INSTANCE_MIB = 512;
const GREEDY = 'sqk_bounds-key-that-is-greedy-0000000000000000000';
const OTHER = 'sqk_bounds-key-that-asks-for-one-row-000000000000';
const SCOPE = { dataset: 'logs', location: 'US' };
const NAME = 'memory.rows';
const GROWTH_MIB_MAX = 100;
const DELAY_MS_MAX = 2000;

const cleanUps: (() => unknown)[] = [];

export const main = createMain('npm run soak:bounds --', (program) =>
  program
    .description(
      'Runs the function query in a control group of 512 MiB without a heap flag. Sends many different small requests, large ones at once, and requests whose answers are not read. Fails if the instance is killed, if its memory stays high, or if a request is lost. Then measures how long a key that reads a lot makes others wait. Needs root on Linux for the control group; otherwise it is skipped with a message.',
    )
    .option(
      '--results <n>',
      'number of small results to request',
      positiveInteger(1_000_000),
      60_000,
    )
    .option(
      '--rest <n>',
      'seconds of rest before the last measurement of memory',
      positiveInteger(600),
      60,
    )
    .option(
      '--fair <n>',
      'duration in seconds of each measurement of how long other keys wait',
      positiveInteger(600),
      30,
    )
    .option('--only <part>', 'memory or fairness')
    .action(async ({ results, rest, fair, only }) =>
      judge(cleanUps, (verdict) => bounds({ results, rest, fair, only }, verdict)),
    ),
);

interface Options {
  results: number;
  rest: number;
  fair: number;
  only: string | undefined;
}

async function bounds({ results, rest, fair, only }: Options, verdict: Verdict): Promise<void> {
  const { violate } = verdict;
  const say = (text: string): void => verdict.say(text);
  const cgroup = createMemoryCgroup(INSTANCE_MIB);
  if (typeof cgroup === 'string') return say(`SKIPPED: ${cgroup}`);
  cleanUps.push(() => cgroup.remove());
  const emulator = await provideFirestore();
  cleanUps.push(() => emulator.stop());
  const firestore = connectFirestore(emulator.host);
  cleanUps.push(() => firestore.terminate());
  await storeKey(firestore, GREEDY, { name: 'greedy' });
  await storeKey(firestore, OTHER, { name: 'other' });
  const tree = new FakeSqlTree();
  cleanUps.push(() => tree.remove());
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
  const bigquery = await startRows();
  cleanUps.push(() => bigquery.close());
  const service = await cgroup.with(() =>
    runFunction({
      target: 'query',
      firestore,
      bigQueryUrl: bigquery.url,
      sql: tree.directory,
      env: { FIRESTORE_EMULATOR_HOST: emulator.host },
    }),
  );
  cleanUps.push(() => service.stop());
  void service.failed.then((sentence) => violate(`${sentence} ${service.output().slice(-500)}`));
  const client = createClient(service.url, verdict);
  // A cold instance on a busy machine may not look the keys up in time.
  for (const key of [GREEDY, OTHER]) while (!(await client.isStored(key))) await delay(1000);
  await client.large('first', 64);
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
    await client.unread(40);
    report('40 answers that were not read at once');
    await Promise.all([readSmall(false), readLarge('both'), client.unread(40)]);
    report('all together');
    await delay(rest * 1000);
    report(`${rest} s later`);
    const growth = Math.round(memoryMib(service.pid).now - startMib);
    if (growth > GROWTH_MIB_MAX) violate(`the instance keeps ${growth} MiB`);
  }
  if (only !== 'memory') await measureWaiting();

  async function seed(): Promise<void> {
    const endpoint = loadCatalogue(tree.directory).resolve(NAME);
    if (endpoint === undefined) throw new Error('There is no endpoint.');
    // The document of one result is the form of the others.
    const form = { id: 'first', kib: '0', slow: '0' };
    const results = firestore.collection('results');
    const document = results.doc(cacheKey(SCOPE, endpoint, form));
    const first = await document.get();
    if (!first.exists) throw new Error('The first result was not stored: the machine is too busy.');
    const writer = firestore.bulkWriter({ throttling: false });
    for (const id of ids()) {
      const parameters = { ...form, id };
      const body = Buffer.from(`{"result":[{"id":"${id}","text":""}]}`);
      void writer.set(results.doc(cacheKey(SCOPE, endpoint, parameters)), {
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
    return eachLimit(ids(), 30, (id) => client.small(id, isGzip));
  }

  async function readLarge(name: string): Promise<void> {
    for (let round = 0; round < 4; round += 1) {
      await Promise.all(
        Array.from({ length: 12 }, (_, index) =>
          client.large(`${name}-${round}-${index}`, 7.85 * 1024),
        ),
      );
    }
  }

  function ids(): string[] {
    return Array.from({ length: results }, (_, index) => `small-${index}`);
  }

  /** The times of misses of one row, without and with another key that reads as much as it can. */
  async function measureWaiting(): Promise<void> {
    const alone = await misses('alone');
    for (const slow of [0, 5000]) {
      const over = new AbortController();
      const greedy = Array.from({ length: 12 }, async (_, worker) => {
        for (let count = 0; !over.signal.aborted; count += 1) {
          await client.large(`greedy-${slow}-${worker}-${count}`, 7.3 * 1024, slow);
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
      Array.from({ length: 4 }, async (_, worker) => {
        for (let count = 0; performance.now() < untilMs; count += 1) {
          const startedMs = performance.now();
          await client.one(`${name}-${worker}-${count}`);
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

/** Sends requests and checks their answers: rows, or 503 with Retry-After for a large one. */
function createClient(url: string, { violate, count }: Verdict) {
  const agent = new Agent({ keepAlive: true });
  type Request = [id: string, kib: number, slow: number, key: string, isGzip: boolean];
  const open = (...[id, kib, slow, key, isGzip]: Request): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const path = `/api/endpoints/query/${NAME}?id=${id}&kib=${Math.floor(kib)}&slow=${slow}`;
      const headers = { 'X-API-KEY': key, 'Accept-Encoding': isGzip ? 'gzip' : 'identity' };
      const req = get(`${url}${path}`, { agent, headers }, resolve).on('error', (error) => {
        // The instance has closed an idle connection at the same moment.
        if (req.reusedSocket) resolve(open(id, kib, slow, key, isGzip));
        else reject(error);
      });
    });
  const finish = async (name: string, answer: IncomingMessage): Promise<void> => {
    let bytes = 0;
    try {
      for await (const part of answer) bytes += (part as Buffer).length;
    } catch (error) {
      return violate(`${name}: ${String(error)}`);
    }
    count(`${name} ${answer.statusCode}`);
    if (answer.statusCode === 503 && answer.headers['retry-after'] !== undefined) return;
    if (answer.statusCode !== 200) violate(`${name}: ${answer.statusCode}`);
    if (bytes !== Number(answer.headers['content-length'])) violate(`${name}: ${bytes} bytes`);
  };
  const ask = async (name: string, ...asked: Request): Promise<number | undefined> => {
    try {
      const answer = await open(...asked);
      await finish(name, answer);
      return answer.statusCode;
    } catch (error) {
      violate(`${name}: ${String(error)}`);
    }
  };
  return {
    /** Whether the first result is in Firestore or in memory. */
    isStored: async (key: string): Promise<boolean> => {
      const answer = await open('first', 0, 0, key, true);
      answer.resume();
      return /; (stored|hit)/.test(String(answer.headers['cache-status']));
    },
    small: (id: string, isGzip: boolean): Promise<void> =>
      must(ask('small', id, 0, 0, GREEDY, isGzip)),
    one: (id: string): Promise<void> => must(ask('one', id, 0, 0, OTHER, true)),
    large: async (id: string, kib: number, slow = 0): Promise<void> =>
      void (await ask('large', id, kib, slow, GREEDY, true)),
    /** Opens so many answers, reads none for a while, and then all. */
    async unread(answers: number): Promise<void> {
      const opened = await Promise.all(
        Array.from({ length: answers }, async (_, index) => {
          await delay(index * 100);
          return open(`unread-${index}`, 7.3 * 1024, 0, GREEDY, true).catch((error: unknown) => {
            violate(`unread: ${String(error)}`);
          });
        }),
      );
      await delay(10_000);
      await Promise.all(
        opened.map(async (answer) => {
          if (answer) await finish('unread', answer);
        }),
      );
    },
  };

  async function must(status: Promise<number | undefined>): Promise<void> {
    const code = await status;
    if (code !== 200) violate(`A request for one row was answered with ${code}.`);
  }
}

/** A BigQuery whose first row has the id of the request, with texts that gzip hardly compresses. */
async function startRows(): Promise<{ url: string; close: () => void }> {
  const random = randomBytes(6 * MIB).toString('base64');
  const jobs = new Map<string, Record<string, string>>();
  const rests = new Map<number, { rowCount: number; bytes: Buffer }>();
  /** All rows but the first, built once, so that this process is not the slow part. */
  const restOf = (kib: number): { rowCount: number; bytes: Buffer } => {
    const known = rests.get(kib);
    if (known !== undefined) return known;
    // Rows of 900 bytes, as many as fit.
    const rowCount = Math.floor((kib * 1024) / 900);
    const rows = Array.from({ length: rowCount }, (_, index) => {
      const from = (index * 820) % (random.length - 820);
      return `,{"f":[{"v":""},{"v":"${random.slice(from, from + 820)}"}]}`;
    });
    const made = { rowCount, bytes: Buffer.from(`${rows.join('')}]}`) };
    rests.set(kib, made);
    return made;
  };
  const server = createServer((req, res) => {
    void (async () => {
      const url = new URL(req.url ?? '/', 'http://localhost');
      const jobId = url.pathname.split('/').at(-1) ?? '';
      res.setHeader('Content-Type', 'application/json');
      if (req.method === 'POST' && jobId === 'jobs') {
        const { jobReference, configuration } = (await json(req)) as {
          jobReference: { jobId: string };
          configuration: {
            query: { queryParameters: { name: string; parameterValue: { value: string } }[] };
          };
        };
        const { queryParameters } = configuration.query;
        jobs.set(
          jobReference.jobId,
          Object.fromEntries(
            queryParameters.map(({ name, parameterValue }) => [name, parameterValue.value]),
          ),
        );
        return res.end(JSON.stringify({ jobReference }));
      }
      const job = jobs.get(jobId);
      if (job === undefined || req.method !== 'GET') return res.end('{}');
      jobs.delete(jobId);
      const rest = restOf(Number(job.kib));
      const head = JSON.stringify({
        jobReference: { jobId },
        jobComplete: true,
        schema: { fields: columns('id STRING, text STRING') },
        totalRows: String(1 + rest.rowCount),
        totalBytesProcessed: '0',
      });
      const first = `${head.slice(0, -1)},"rows":[{"f":[{"v":"${job.id}"},{"v":""}]}`;
      const body = Buffer.concat([Buffer.from(first), rest.bytes]);
      if (job.slow === '0') return res.end(body);
      res.write(body.subarray(0, -100));
      await delay(Number(job.slow));
      return res.end(body.subarray(-100));
    })();
  });
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return { url: await listen(server), close };
}

if (import.meta.main) void runMain(main);
