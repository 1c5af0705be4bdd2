// The service in this process, composed as functions/index.ts does it. A test chooses where it keeps its results, and its BigQuery:
// `createQueryServer` and `createWarmServer` have stores in memory and a runner that the test scripts, `createTestService` and
// `createTestWarm` have the real clients, an emulator of Firestore and the local BigQuery or a stub.
import type { Firestore } from '@google-cloud/firestore';
import { type HttpFunction, http } from '@google-cloud/functions-framework';
import { getTestServer } from '@google-cloud/functions-framework/testing';
import request, { type Test } from 'supertest';
import type { Clock } from '../../functions/core/clock.ts';
import { sha256Hex } from '../../functions/core/bytes.ts';
import type { ApiKey } from '../../functions/core/key-store.ts';
import type { QueryRunner } from '../../functions/core/query-runner.ts';
import type { Entry, RefreshStore } from '../../functions/core/result-store.ts';
import { storeDeadlines } from '../../functions/core/store-deadlines.ts';
import type { Catalogue } from '../../functions/endpoints/catalogue.ts';
import type { Endpoint } from '../../functions/endpoints/endpoint.ts';
import { createBigQueryRest, createDescribeTable } from '../../functions/bigquery/rest.ts';
import { createFirestoreKeyStore } from '../../functions/firestore/key-store.ts';
import { createFirestoreLeaseStore } from '../../functions/firestore/lease-store.ts';
import { createFirestoreRefreshStore } from '../../functions/firestore/refresh-store.ts';
import { createFirestoreResultStore } from '../../functions/firestore/result-store.ts';
import type { Document } from '../../functions/http/describe-endpoints.ts';
import { createAuthenticator } from '../../functions/keys/authenticate.ts';
import { createKeyLimits } from '../../functions/keys/limits.ts';
import * as verifyToken from '../../functions/keys/verify-token.ts';
import { createQuery } from '../../functions/query.ts';
import { cacheKey } from '../../functions/cache/cache-key.ts';
import { type ReadThrough, createReadThrough } from '../../functions/cache/read-through.ts';
import { createWarm } from '../../functions/warm.ts';
import { type Ask, createAsk } from '../../functions/warming/ask-tables.ts';
import { createKeyRegister } from '../../scripts/keys/key-register.ts';
import {
  createLocalBigQueryClient,
  createLocalQueryRunner,
} from './bigquery/local-query-runner.ts';
import { FakeClock } from './clock.ts';
import { FakeKeyStore } from './fakes/fake-key-store.ts';
import { FakeLeaseStore } from './fakes/fake-lease-store.ts';
import { FakeLog } from './fakes/fake-log.ts';
import { FakeQueryRunner } from './fakes/fake-query-runner.ts';
import { FakeRefreshStore, FakeResultStore } from './fakes/fake-result-store.ts';
import { TEST_CONFIG } from './service/config.ts';
import { projectOf, testFirestore } from './service/firestore-emulators.ts';
import { testCatalogue } from './sql/test-sql.ts';

/** Opens every endpoint that need not be named. */
export const API_KEY = 'sqk_test-key-that-opens-everything-00000000000000';

export type QueryServer = ReturnType<typeof createQueryServer>;
export type WarmServer = ReturnType<typeof createWarmServer>;
export type TestService = ReturnType<typeof createTestService>;

/** Settings in place of their defaults, and the saved queries in place of `test/sql`. */
interface Settings extends Partial<
  Omit<typeof TEST_CONFIG, 'catalogue' | 'console' | 'sourceTables'>
> {
  catalogue?: Catalogue;
  sourceTables?: ReadonlyMap<string, string>;
}

/** What an instance has for itself, and with others. */
interface Parts {
  clock: Clock;
  keyStore: Pick<FakeKeyStore, 'get'>;
  resultStore: Parameters<ReturnType<typeof storeDeadlines>['results']>[0];
  refreshStore: RefreshStore;
  leaseStore: Parameters<ReturnType<typeof storeDeadlines>['leases']>[0];
  queryRunner: QueryRunner;
}

