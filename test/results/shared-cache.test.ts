// Tests of instances that share one Firestore, with the real clients and an emulator.
import type { Server } from 'node:http';
import { type Firestore, Timestamp } from '@google-cloud/firestore';
import request, { type Response } from 'supertest';
import {
  type FirestoreClock,
  createFirestoreClock,
} from '../../functions/google/firestore-clock.ts';
import { AdvancingClock } from '../support/fakes/advancing-clock.ts';
import { ControlledClock } from '../support/fakes/controlled-clock.ts';
import { startLocalBigQuery, tablesOf } from '../support/bigquery/local-bigquery.ts';
import {
  API_KEY,
  createTestService,
  firestoreWithKey,
  type TestServiceOptions,
} from '../support/service/service.ts';
import { TEST_SQL, testCatalogueWith } from '../support/sql/test-sql.ts';
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

describe('two instances with clocks 120 s apart', () => {
  const CACHING_MS = 60_000;
  const LEASE_MS = 10_000;
  /** For calls, which take real time. */
  const SLACK_MS = 2000;
  let clocks: AdvancingClock[] = [];
  /** How far the test has moved the time. */
  let movedMs = 0;

  beforeEach(() => {
    clocks = [];
    movedMs = 0;
  });

  const nowMs = (): number => Date.now() + movedMs;

  /** For Firestore and all instances. */
  function advance(ms: number): void {
    movedMs += ms;
    for (const clock of clocks) clock.advance(ms);
  }

  /** Firestore's clock as an instance knows it by answers, which state the real time. */
  function createStoreClock(clock: AdvancingClock): FirestoreClock {
    const storeClock = createFirestoreClock(clock);
    const moved = (time: Timestamp): Timestamp => Timestamp.fromMillis(time.toMillis() + movedMs);
    return {
      nowMs: () => storeClock.nowMs(),
      async observe(call) {
        const answered = call();
        await storeClock.observe(async () => {
          const answer = await answered;
          return 'readTime' in answer
            ? { readTime: moved(answer.readTime) }
            : { writeTime: moved(answer.writeTime) };
        });
        return answered;
      },
    };
  }

  /** With an own clock that is wrong by so much, and Firestore's from its answers. */
  function createInstance(offMs: number, cachingMs = CACHING_MS): Server {
    const clock = new AdvancingClock(offMs);
    clocks.push(clock);
    return serve({
      clock,
      storeClock: createStoreClock(clock),
      memoryCacheSeconds: 1,
      leaseSeconds: LEASE_MS / 1000,
      // Longer than a test moves the time while a call is open.
      storeTimeoutMs: 120_000,
      queryTimeoutSeconds: 120,
      catalogue: testCatalogueWith({ cachingSeconds: cachingMs / 1000 }),
    });
  }

  it.each([
    [0, 120_000],
    [120_000, 0],
  ])(
    "serve each other's rows to their last second, and never expired ones (%d, %d ms)",
    async (one, other) => {
      const [first, second] = [createInstance(one), createInstance(other)];
      // The other knows the key, and from its look-up on what time it is.
      expect((await ask(second, 'project=b&interval=hourly')).status).toBe(200);
      const startedMs = nowMs();
      expect((await ask(first)).headers['cache-status']).toContain('fwd=uri-miss; stored');
      const storedMs = nowMs();
      let hits = 0;
      for (;;) {
        const sentMs = nowMs();
        const answer = await ask(second);
        expect(answer.status).toBe(200);
        if (!String(answer.headers['cache-status']).includes('; hit')) {
          // Nobody computes a fresh entry anew.
          expect(nowMs()).toBeGreaterThan(startedMs + CACHING_MS - SLACK_MS);
          break;
        }
        hits += 1;
        expect(sentMs).toBeLessThan(storedMs + CACHING_MS + SLACK_MS);
        expect(Number(answer.headers.age)).toBeLessThan(CACHING_MS / 1000);
        advance(700);
      }
      expect(hits).toBeGreaterThan(0);
      expect(jobCount).toBe(3);
    },
  );

  /** Of the one lease that there is. */
  async function leaseEnd(): Promise<number> {
    const { docs } = await firestore.collection('leases').get();
    return (docs[0]?.get('until') as Timestamp).toMillis();
  }

  it.each([
    [0, 120_000],
    [-120_000, 0],
  ])(
    "run one query: neither takes over the other's lease early (%d, %d ms)",
    async (one, other) => {
      // A query runs no longer than its rows may be served.
      const [first, second] = [createInstance(one, 900_000), createInstance(other, 900_000)];
      for (const server of [first, second]) await ask(server, 'project=b&interval=hourly');
      const jobsBefore = jobCount;
      const running = Promise.withResolvers<void>();
      beforeRun = () => running.promise;
      const holder = ask(first).then((answer) => answer);
      await until(() => jobCount > jobsBefore);
      const waiter = ask(second).then((answer) => answer);
      // Longer than a lease: it is renewed each time that a third of it has passed.
      for (let third = 1; third <= 8; third += 1) {
        const leaseEndsMs = await leaseEnd();
        advance(LEASE_MS / 3);
        while ((await leaseEnd()) === leaseEndsMs);
      }
      running.resolve();
      const answers = await Promise.all([holder, waiter]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      expect(jobCount).toBe(jobsBefore + 1);
      expect(answers[1].headers['cache-status']).toContain('collapsed');
    },
  );
});
