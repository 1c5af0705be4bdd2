// The service in this process, composed as functions/index.ts does it. A test chooses where it keeps its results, and its BigQuery:
// - over HTTP, with stores in memory and a runner that the test scripts: `createQueryServer()`, a second instance with
//   `createQueryServer({ shared: first })`, and warming with `createWarmServer({ shared: first })`
// - over HTTP, with the real clients, an emulator of Firestore and the local BigQuery behind a proxy: `startService()`; more instances
//   with `createTestService` and `createTestWarm`
// - without HTTP, for instances that are killed, and queries that outlive them: `createWorld()`
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Firestore } from '@google-cloud/firestore';
import { type HttpFunction, http } from '@google-cloud/functions-framework';
import { getTestServer } from '@google-cloud/functions-framework/testing';
import request, { type Test } from 'supertest';
import type { Clock } from '../../functions/core/clock.ts';
import type { ServiceError } from '../../functions/core/errors.ts';
import { sha256Hex } from '../../functions/core/bytes.ts';
import type { ApiKey } from '../../functions/core/key-store.ts';
import type { QueryRunner } from '../../functions/core/query-runner.ts';
import type { Entry, RefreshStore } from '../../functions/core/result-store.ts';
import { storeDeadlines } from '../../functions/core/store-deadlines.ts';
import type { Catalogue } from '../../functions/endpoints/catalogue.ts';
import { type Endpoint, columnsOf } from '../../functions/endpoints/endpoint.ts';
import { createBigQueryRunner } from '../../functions/bigquery/query-runner.ts';
import {
  type RestCall,
  createBigQueryRest,
  createDescribeTable,
} from '../../functions/bigquery/rest.ts';
import { createFirestoreKeyStore } from '../../functions/firestore/key-store.ts';
import { createFirestoreLeaseStore } from '../../functions/firestore/lease-store.ts';
import { createFirestoreRefreshStore } from '../../functions/firestore/refresh-store.ts';
import { createFirestoreResultStore } from '../../functions/firestore/result-store.ts';
import type { Document } from '../../functions/http/describe-endpoints.ts';
import { createAuthenticator } from '../../functions/keys/authenticate.ts';
import { createKeyLimits } from '../../functions/keys/limits.ts';
import * as verifyToken from '../../functions/keys/verify-token.ts';
import { createQuery } from '../../functions/query.ts';
import { cacheKey, resultIdentity } from '../../functions/cache/cache-key.ts';
import { createReadThrough } from '../../functions/cache/read-through.ts';
import type { Served } from '../../functions/cache/reading.ts';
import { createRunningQueries } from '../../functions/cache/running-query.ts';
import { createWarm } from '../../functions/warm.ts';
import { type Ask, createAsk } from '../../functions/warming/ask-tables.ts';
import { KEY_COLUMN } from '../../functions/warming/compute-batch.ts';
import { runWarming } from '../../functions/warming/run.ts';
import type { WarmReport } from '../../functions/warming/terms.ts';
import { createKeyRegister } from '../../scripts/keys/key-register.ts';
import { startBigQueryProxy } from './bigquery/bigquery-proxy.ts';
import { createRuns, failure } from './bigquery/bigquery-runs.ts';
import {
  createLocalBigQueryClient,
  createLocalQueryRunner,
  startLocalBigQuery,
} from './bigquery/local-bigquery.ts';
import { ControlledClock, FakeClock } from './clock.ts';
import { isCompressing } from './compression.ts';
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

