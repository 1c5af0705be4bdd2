// Tests of requests and warming while BigQuery or Firestore fails: real clients, faults in the network.
import { setTimeout as delay } from 'node:timers/promises';
import type { Timestamp } from '@google-cloud/firestore';
import request from 'supertest';
import { systemClock } from '../../functions/clock.ts';
import type { Clock } from '../../functions/core/clock.ts';
import { type BigQueryCall, startBigQueryProxy } from '../support/bigquery/bigquery-proxy.ts';
import { runLocally, tablesOf } from '../support/bigquery/local-bigquery.ts';
import { ControlledClock } from '../support/clock.ts';
import { testFirestore } from '../support/service/firestore-emulators.ts';
import { startFirestoreProxy } from '../support/service/firestore-proxy.ts';
import { runFunction } from '../support/service/running-function.ts';
import { API_KEY, createTestService, startService, storeKey } from '../support/world.ts';
import { TEST_SQL } from '../support/sql/test-sql.ts';
import { undo } from '../support/undo.ts';
import { until } from '../support/until.ts';

const NOW = '2026-11-20T10:00:00Z';
const HOURLY = 'web.visit-counts?project=a&interval=hourly';

/** Both functions, with the visit whose rows `rowsOf` expects. */
async function start(settings: Partial<Parameters<typeof startService<Clock>>[0]> = {}) {
  const row = { timestamp: '2026-11-20T09:59:00Z', requests: [{ url: 'https://a.example.co' }] };
  const service = await startService({
    tables: await tablesOf(TEST_SQL, { web_visits: [row] }),
    ...{ clock: systemClock, bigQueryClock: new ControlledClock(NOW) },
    ...{ storeTimeoutMs: 1000, leaseSeconds: 1, queryTimeoutSeconds: 3, ...settings },
  });
  // The first query registers the tables; no deadline of a test is to pay for it.
  const sql = "SELECT COUNT(*) AS n FROM web_visits WHERE timestamp > '2026-11-20'";
  await runLocally(service.bigquery.url, { sql, parameters: {} });
  return service;
}

/** The answer, which must come within this time, on a busy machine a little later. */
async function within(ms: number, asked: request.Test): Promise<request.Response> {
  const startedMs = performance.now();
  const answer = await asked;
  expect(performance.now() - startedMs).toBeLessThan(ms + 5000);
  return answer;
}

/** Fails unless the answer is the rows; returns its Cache-Status. */
function rowsOf({ status, body, headers }: request.Response): string {
  const result = [{ timestamp: '2026-11-20T09:00:00', visits: 1, urls: 1 }];
  expect([status, body as unknown]).toEqual([200, { result }]);
  return String(headers['cache-status']);
}

it('BigQuery slower than the deadline: 503 in time, nothing cached; the query goes on, and who asks again has its rows', async () => {
  let beforeRun = (): Promise<void> => Promise.resolve();
  // So that also a busy BigQuery says in time that the query runs.
  const settings = { beforeRun: () => beforeRun(), queryTimeoutSeconds: 6 };
  const { ask, proxy, firestore, options } = await start(settings);
  const { promise: slow, resolve: finish } = Promise.withResolvers<void>();
  beforeRun = () => slow;
  const answer = await within(6000, ask(HOURLY));
  expect(answer.status).toBe(503);
  expect(answer.body).toHaveProperty('error.details[0].reason', 'QUERY_RUNNING');
  expect(answer.headers).toMatchObject({ 'retry-after': '5', 'cache-control': 'no-store' });
  expect((await firestore.collection('results').get()).size).toBe(0);
  finish();
  // On a busy machine the rows take a while.
  const again = createTestService({ ...options, queryTimeoutSeconds: 25 });
  expect(rowsOf(await again.ask(HOURLY))).toContain('fwd=uri-miss; stored');
  const jobsOf = (kind: BigQueryCall['kind']): string[] =>
    proxy.calls.filter((call) => call.kind === kind).map(({ jobId }) => jobId);
  // A request with so little time starts a job. If its answer is late on a busy machine, the same one is sent once more.
  expect([new Set(jobsOf('insert')).size, jobsOf('cancel')]).toEqual([1, []]);
});

