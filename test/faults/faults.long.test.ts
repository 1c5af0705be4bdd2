// Tests of requests and warming while BigQuery or Firestore fails: real clients, faults in the network.
import type { Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Firestore, Timestamp } from '@google-cloud/firestore';
import request from 'supertest';
import { systemClock } from '../../functions/clock.ts';
import {
  type BigQueryCall,
  type BigQueryProxy,
  startBigQueryProxy,
} from '../support/bigquery/bigquery-proxy.ts';
import {
  createLocalBigQueryClient,
  startLocalBigQuery,
  tablesOf,
} from '../support/bigquery/local-bigquery.ts';
import { ControlledClock } from '../support/clock.ts';
import { connectFirestore } from '../support/service/firestore-emulators.ts';
import { type FirestoreProxy, startFirestoreProxy } from '../support/service/firestore-proxy.ts';
import { runFunction } from '../support/service/running-function.ts';
import {
  API_KEY,
  type TestService,
  type TestServiceOptions,
  createTestService,
  createTestWarm,
  firestoreWithKey,
  storeKey,
} from '../support/world.ts';
import { TEST_SQL } from '../support/sql/test-sql.ts';
import { until } from '../support/until.ts';

const COUNTS = 'web.visit-counts';
const STORE_MS = 1000;
/** What an answer may take beyond its deadline on a busy machine. */
const SLACK_MS = 5000;

const row = { timestamp: '2026-11-20T09:59:00Z', requests: [{ url: 'https://a.example.co' }] };
let beforeRun = (): Promise<void> => Promise.resolve();
const bigquery = await startLocalBigQuery({
  tables: await tablesOf(TEST_SQL, { web_visits: [row] }),
  clock: new ControlledClock('2026-11-20T10:00:00Z'),
  beforeRun: () => beforeRun(),
});
let bigqueryProxy: BigQueryProxy;
let firestore: Firestore;

beforeAll(async () => {
  // The first query registers the tables; no deadline of a test is to pay for it.
  const query = "SELECT COUNT(*) AS n FROM logs.web_visits WHERE timestamp > '2026-11-20'";
  await createLocalBigQueryClient(bigquery.url).query(query);
});

afterAll(() => Promise.all(ends));

beforeEach(async () => {
  beforeRun = () => Promise.resolve();
  bigqueryProxy = await startBigQueryProxy(bigquery.url);
  firestore = await firestoreWithKey();
});

function createInstance(options: Partial<TestServiceOptions> = {}): TestService {
  return createTestService({
    clock: systemClock,
    firestore,
    bigQueryUrl: bigqueryProxy.url,
    storeTimeoutMs: STORE_MS,
    leaseSeconds: 1,
    queryTimeoutSeconds: 3,
    ...options,
  });
}

function ask(
  { server }: { server: Server | string },
  parameters = 'project=a&interval=hourly',
  endpoint = COUNTS,
): request.Test {
  return request(server)
    .get(`/api/endpoints/query/${endpoint}?${parameters}`)
    .set('X-API-KEY', API_KEY);
}

const ROWS = { result: [{ timestamp: '2026-11-20T09:00:00', visits: 1, urls: 1 }] };

/** The answer, which must come within this time, on a busy machine a little later. */
async function within(ms: number, asked: request.Test): Promise<request.Response> {
  const startedMs = performance.now();
  const answer = await asked;
  expect(performance.now() - startedMs).toBeLessThan(ms + SLACK_MS);
  return answer;
}

/** Fails unless the answer is the rows; returns its Cache-Status. */
function rowsOf({ status, body, headers }: request.Response): string {
  expect([status, body as unknown]).toEqual([200, ROWS]);
  return String(headers['cache-status']);
}

const entryCount = async (): Promise<number> => (await firestore.collection('results').get()).size;

/** Clients that end in the background. */
const ends: Promise<void>[] = [];

/**
 * Once a client has ended, the error of a further call is thrown where nobody can catch it. So it ends when
 * no call is left: one that failed is repeated after about a second at most, and then passes.
 */
function end(proxy: FirestoreProxy, through: Firestore): void {
  proxy.fault = () => 'pass';
  proxy.endStalls();
  ends.push(
    proxy
      .untilIdle(2000)
      .then(() => through.terminate())
      .then(() => proxy.close()),
  );
}

describe('BigQuery', () => {
  it('slower than the deadline: 503 in time, nothing cached; the query goes on, and who asks again has its rows', async () => {
    function reasonOf({ body }: request.Response): unknown {
      return (body as { error?: { details: { reason: string }[] } }).error?.details[0]?.reason;
    }

    const jobsOf = (kind: BigQueryCall['kind']): string[] =>
      bigqueryProxy.calls.filter((call) => call.kind === kind).map(({ jobId }) => jobId);
    const { promise: slow, resolve: finish } = Promise.withResolvers<undefined>();
    beforeRun = () => slow;
    const instance = createInstance();
    const answer = await within(3000, ask(instance));
    expect([answer.status, reasonOf(answer)]).toEqual([503, 'QUERY_RUNNING']);
    expect(answer.headers).toMatchObject({ 'retry-after': '5', 'cache-control': 'no-store' });
    expect(await entryCount()).toBe(0);
    finish(undefined);
    expect(rowsOf(await ask(instance))).toContain('fwd=uri-miss; stored');
    // A request with so little time starts a job. If its answer is late on a busy machine, the same one is sent once more.
    expect([new Set(jobsOf('insert')).size, jobsOf('cancel')]).toEqual([1, []]);
  });
});