function compose(settings: Settings, parts: Parts) {
  const config = { ...TEST_CONFIG, ...settings };
  const { clock, keyStore, resultStore, refreshStore, leaseStore, queryRunner } = parts;
  const inTime = storeDeadlines(clock, config.storeTimeoutMs);
  return {
    ...config,
    ...{ clock, queryRunner, log: new FakeLog() },
    catalogue: settings.catalogue ?? testCatalogue(),
    keyStore: inTime.calls(keyStore),
    resultStore: inTime.results(resultStore),
    refreshStore: inTime.calls(refreshStore),
    leaseStore: inTime.leases(leaseStore),
    keyLimits: createKeyLimits(clock),
    collectGarbage: () => undefined,
  };
}

type Config = ReturnType<typeof compose>;

let functionCount = 0;

function serve(handler: HttpFunction) {
  const name = `function-${(functionCount += 1)}`;
  http(name, handler);
  return getTestServer(name);
}

function serveQuery(config: Config, given: { readThrough?: ReadThrough; console?: Document } = {}) {
  const { readThrough = createReadThrough(config), console: consolePage } = given;
  let verified = 0;
  const loadVerify = () =>
    Promise.resolve({
      ...verifyToken,
      claimsOf: (...call: Parameters<typeof verifyToken.claimsOf>) => {
        verified += 1;
        return verifyToken.claimsOf(...call);
      },
    });
  const authenticate = createAuthenticator({ ...config, loadVerify });
  const loadMcp = async () => {
    const { createAnswerMessage } = await import('../../functions/mcp/answer-message.ts');
    return createAnswerMessage(config);
  };
  const ways = { consolePage, loadMcp: config.mcp === 'on' ? loadMcp : undefined };
  const server = serve(createQuery({ ...config, authenticate, readThrough, ...ways }));
  /** Asks with a key. */
  const get = (path: string, apiKey = API_KEY): Test =>
    request(server).get(path).set('X-API-KEY', apiKey);
  return {
    ...{ server, get, log: config.log },
    /** How many signatures of tokens were verified. */
    verified: () => verified,
    /** Asks an endpoint with a key: `ask('tasks.run-stats?project=a')`. The rows are in `body.result`. */
    ask: (call: string, apiKey?: string): Test => get(`/api/endpoints/query/${call}`, apiKey),
    /** The parameters that an answer with 400 calls faulty. */
    violationsOf: async (path: string): Promise<Violation[]> => {
      const answer = await get(path);
      const { details } = (answer.body as { error: { details: Record<string, unknown>[] } }).error;
      expect([answer.status, details[0]?.reason]).toEqual([400, 'INVALID_PARAMETERS']);
      return details[1]?.fieldViolations as Violation[];
    },
  };
}

type Violation = { field: string; description: string };

const serveWarm = (config: Config, ask: Ask) => serve(createWarm({ ...config, ask }));

interface MovableClock extends Clock {
  advance(ms: number): void;
}

function createFakes<C extends MovableClock>(clock: C) {
  const resultStore = new FakeResultStore();
  return {
    clock,
    keyStore: new FakeKeyStore(),
    resultStore,
    refreshStore: new FakeRefreshStore(resultStore),
    leaseStore: new FakeLeaseStore(),
    queryRunner: new FakeQueryRunner(),
  };
}

const newClock = () => new FakeClock('2026-11-20T10:00:00Z');

/** An instance of `query`; the parts may be shared by several. */
export function createQueryServer(
  options: Settings & {
    shared?: ReturnType<typeof createFakes<FakeClock>>;
    clock?: FakeClock;
    console?: Document;
    /** In place of the fake. */
    queryRunner?: QueryRunner;
    readThrough?: ReadThrough;
  } = {},
) {
  const fakes = options.shared ?? createFakes(options.clock ?? newClock());
  fakes.keyStore.add(API_KEY, { name: 'dashboard' });
  const { queryRunner = fakes.queryRunner } = options;
  return { ...fakes, ...serveQuery(compose(options, { ...fakes, queryRunner }), options) };
}

