// Tests of instances that share one Firestore, with the real clients and an emulator.
import type { Server } from 'node:http';
import type { Firestore } from '@google-cloud/firestore';
import request, { type Response } from 'supertest';
import { ControlledClock } from '../support/fakes/controlled-clock.ts';
import { startLocalBigQuery, tablesOf } from '../support/bigquery/local-bigquery.ts';
import {
  API_KEY,
  createTestService,
  firestoreWithKey,
  type TestServiceOptions,
} from '../support/service/service.ts';
import { TEST_SQL } from '../support/sql/test-sql.ts';
import { undo } from '../support/undo.ts';
import { until } from '../support/until.ts';

const NOW = '2026-11-20T10:00:00Z';
let jobCount = 0;
let beforeRun: () => Promise<void>;
let firestore: Firestore;

const bigquery = await startLocalBigQuery({
  tables: await tablesOf(TEST_SQL),
  clock: new ControlledClock(NOW),
  beforeRun: async () => {
    jobCount += 1;
    await beforeRun();
  },
});

beforeEach(async () => {
  jobCount = 0;
  beforeRun = () => Promise.resolve();
  firestore = await firestoreWithKey();
});

/** An instance that listens, until the test ends. */
function serve(options: Omit<TestServiceOptions, 'firestore' | 'bigQueryUrl'>): Server {
  const { server } = createTestService({ firestore, bigQueryUrl: bigquery.url, ...options });
  undo(() => server.close());
  return server.listen(0);
}

function ask(server: Server, parameters = 'project=a&interval=hourly'): request.Test {
  return request(server)
    .get(`/api/endpoints/query/web.visit-counts?${parameters}`)
    .set('X-API-KEY', API_KEY);
}

/** Notes whether an instance has begun to poll for the end of a query of another: all else waits longer. */
class PollNotingClock extends ControlledClock {
  hasPolled = false;

  override wait(ms: number, signal?: AbortSignal): Promise<void> {
    if (ms < 1000) this.hasPolled = true;
    return super.wait(ms, signal);
  }
}

describe('two instances', () => {
  // For a busy machine.
  const limits = { storeTimeoutMs: 50_000, queryTimeoutSeconds: 250 };

  it('run one BigQuery job for 200 concurrent first requests', async () => {
    const create = (): Server => serve({ clock: new ControlledClock(NOW), ...limits });
    const servers = [create(), create()];
    let arrivedCount = 0;
    for (const server of servers) server.on('request', () => (arrivedCount += 1));
    beforeRun = () => until(() => arrivedCount === 200);
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) => ask(servers[index % 2] as Server)),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array<number>(200).fill(200));
    expect(jobCount).toBe(1);
    const outcomes = answers.map(({ headers }: Response) => String(headers['cache-status']));
    expect(outcomes.filter((outcome) => outcome.includes('stored'))).toHaveLength(1);
  });

  it('pass the error of the one query on to requests that wait at the other', async () => {
    const running = Promise.withResolvers<void>();
    beforeRun = () => running.promise;
    const clocks = [new PollNotingClock(NOW), new PollNotingClock(NOW)] as const;
    // The query is tried again after pauses; time limits are not to end sooner.
    for (const clock of clocks) clock.waitFactor = 0.1;
    const [first, second] = clocks.map((clock) => serve({ clock, ...limits })) as [Server, Server];
    const holder = ask(first).then((answer) => answer);
    await until(() => jobCount === 1);
    const waiter = ask(second).then((answer) => answer);
    await until(() => clocks[1].hasPolled);
    const stopped = new Error('the engine stopped');
    beforeRun = () => Promise.reject(stopped);
    running.reject(stopped);
    const answers = await Promise.all([holder, waiter]);
    expect(answers.map(({ status }) => status)).toEqual([503, 503]);
    // The holder's job and its second attempt: the waiter has run none.
    expect(jobCount).toBe(2);
    beforeRun = () => Promise.resolve();
    expect((await ask(second)).status).toBe(200);
    expect(jobCount).toBe(3);
  });
});