describe('Firestore', () => {
  let proxy: FirestoreProxy;
  let through: Firestore;

  beforeEach(async () => {
    proxy = await startFirestoreProxy(process.env.FIRESTORE_EMULATOR_HOST ?? '');
    through = connectFirestore(proxy.host);
    await storeKey(through);
  });

  afterEach(() => end(proxy, through));

  it.each(['unavailable', 'stall'] as const)(
    'failing with "%s" for everything, with the key in memory: rows from BigQuery in time',
    async (fault) => {
      // On a busy machine the query begins late.
      const instance = createInstance({ firestore: through, queryTimeoutSeconds: 10 });
      expect((await ask(instance, 'project=other&interval=daily')).status).toBe(200);
      proxy.fault = () => fault;
      rowsOf(await within(4 * STORE_MS, ask(instance)));
      const failed = ['store_read_failed', 'store_write_failed'];
      expect(instance.log.events()).toEqual(expect.arrayContaining(failed));
    },
  );
});

it('BigQuery down for 600 s: hits go on, and the next run refreshes; for longer: query answers 503, and warm until no result was served for cachingSeconds', async () => {
  const clock = new ControlledClock('2026-11-20T10:00:00Z');
  clock.waitFactor = 0.1;
  // Pauses are shorter; the limit on a call of Firestore is not to end sooner.
  const options = { clock, firestore, bigQueryUrl: bigqueryProxy.url, storeTimeoutMs: 50_000 };
  const instance = createInstance({ ...options, queryTimeoutSeconds: 25 });
  const warm = createTestWarm(options);
  const seen: Record<string, string> = {};
  for (let minute = 0; minute <= 65; minute += 5) {
    const isDown = minute === 10 || minute === 15 || (minute >= 25 && minute <= 60);
    bigqueryProxy.fault = () => (isDown ? 'cut' : 'pass');
    const { status, report } = await warm.post();
    const answer = await ask(instance);
    const { age } = answer.headers;
    const use = age === undefined ? '' : ` ${/hit|stored/.exec(rowsOf(answer))?.[0]}, age ${age}`;
    seen[`${minute} min`] =
      `warm ${status}: ${report.refreshed} of ${report.live}, query ${answer.status}${use}`;
    clock.advance(300_000);
  }
  expect(seen).toEqual({
    '0 min': 'warm 200: 0 of 0, query 200 stored, age 0',
    '5 min': 'warm 200: 1 of 1, query 200 hit, age 0',
    '10 min': 'warm 503: 0 of 1, query 200 hit, age 300',
    '15 min': 'warm 503: 0 of 1, query 200 hit, age 600',
    '20 min': 'warm 200: 1 of 1, query 200 hit, age 0',
    '25 min': 'warm 503: 0 of 1, query 200 hit, age 300',
    '30 min': 'warm 503: 0 of 1, query 200 hit, age 600',
    '35 min': 'warm 503: 0 of 1, query 503',
    '40 min': 'warm 503: 0 of 1, query 503',
    '45 min': 'warm 503: 0 of 1, query 503',
    '50 min': 'warm 200: 0 of 0, query 503',
    '55 min': 'warm 200: 0 of 0, query 503',
    '60 min': 'warm 200: 0 of 0, query 503',
    '65 min': 'warm 200: 0 of 0, query 200 stored, age 0',
  });
});

// The in-process emulator ignores preconditions, by which leases are taken over.
const { FIRESTORE_EMULATOR_KIND: kind } = process.env;
const itTakesOver = kind === 'google' || kind === 'given' ? it : it.skip;

itTakesOver(
  "a process killed in a query: another instance takes over after its lease has expired (needs Google's Firestore emulator)",
  async () => {
    const stalled = await startBigQueryProxy(bigquery.url);
    stalled.fault = () => 'stall';
    const env = { LEASE_SECONDS: '2', QUERY_TIMEOUT_SECONDS: '20' };
    const bigQueryUrl = stalled.url;
    const holder = await runFunction({ target: 'query', firestore, bigQueryUrl, env });
    const waiter = createInstance({
      leaseSeconds: 2,
      queryTimeoutSeconds: 20,
      storeTimeoutMs: 2000,
    });
    const held = expect(ask({ server: holder.url }).then()).rejects.toThrow();
    await until(() => stalled.calls.length > 0);
    const waiting = ask(waiter).then((answer) => answer);
    // Longer than one lease: while the holder lives, it renews.
    await delay(2500);
    expect(bigqueryProxy.calls).toEqual([]);
    process.kill(holder.pid, 'SIGKILL');
    await held;
    const [lease] = (await firestore.collection('leases').get()).docs;
    const endsMs = (lease?.get('until') as Timestamp).toMillis();
    expect(endsMs).toBeGreaterThan(Date.now());
    const answer = await waiting;
    const lateMs = Date.now() - endsMs;
    expect(rowsOf(answer)).toContain('fwd=uri-miss; stored');
    expect(lateMs).toBeGreaterThanOrEqual(0);
    expect(lateMs).toBeLessThan(3000);
    expect(await entryCount()).toBe(1);
  },
);
