// What holds across instances that share one Firestore, with the real clients and a real emulator.
import type { Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Firestore } from '@google-cloud/firestore';
import request, { type Response } from 'supertest';
import { loadCatalogue } from '../../functions/endpoints/catalogue.ts';
import type { Clock } from '../../functions/core/clock.ts';
import { createFirestoreClock } from '../../functions/google/firestore-clock.ts';
import { type LocalBigQuery, createLocalBigQuery } from '../../scripts/local/bigquery/server.ts';
import { type GoogleSql, startGoogleSql } from '../../scripts/local/googlesql/engine.ts';
import { readSources } from '../../scripts/sources/read-sources.ts';
import { ControlledClock } from '../support/controlled-clock.ts';
import { connectFirestore } from '../support/firestore-emulators.ts';
import { type FirestoreProxy, startFirestoreProxy } from '../support/firestore-proxy.ts';
import {
  API_KEY,
  createTestService,
  storeKey,
  type TestServiceOptions,
} from '../support/service.ts';
import { TEST_SQL } from '../support/test-sql.ts';

const NOW = '2026-11-20T10:00:00Z';
let engine: GoogleSql;
let bigquery: LocalBigQuery;
let jobCount = 0;
let beforeRun: () => Promise<void>;

beforeAll(async () => {
  engine = await startGoogleSql();
  const tables = (await readSources(`${TEST_SQL}/sources`)).map((source) => ({
    ...source,
    rows: [],
  }));
  bigquery = await createLocalBigQuery({
    engine,
    tables,
    clock: new ControlledClock(NOW),
    beforeRun: async () => {
      jobCount += 1;
      await beforeRun();
    },
  });
});

beforeEach(() => {
  jobCount = 0;
  beforeRun = () => Promise.resolve();
});

afterAll(async () => {
  await bigquery.close();
  await engine.close();
});

function ask(server: Server, parameters = 'project=a&interval=hourly'): request.Test {
  return request(server)
    .get(`/api/endpoints/query/web.visit-counts?${parameters}`)
    .set('X-API-KEY', API_KEY);
}

describe('two instances', () => {
  let firestore: Firestore;
  const createInstance = (options: Partial<TestServiceOptions> = {}): Server => {
    const { server } = createTestService({
      clock: new ControlledClock(NOW),
      firestore,
      bigQueryUrl: bigquery.url,
      ...options,
    });
    return server.listen(0);
  };
  const servers: Server[] = [];

  beforeEach(async () => {
    firestore = connectFirestore(process.env.FIRESTORE_EMULATOR_HOST ?? '');
    await storeKey(firestore);
    servers.push(createInstance(), createInstance());
  });

  afterEach(async () => {
    for (const server of servers.splice(0)) server.close();
    await firestore.terminate();
  });

  it('run one BigQuery job for 200 concurrent first requests', async () => {
    // Long enough for every request to arrive while the query runs.
    beforeRun = () => new Promise((resolve) => setTimeout(resolve, 1500));
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) => ask(servers[index % 2] as Server)),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array<number>(200).fill(200));
    expect(jobCount).toBe(1);
    const outcomes = answers.map(({ headers }: Response) => String(headers['cache-status']));
    expect(outcomes.filter((outcome) => outcome.includes('stored'))).toHaveLength(1);
  });

  it('give the failure of the one query to those who wait at the other', async () => {
    let fail: (() => void) | undefined;
    beforeRun = () =>
      new Promise((_, reject) => {
        fail = () => reject(new Error('the engine stopped'));
      });
    const [first, second] = servers as [Server, Server];
    const holder = ask(first).then((answer) => answer);
    while (fail === undefined) await new Promise((resolve) => setTimeout(resolve, 20));
    const waiter = ask(second).then((answer) => answer);
    await new Promise((resolve) => setTimeout(resolve, 500));
    beforeRun = () => Promise.reject(new Error('the engine stopped'));
    fail();
    const answers = await Promise.all([holder, waiter]);
    expect(answers.map(({ status }) => status)).toEqual([503, 503]);
    const jobsOfHolder = jobCount;
    beforeRun = () => Promise.resolve();
    expect((await ask(second)).status).toBe(200);
    expect(jobCount).toBe(jobsOfHolder + 1);
  });

  it('serve what the other computed', async () => {
    const [first, second] = servers as [Server, Server];
    const computed = await ask(first);
    const read = await ask(second);
    expect(read.headers['cache-status']).toBe('saved-queries; hit; ttl=900');
    expect(read.text).toBe(computed.text);
    expect(read.headers.etag).toBe(computed.headers.etag);
    expect(jobCount).toBe(1);
  });
});

