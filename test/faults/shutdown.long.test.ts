// Tests of the end of an instance: SIGTERM with requests in flight, and a crash.
import { setTimeout as delay } from 'node:timers/promises';
import { type BigQueryCall, startBigQueryProxy } from '../support/bigquery/bigquery-proxy.ts';
import { startBigQueryStub } from '../support/bigquery/bigquery-stub-process.ts';
import { ControlledClock } from '../support/clock.ts';
import { startFirestoreProxy } from '../support/service/firestore-proxy.ts';
import {
  type RawAnswer,
  type RawConnection,
  errorOf,
  openConnection,
} from '../support/service/raw-http.ts';
import { runFunction } from '../support/service/running-function.ts';
import { API_KEY, createTestService, firestoreWithKey } from '../support/world.ts';
import { until } from '../support/until.ts';
import { systemClock } from '../../functions/clock.ts';

const stub = await startBigQueryStub();

/** A function in a process of its own, with proxies and stores of its own. */
async function start(target: 'query' | 'warm', env = {}) {
  const proxy = await startBigQueryProxy(stub.url);
  const firestore = await firestoreWithKey();
  const running = await runFunction({ target, firestore, bigQueryUrl: proxy.url, env });
  return {
    ...running,
    ...{ proxy, firestore },
    open: () => openConnection(running.port),
    callsOf: (kind: BigQueryCall['kind']): string[] =>
      proxy.calls.filter((call) => call.kind === kind).map(({ jobId }) => jobId),
    /** Sends SIGTERM, which must end the process well within this time; returns how long it took. */
    terminate: async (withinMs: number): Promise<number> => {
      const startedMs = performance.now();
      process.kill(running.pid, 'SIGTERM');
      expect(await running.failed).toMatch(/^The function (query|warm) ended with code 0\.$/);
      const tookMs = performance.now() - startedMs;
      expect(tookMs).toBeLessThan(withinMs);
      // Nothing but log lines.
      running.lines();
      return tookMs;
    },
  };
}

async function ask(connection: RawConnection, parameters: string): Promise<RawAnswer> {
  const target = `/api/endpoints/query/tasks.run-stats?${parameters}`;
  await connection.send(`GET ${target} HTTP/1.1\r\nHost: x\r\nX-API-KEY: ${API_KEY}\r\n\r\n`);
  return connection.answer();
}

it('SIGTERM without requests in progress: the process ends immediately, despite open connections', async () => {
  const unused = await start('query');
  const idle = await start('query');
  await idle.open();
  expect((await ask(await idle.open(), 'project=a')).status).toBe(200);
  // Long before jobs are cancelled.
  for (const one of [unused, idle]) await one.terminate(5000);
});

it('SIGTERM with a miss in progress: the miss and hits are answered, no new query starts, and the process ends', async () => {
  const query = await start('query');
  const [first, second, third] = [await query.open(), await query.open(), await query.open()];
  expect((await ask(second, 'project=hit')).status).toBe(200);
  query.proxy.fault = ({ kind }) => (kind === 'query' ? { delayMs: 2000 } : 'pass');
  const miss = ask(first, 'project=miss');
  await until(() => query.callsOf('query').length === 2);
  const ended = query.terminate(6500);
  await until(() => query.lines().some(({ event }) => event === 'stopping'));

  const hit = await ask(second, 'project=hit');
  expect([hit.status, hit.headers.connection]).toEqual([200, 'close']);
  expect(hit.headers['cache-status']).toContain('hit');
  const refused = await ask(third, 'project=other');
  expect(errorOf(refused)).toEqual([503, 'INSTANCE_STOPPING']);
  expect(refused.headers).toMatchObject({ connection: 'close', 'retry-after': '1' });
  await expect(openConnection(query.port)).rejects.toThrow('ECONNREFUSED');

  const answer = await miss;
  expect([answer.status, answer.headers.connection]).toEqual([200, 'close']);
  expect(answer.headers['cache-status']).toContain('fwd=uri-miss; stored');
  await ended;
  expect(query.callsOf('query')).toHaveLength(2);
  expect((await query.firestore.collection('leases').get()).size).toBe(0);
  const lines = query.lines().filter(({ event }) => event === 'request');
  expect(lines.map(({ status }) => status)).toEqual([200, 200, 503, 200]);
});