function serveQuery(config: Config, consolePage?: Document) {
  const readThrough = createReadThrough(config);
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
    /**
     * Asks an endpoint with a key: `ask('tasks.run-stats?project=a')`. The rows are in `body.result`. It is sent when it is
     * awaited; `.then((answer) => answer)` sends it at once.
     */
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

function serveWarm(config: Config, ask: Ask) {
  const server = serve(createWarm({ ...config, ask }));
  const post = async (): Promise<{ status: number; report: WarmReport }> => {
    const answer = await request(server).post('/').send({});
    return { status: answer.status, report: answer.body as WarmReport };
  };
  return {
    ...{ server, log: config.log },
    /** Posts as the scheduler does. */
    post,
    /** The report of a run. Throws if it is an error. */
    run: async (): Promise<WarmReport> => {
      const { status, report } = await post();
      if (status !== 200) throw new Error(JSON.stringify(report));
      return report;
    },
  };
}

interface MovableClock extends Clock {
  advance(ms: number): void;
}

/** What instances may share: a server has them too, so that another can be given it as `shared`. */
type Fakes<C extends MovableClock> = ReturnType<typeof createFakes<C>>;

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

const NOW = '2026-11-20T10:00:00Z';
const newClock = () => new FakeClock(NOW);
/** Nothing is known of the tables. */
const UNKNOWN: Ask = () => Promise.resolve({ states: undefined, jobs: 0, bytes: 0 });

/** An instance of `query`. */
export function createQueryServer(
  options: Settings & {
    shared?: Fakes<FakeClock>;
    clock?: FakeClock;
    console?: Document;
    /** In place of the fake. */
    queryRunner?: QueryRunner;
  } = {},
) {
  const fakes = options.shared ?? createFakes(options.clock ?? newClock());
  fakes.keyStore.add(API_KEY, { name: 'dashboard' });
  const { queryRunner = fakes.queryRunner } = options;
  return { ...fakes, ...serveQuery(compose(options, { ...fakes, queryRunner }), options.console) };
}

/** An instance of `warm`. */
export function createWarmServer(
  options: Settings & {
    shared?: Fakes<MovableClock>;
    clock?: MovableClock;
    /** In place of the fake. */
    queryRunner?: QueryRunner;
    /** Without it nothing is known of the tables. */
    ask?: Ask;
  } = {},
) {
  const fakes = options.shared ?? createFakes(options.clock ?? newClock());
  const { queryRunner = fakes.queryRunner, ask = UNKNOWN } = options;
  const config = compose(options, { ...fakes, queryRunner });
  const { catalogue, clock, resultStore } = { ...config, ...fakes };
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
  return { ...fakes, ...serveWarm(config, ask), catalogue, addEntry };
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
  return serveWarm(config, createAsk({ ...config, describeTable }));
}

type LocalOptions = Pick<Parameters<typeof startLocalBigQuery>[0], 'tables' | 'bytesMax'>;

/**
 * An instance of both functions with the real clients, a Firestore and a local BigQuery of their own. The time stands still unless
 * another clock is given; `bigQueryClock` is for what queries take for now.
 */
export async function startService<C extends Clock = ControlledClock>(
  given: Settings &
    LocalOptions & {
      /** Called before a job reads rows. */
      beforeRun?: (() => Promise<void>) | undefined;
      clock?: C;
      bigQueryClock?: Pick<Clock, 'nowMs'>;
    },
) {
  const { tables, beforeRun, bytesMax, bigQueryClock, ...settings } = given;
  const clock = given.clock ?? (new ControlledClock(NOW) as Clock as C);
  const local = { tables, ...(beforeRun && { beforeRun }), ...(bytesMax && { bytesMax }) };
  const bigquery = await startLocalBigQuery({ ...local, clock: bigQueryClock ?? clock });
  const proxy = await startBigQueryProxy(bigquery.url);
  const firestore = await firestoreWithKey();
  const options = { ...settings, clock, firestore, bigQueryUrl: proxy.url };
  return {
    ...{ clock, bigquery, proxy, firestore, options },
    ...createTestService(options),
    warm: createTestWarm(options),
  };
}

type Outcome = { served: Served } | { error: unknown };

export type World = ReturnType<typeof createWorld>;
export type Instance = ReturnType<World['createInstance']>;

/** The endpoint of a `World`, and the time that a request has. */
export const STATS = testCatalogue().resolve('tasks.run-stats') as Endpoint;
export const DEADLINE_MS = 25_000;

/** Instances of both functions that share stores and a BigQuery, on a clock that moves only when it is asked to. */
export function createWorld() {
  const clock = newClock();
  const { keyStore, resultStore, refreshStore, leaseStore } = createFakes(clock);
  const behaves = {
    /** How long the queries take that are started from now on; null for ever. */
    queryMs: 300 as number | null,
    /** How long each answer is on its way. */
    answerMs: 0,
    /** Whether each job is refused. */
    isFull: false,
  };
  const columns = columnsOf(STATS);
  // A row for each key, with the start of the query, the first character of the project, and which query it is.
  const runs = createRuns({
    clock,
    callMs: (way) => (way === 'there' ? 0 : behaves.answerMs),
    refuse: () => (behaves.isFull ? failure(403, 'quotaExceeded') : undefined),
    plan: () => ({ ms: behaves.queryMs, error: null }),
    columnsOf: ({ keys }) => (keys ? [KEY_COLUMN, ...columns] : columns),
    rowCountOf: ({ keys }) => keys?.length ?? 1,
    rowOf: ({ keys, parameters, startedMs, sql }, index) => {
      const { key, project = '' } = keys?.[index] ?? parameters;
      const cells = [startedMs * 1000, project.charCodeAt(0), 1, sql.length];
      return { f: [...(keys ? [key] : []), ...cells].map((v) => ({ v: String(v) })) };
    },
    bytes: 10 * 1024 * 1024,
    billsFailures: true,
  });
  return {
    ...{ clock, resultStore, refreshStore, leaseStore, createInstance, advance, settled },
    bigquery: { ...runs, behaves },
  };

  /** Nothing that has died goes on. */
  function createInstance() {
    let isDead = false;
    const alive = <T>(value: T): T | Promise<never> =>
      isDead ? new Promise<never>(() => undefined) : value;
    const living = <S extends object>(store: S): S =>
      new Proxy(store, {
        get: (target, name) => {
          const member: unknown = Reflect.get(target, name);
          if (typeof member !== 'function') return member;
          return (...asked: unknown[]): unknown => {
            if (isDead) return new Promise(() => undefined);
            const called: unknown = member.apply(target, asked);
            if (!(called instanceof Promise)) return called;
            return called.then((got: unknown) =>
              alive(name === 'acquire' && got !== undefined ? living(got as object) : got),
            );
          };
        },
      });
    const own: Clock = {
      nowMs: () => clock.nowMs(),
      wait: (ms, signal) => clock.wait(ms, signal).then(() => alive(undefined)),
    };
    const call: RestCall = (...args) =>
      isDead
        ? new Promise(() => undefined)
        : runs.call(...args).then(alive, async (error: unknown) => {
            await alive(undefined);
            throw error;
          });
    const stop = new AbortController();
    const shutdown = { isStopping: () => stop.signal.aborted, signal: stop.signal };
    const settings = { memoryCacheSeconds: 0, storeTimeoutMs: 60_000 };
    const deps = compose(settings, {
      ...{ keyStore, clock: own, leaseStore: living(leaseStore) },
      ...{ resultStore: living(resultStore), refreshStore: living(refreshStore) },
      queryRunner: createBigQueryRunner({ ...TEST_CONFIG, call, clock: own, shutdown }),
    });
    const readThrough = createReadThrough(deps);
    const runningQueries = createRunningQueries(deps);
    return {
      kill: () => (isDead = true),
      stop: () => stop.abort(),
      async ask(endpoint = STATS, asked: Asked = {}): Promise<Outcome> {
        const { project = 'a', waitMs = DEADLINE_MS, keyName = 'dashboard', bytesPerDay } = asked;
        const parameters = { project, function_id: '', interval: '1day' };
        const identity = resultIdentity(TEST_CONFIG, endpoint, parameters);
        const bound = { name: keyName, digest: keyName, bytesPerDay };
        const key = { ...bound, endpoints: ['*'], parameters: {} };
        const deadlineMs = clock.nowMs() + waitMs;
        try {
          return { served: await readThrough({ endpoint, parameters, identity, key, deadlineMs }) };
        } catch (error) {
          return { error };
        }
      },
      async warm(endpoints: readonly Endpoint[] = [STATS]): Promise<WarmReport> {
        await runningQueries.settleDebts();
        const run = { ...deps, runningQueries, ask: UNKNOWN, catalogue: { endpoints } };
        return runWarming(run, refreshStore.demands, () => isDead);
      },
    };
  }

  /** In seconds, one after the other, because each may be the time of a lease, a poll or a deadline. */
  async function advance(seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second += 1) {
      clock.advance(1000);
      await settle();
    }
    if (seconds === 0) await settle();
  }

  /** Until nothing goes on without time. */
  async function settle(): Promise<void> {
    for (let turn = 0; turn < 8; turn = isCompressing() ? 0 : turn + 1) await nextTurn();
  }

  /** The outcome of a promise, while the time goes on, for up to 400 s. */
  async function settled<T>(promise: Promise<T>): Promise<T> {
    let isSettled = false;
    void promise.finally(() => (isSettled = true)).catch(() => undefined);
    await advance(0);
    for (let second = 0; second < 400 && !isSettled; second += 1) await advance(1);
    return isSettled
      ? promise
      : Promise.reject(new Error('The promise is not settled after 400 s of the clock.'));
  }
}

/** Of a key without a bound, unless it has one. */
interface Asked {
  project?: string;
  keyName?: string;
  bytesPerDay?: number;
  waitMs?: number;
}

/** The `outcome` of `Served`, such as `hit` or `miss`, or the reason of an error. */
export const outcomeOf = (outcome: Outcome): string =>
  'served' in outcome ? outcome.served.outcome : (outcome.error as ServiceError).reason;

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
