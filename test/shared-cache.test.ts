// What holds across instances that share one Firestore, with the real clients and a real emulator.
import type { Server } from 'node:http';
import type { Firestore } from '@google-cloud/firestore';
import request, { type Response } from 'supertest';
import { type LocalBigQuery, createLocalBigQuery } from '../scripts/local/bigquery/server.ts';
import { type GoogleSql, startGoogleSql } from '../scripts/local/googlesql/engine.ts';
import { readLogSources } from '../scripts/local/logs/log-sources.ts';
import { ControlledClock } from './support/controlled-clock.ts';
import { connectFirestore } from './support/firestore-emulators.ts';
import { type FirestoreProxy, startFirestoreProxy } from './support/firestore-proxy.ts';
import {
  API_KEY,
  createTestService,
  storeKey,
  type TestServiceOptions,
} from './support/service.ts';

const NOW = '2026-11-20T10:00:00Z';
let engine: GoogleSql;
let bigquery: LocalBigQuery;
let jobCount = 0;
let beforeRun: () => Promise<void>;

beforeAll(async () => {
  engine = await startGoogleSql();
  const tables = (await readLogSources('sql/sources')).map((source) => ({ ...source, rows: [] }));
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
    .get(`/api/endpoints/query/usage.api-counts?${parameters}`)
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
  }, 30_000);

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
  }, 30_000);

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
      storeTimeoutMs: 300,
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
  }, 30_000);
});