it('SIGTERM with a query that does not finish: it goes on, all waiting requests get 503, and another instance joins it', async () => {
  const query = await start('query');
  query.proxy.fault = ({ kind }) => (kind === 'results' ? 'stall' : 'unfinished');
  const [holder, waiter, gone] = [await query.open(), await query.open(), await query.open()];
  const answers = Promise.all([ask(holder, 'project=a'), ask(waiter, 'project=a')]);
  void ask(gone, 'project=b').catch(() => undefined);
  await until(() => query.callsOf('results').length === 2);
  gone.close();
  const direct = await startBigQueryProxy(stub.url);
  const other = createTestService({
    ...{ clock: systemClock, firestore: query.firestore, bigQueryUrl: direct.url },
  });
  const elsewhere = other.ask('tasks.run-stats?project=a').then((answer) => answer);

  expect(await query.terminate(9400)).toBeGreaterThan(6900);
  for (const answer of await answers) {
    expect(errorOf(answer)).toEqual([503, 'INSTANCE_STOPPING']);
  }
  expect(query.callsOf('cancel')).toEqual([]);
  const taken = await elsewhere;
  expect(taken.status).toBe(200);
  expect(taken.headers['cache-status']).toContain('fwd=uri-miss; stored');
  expect(direct.calls.map(({ kind }) => kind)).toEqual(['results']);
});

it('SIGTERM with a query whose client has disconnected: the query finishes and its rows are stored', async () => {
  const query = await start('query');
  query.proxy.fault = ({ kind }) => (kind === 'query' ? { delayMs: 1500 } : 'pass');
  const gone = await query.open();
  void ask(gone, 'project=a').catch(() => undefined);
  await until(() => query.callsOf('query').length === 1);
  gone.close();
  await delay(200);
  await query.terminate(6500);
  expect((await query.firestore.collection('results').get()).size).toBe(1);
  expect((await query.firestore.collection('leases').get()).size).toBe(0);
});

it('SIGTERM with Firestore stalled: 503 within ten seconds', async () => {
  const stalled = await startFirestoreProxy();
  const query = await start('query', {
    FIRESTORE_EMULATOR_HOST: stalled.host,
    FIRESTORE_TIMEOUT_SECONDS: '60',
  });
  stalled.fault = ({ collection }) => (collection === 'results' ? 'stall' : 'pass');
  const asked = ask(await query.open(), 'project=a');
  await delay(500);
  await query.terminate(9400);
  expect(errorOf(await asked)).toEqual([503, 'INSTANCE_STOPPING']);
  expect(query.lines().map(({ event }) => event)).not.toContain('stopped_late');
});

it('SIGTERM in a warming run: no new job starts, the running one is left to the next run, and the report is sent', async () => {
  function post(connection: RawConnection): Promise<RawAnswer> {
    void connection.send('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n');
    return connection.answer();
  }

  const warm = await start('warm', { WARM_CONCURRENCY: '1' });
  const { proxy, firestore, callsOf } = warm;
  const past = new ControlledClock(new Date(Date.now() - 200_000).toISOString());
  const seeder = createTestService({ clock: past, firestore, bigQueryUrl: stub.url });
  for (const interval of ['5min', '15min', '1hr', '1day', '7day']) {
    expect((await seeder.ask(`tasks.run-stats?project=a&interval=${interval}`)).status).toBe(200);
  }
  const [first, second] = [await warm.open(), await warm.open()];
  proxy.fault = ({ kind, jobId }) =>
    kind === 'results' && jobId === callsOf('insert')[1] ? 'stall' : 'pass';
  const run = post(first);
  await until(() => callsOf('results').length === 2);
  const ended = warm.terminate(9400);
  await until(() => warm.lines().some(({ event }) => event === 'stopping'));
  expect(errorOf(await post(second))).toEqual([503, 'INSTANCE_STOPPING']);

  const report = await run;
  expect(report.status).toBe(200);
  const counts = { live: 5, refreshed: 1, failed: [], leftOver: 4, jobs: 2 };
  expect(JSON.parse(report.body)).toMatchObject(counts);
  await ended;
  expect(callsOf('cancel')).toEqual([]);
  const { docs } = await firestore.collection('leases').get();
  const left = docs.map((lease): unknown => lease.get('query.jobId'));
  expect(left).toEqual([callsOf('insert')[1]]);
});

it('a crash cuts the connections, without an error page of the framework', async () => {
  const query = await start('query', {
    NODE_OPTIONS: '--import=./test/support/processes/print-on-signal.ts',
    // Nobody listens there.
    FIRESTORE_EMULATOR_HOST: '127.0.0.1:9',
  });
  const connection = await query.open();
  const answer = ask(connection, 'project=a');
  // The look-up of the key is under way.
  await delay(200);
  process.kill(query.pid, 'SIGUSR2');
  await expect(answer).rejects.toThrow(/^The connection ended after: $/);
});