describe('two instances with clocks 120 s apart', () => {
  /** Short, so that a test can wait for its end. */
  const CACHING_MS = 2000;
  let firestore: Firestore;
  const servers: Server[] = [];

  beforeEach(async () => {
    firestore = connectFirestore(process.env.FIRESTORE_EMULATOR_HOST ?? '');
    await storeKey(firestore);
  });

  afterEach(async () => {
    for (const server of servers.splice(0)) server.close();
    await firestore.terminate();
  });

  /** With an own clock that is wrong by so much, and Firestore's from its answers. */
  function createInstance(offMs: number, cachingMs: number): Server {
    const clock: Clock = {
      nowMs: () => Date.now() + offMs,
      wait: (ms, signal) => delay(ms, undefined, { signal, ref: false }).catch(() => undefined),
    };
    const catalogue = loadCatalogue(TEST_SQL);
    const { server } = createTestService({
      clock,
      storeClock: createFirestoreClock(clock),
      firestore,
      bigQueryUrl: bigquery.url,
      memoryCacheSeconds: 1,
      leaseSeconds: 1,
      catalogue: {
        ...catalogue,
        resolve: (name) => {
          const endpoint = catalogue.resolve(name);
          return endpoint && { ...endpoint, cachingSeconds: cachingMs / 1000 };
        },
      },
    });
    servers.push(server.listen(0));
    return server;
  }

  it.each([
    [0, 120_000],
    [120_000, 0],
  ])(
    'serve rows of each other to their last second, and none that are older (%d, %d ms)',
    async (one, other) => {
      const [first, second] = [createInstance(one, CACHING_MS), createInstance(other, CACHING_MS)];
      // The other knows the key, and from its look-up on what time it is.
      expect((await ask(second, 'project=b&interval=hourly')).status).toBe(200);
      const startedMs = Date.now();
      expect((await ask(first)).headers['cache-status']).toContain('fwd=uri-miss; stored');
      const storedMs = Date.now();
      let hits = 0;
      for (;;) {
        const sentMs = Date.now();
        const answer = await ask(second);
        expect(answer.status).toBe(200);
        if (!String(answer.headers['cache-status']).includes('; hit')) {
          // A fresh entry is nobody's to compute anew; half a second is for what a call takes.
          expect(Date.now()).toBeGreaterThan(startedMs + CACHING_MS - 500);
          break;
        }
        hits += 1;
        expect(sentMs).toBeLessThan(storedMs + CACHING_MS + 500);
        expect(Number(answer.headers.age)).toBeLessThanOrEqual(1);
        await delay(50);
      }
      expect(hits).toBeGreaterThan(0);
      expect(jobCount).toBe(3);
    },
  );

  it.each([
    [0, 120_000],
    [-120_000, 0],
  ])(
    'run one query: neither takes over the lease of the other early (%d, %d ms)',
    async (one, other) => {
      const [first, second] = [createInstance(one, 60_000), createInstance(other, 60_000)];
      for (const server of [first, second]) await ask(server, 'project=b&interval=hourly');
      const jobsBefore = jobCount;
      // Longer than a lease: it is renewed.
      beforeRun = () => delay(2500);
      const holder = ask(first).then((answer) => answer);
      while (jobCount === jobsBefore) await delay(20);
      const answers = await Promise.all([holder, ask(second)]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      expect(jobCount).toBe(jobsBefore + 1);
      expect(answers[1].headers['cache-status']).toContain('collapsed');
    },
  );
});

describe('with Firestore down', () => {
  let proxy: FirestoreProxy;
  let firestore: Firestore;

  beforeEach(async () => {
    proxy = await startFirestoreProxy(process.env.FIRESTORE_EMULATOR_HOST ?? '');
    firestore = connectFirestore(proxy.host);
    await storeKey(firestore);
  });

  afterEach(async () => {
    proxy.fault = () => 'pass';
    await firestore.terminate();
    await proxy.close();
  });

  it('a key in memory still gets rows from BigQuery, and an unknown key is refused with 503', async () => {
    const { server, log } = createTestService({
      clock: new ControlledClock(NOW),
      firestore,
      bigQueryUrl: bigquery.url,
      storeTimeoutMs: 1500,
    });
    expect((await ask(server)).status).toBe(200);
    proxy.fault = () => 'unavailable';

    const answer = await ask(server, 'project=b&interval=daily');
    expect(answer.status).toBe(200);
    expect(answer.headers['cache-status']).toBe('saved-queries; fwd=uri-miss; detail=store-failed');
    expect(log.events()).toEqual(
      expect.arrayContaining(['store_read_failed', 'store_write_failed']),
    );

    const unknown = await ask(server).set('X-API-KEY', 'sqk_nobody-knows-this-key');
    expect(unknown.status).toBe(503);
    expect(unknown.body).toMatchObject({
      error: { status: 'UNAVAILABLE', details: [{ reason: 'KEY_STORE_UNAVAILABLE' }, {}] },
    });
  });
});
