// Composes `query` and `warm` in this process as `functions/index.ts` does, with the real clients on emulators.
import type { Firestore } from '@google-cloud/firestore';
import { type HttpFunction, http } from '@google-cloud/functions-framework';
import { getTestServer } from '@google-cloud/functions-framework/testing';
import request, { type Test } from 'supertest';
import { createAuthenticator } from '../../../functions/keys/authenticate.ts';
import * as verifyToken from '../../../functions/keys/verify-token.ts';
import { createKeyLimits } from '../../../functions/keys/limits.ts';
import type { Catalogue } from '../../../functions/endpoints/catalogue.ts';
import type { ApiKey } from '../../../functions/core/key-store.ts';
import type { Clock } from '../../../functions/core/clock.ts';
import { sha256Hex } from '../../../functions/core/hashes.ts';
import { createKeyRegister } from '../../../scripts/keys/key-register.ts';
import { createFirestoreKeyStore } from '../../../functions/google/key-store.ts';
import { createFirestoreLeaseStore } from '../../../functions/google/lease-store.ts';
import { createFirestoreRefreshStore } from '../../../functions/google/refresh-store.ts';
import { createFirestoreResultStore } from '../../../functions/google/result-store.ts';
import { createBigQueryRest } from '../../../functions/google/bigquery-rest.ts';
import { createDescribeTable } from '../../../functions/google/table-metadata.ts';
import { storeDeadlines } from '../../../functions/core/store-deadlines.ts';
import { createQuery } from '../../../functions/query.ts';
import { createReadThrough } from '../../../functions/results/read-through.ts';
import { createRefresher } from '../../../functions/results/refresh-entries.ts';
import { createWarm } from '../../../functions/warm.ts';
import { createAsk } from '../../../functions/warming/question.ts';
import { TEST_CONFIG } from './config.ts';
import { FakeLog } from '../fakes/fake-log.ts';
import { projectOf, testFirestore } from './firestore-emulators.ts';
import {
  createLocalBigQueryClient,
  createLocalQueryRunner,
} from '../bigquery/local-query-runner.ts';
import { testCatalogue } from '../sql/test-sql.ts';

export const API_KEY = 'sqk_test-key-that-opens-everything-00000000000000';

export interface TestServiceOptions extends Partial<
  Omit<typeof TEST_CONFIG, 'catalogue' | 'sourceTables'>
> {
  clock: Clock;
  firestore: Firestore;
  bigQueryUrl: string;
  catalogue?: Catalogue;
  sourceTables?: ReadonlyMap<string, string>;
}

export type TestService = ReturnType<typeof serve>;

let instanceCount = 0;

function compose(options: TestServiceOptions) {
  const { clock, firestore } = options;
  const config = { ...TEST_CONFIG, project: projectOf(firestore), ...options };
  const inTime = storeDeadlines(clock, config.storeTimeoutMs);
  const resultStore = createFirestoreResultStore(firestore, () => clock.nowMs());
  return {
    ...config,
    catalogue: options.catalogue ?? testCatalogue(),
    keyStore: inTime.keys(createFirestoreKeyStore(firestore)),
    resultStore: inTime.results(resultStore),
    refreshStore: inTime.refreshes(createFirestoreRefreshStore(firestore)),
    leaseStore: inTime.leases(createFirestoreLeaseStore(firestore)),
    queryRunner: createLocalQueryRunner(options.bigQueryUrl, clock),
    collectGarbage: () => undefined,
    log: new FakeLog(),
  };
}

function serve(handler: HttpFunction, log: FakeLog) {
  const name = `service-${(instanceCount += 1)}`;
  http(name, handler);
  const server = getTestServer(name);
  return {
    server,
    log,
    /** Asks an endpoint with a key. */
    ask: (call: string, apiKey = API_KEY): Test =>
      request(server).get(`/api/endpoints/query/${call}`).set('X-API-KEY', apiKey),
  };
}

/** One instance of `query` with its own memory and flights; the instances share Firestore. */
export function createTestService(options: TestServiceOptions): TestService {
  const config = { ...compose(options), keyLimits: createKeyLimits(options.clock) };
  const authenticate = createAuthenticator({
    ...config,
    loadVerify: () => Promise.resolve(verifyToken),
  });
  const readThrough = createReadThrough(config);
  return serve(createQuery({ ...config, authenticate, readThrough }), config.log);
}

/** One instance of `warm`. */
export function createTestWarm(options: TestServiceOptions): TestService {
  const config = compose(options);
  const call = createBigQueryRest(createLocalBigQueryClient(options.bigQueryUrl));
  const ask = createAsk({ ...config, describeTable: createDescribeTable(call, options.clock) });
  return serve(createWarm({ ...config, refresher: createRefresher(config), ask }), config.log);
}

/** A Firestore for a test, with which it ends; `API_KEY` opens every endpoint. */
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