it.each(['unavailable', 'stall'] as const)(
  'Firestore failing with "%s" for everything, with the key in memory: rows from BigQuery in time',
  async (fault) => {
    const { options } = await start();
    const proxy = await startFirestoreProxy();
    const firestore = testFirestore(proxy.host);
    // Once a client has ended, the error of a further call is thrown where nobody can catch it. So it ends when
    // no call is left: one that failed is repeated after about a second at most, and then passes.
    undo(() => {
      proxy.fault = () => 'pass';
      proxy.endStalls();
      return proxy.untilIdle(2000);
    });
    await storeKey(firestore);
    // On a busy machine the query begins late.
    const { ask, log } = createTestService({ ...options, firestore, queryTimeoutSeconds: 10 });
    expect((await ask('web.visit-counts?project=other&interval=daily')).status).toBe(200);
    proxy.fault = () => fault;
    rowsOf(await within(4000, ask(HOURLY)));
    const failed = ['store_read_failed', 'store_write_failed'];
    expect(log.events()).toEqual(expect.arrayContaining(failed));
  },
);

it('BigQuery down for 600 s: hits go on, and the next run refreshes; for longer: query answers 503, and warm until no result was served for cachingSeconds', async () => {
  const clock = new ControlledClock(NOW);
  clock.waitFactor = 0.1;
  // Pauses are shorter; the limit on a call of Firestore is not to end sooner.
  const limits = { storeTimeoutMs: 50_000, queryTimeoutSeconds: 25 };
  const { ask, warm, proxy } = await start({ clock, ...limits });
  const seen: Record<string, string> = {};
  for (let minute = 0; minute <= 65; minute += 5) {
    const isDown = minute === 10 || minute === 15 || (minute >= 25 && minute <= 60);
    proxy.fault = () => (isDown ? 'cut' : 'pass');
    const { status, report } = await warm.post();
    const answer = await ask(HOURLY);
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
const itTakesOver = process.env.FIRESTORE_EMULATOR_KIND === 'in-process' ? it.skip : it;
itTakesOver(
  "a process killed in a query: another instance takes over after its lease has expired (needs Google's Firestore emulator)",
  async () => {
    const times = { leaseSeconds: 4, queryTimeoutSeconds: 25, storeTimeoutMs: 2000 };
    const { ask, bigquery, proxy, firestore } = await start(times);
    const stalled = await startBigQueryProxy(bigquery.url);
    stalled.fault = () => 'stall';
    const env = { LEASE_SECONDS: '4', QUERY_TIMEOUT_SECONDS: '25' };
    const bigQueryUrl = stalled.url;
    const holder = await runFunction({ target: 'query', firestore, bigQueryUrl, env });
    const first = request(holder.url).get(`/api/endpoints/query/${HOURLY}`);
    const held = expect(first.set('X-API-KEY', API_KEY).then()).rejects.toThrow();
    await until(() => stalled.calls.length > 0);
    const waiting = ask(HOURLY).then((answer) => answer);
    // Longer than one lease: while the holder lives, it renews.
    await delay(4500);
    expect(proxy.calls).toEqual([]);
    process.kill(holder.pid, 'SIGKILL');
    await held;
    const [lease] = (await firestore.collection('leases').get()).docs;
    const endsMs = (lease?.get('until') as Timestamp).toMillis();
    expect(endsMs).toBeGreaterThan(Date.now());
    await until(() => proxy.calls.length > 0);
    const lateMs = Date.now() - endsMs;
    expect(lateMs).toBeGreaterThanOrEqual(0);
    // Within seconds, also on a busy machine, and not when the first query would have ended.
    expect(lateMs).toBeLessThan(8000);
    expect(rowsOf(await waiting)).toContain('fwd=uri-miss; stored');
    expect((await firestore.collection('results').get()).size).toBe(1);
  },
);