/** An instance of `warm`. */
export function createWarmServer(
  options: Settings & {
    /** Those of `query`, if both are tested. */
    resultStore?: FakeResultStore;
    refreshStore?: FakeRefreshStore;
    clock?: MovableClock;
    /** In place of the fake. */
    queryRunner?: QueryRunner;
    /** Without it nothing is known of the tables. */
    ask?: Ask;
  } = {},
) {
  const made = createFakes(options.clock ?? newClock());
  const { resultStore = made.resultStore } = options;
  const { refreshStore = new FakeRefreshStore(resultStore) } = options;
  const { ask = () => Promise.resolve({ states: undefined, jobs: 0, bytes: 0 }) } = options;
  const fakes = { ...made, resultStore, refreshStore };
  const config = compose(options, {
    ...fakes,
    queryRunner: options.queryRunner ?? made.queryRunner,
  });
  const { catalogue, clock, log } = { ...config, ...fakes };
  /** Puts an entry of an endpoint into the store; returns its cache key. */
  const addEntry = (
    endpointName: string,
    parameters: Record<string, string>,
    fields: Partial<Entry> = {},
  ): string => {
    const endpoint = catalogue.resolve(endpointName);
    if (endpoint === undefined) throw new Error(`There is no ${endpointName}.`);
    const { resultDigest = endpoint.resultDigest } = fields;
    const key = cacheKey(config, { ...endpoint, resultDigest }, parameters);
    const entry = liveEntry(endpoint, parameters, 'dashboard', clock.nowMs(), fields.lastReadAtMs);
    resultStore.entries.set(key, { ...entry, ...fields });
    return key;
  };
  return { ...fakes, server: serveWarm(config, ask), catalogue, log, addEntry };
}

/** What the previous run computed, and a key has read since then. */
export function liveEntry(
  endpoint: Endpoint,
  parameters: Entry['parameters'],
  keyName: string,
  nowMs: number,
  lastReadAtMs: number = nowMs - 60_000,
): Entry {
  return {
    endpointId: endpoint.id,
    endpoint: endpoint.name,
    resultDigest: endpoint.resultDigest,
    parameters,
    ...{ body: Buffer.from('old'), bodyBytes: 3, etag: 'old', rowCount: 0, truncated: false },
    computedAtMs: nowMs - 300_000,
    freshUntilMs: nowMs + 600_000,
    lastReadAtMs,
    readers: [{ keyName, readAtMs: lastReadAtMs }],
    ...{ jobId: 'old', bytesProcessed: 0 },
  };
}

export interface TestServiceOptions extends Settings {
  clock: Clock;
  firestore: Firestore;
  bigQueryUrl: string;
}

function composeReal(options: TestServiceOptions): Config {
  const { clock, firestore, bigQueryUrl } = options;
  const parts = {
    clock,
    keyStore: createFirestoreKeyStore(firestore),
    resultStore: createFirestoreResultStore(firestore, () => clock.nowMs()),
    refreshStore: createFirestoreRefreshStore(firestore),
    leaseStore: createFirestoreLeaseStore(firestore),
    queryRunner: createLocalQueryRunner(bigQueryUrl, clock),
  };
  return compose({ project: projectOf(firestore), ...options }, parts);
}

/** One instance of `query` with its own memory and flights; the instances share Firestore. */
export const createTestService = (options: TestServiceOptions) => serveQuery(composeReal(options));

/** One instance of `warm`. */
export function createTestWarm(options: TestServiceOptions) {
  const config = composeReal(options);
  const call = createBigQueryRest(createLocalBigQueryClient(options.bigQueryUrl));
  const describeTable = createDescribeTable(call, options.clock);
  return { server: serveWarm(config, createAsk({ ...config, describeTable })), log: config.log };
}

/** A Firestore for a test, with which it ends; it has `API_KEY`. */
export async function firestoreWithKey(): Promise<Firestore> {
  const firestore = testFirestore();
  await storeKey(firestore);
  return firestore;
}

/** Puts a key into the store of a service. */
export async function storeKey(
  firestore: Firestore,
  apiKey: string = API_KEY,
  key: Partial<ApiKey> = {},
): Promise<void> {
  const stored = { name: 'test', endpoints: ['*'], ...key };
  await createKeyRegister(firestore).set(sha256Hex(apiKey), stored);
}
