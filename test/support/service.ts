// Composes `query` in this process as `functions/index.ts` does, with the real clients on emulators.
import type { Server } from 'node:http';
import type { Firestore } from '@google-cloud/firestore';
import { http } from '@google-cloud/functions-framework';
import { getTestServer } from '@google-cloud/functions-framework/testing';
import { createAuthenticator } from '../../functions/keys/authenticate.ts';
import type { Catalogue } from '../../functions/endpoints/catalogue.ts';
import type { ApiKey } from '../../functions/core/key-store.ts';
import type { Clock } from '../../functions/core/clock.ts';
import { sha256Hex } from '../../functions/core/hashes.ts';
import { type FirestoreClock, unobserved } from '../../functions/google/firestore-clock.ts';
import { createKeyRegister } from '../../scripts/keys/key-register.ts';
import { createFirestoreKeyStore } from '../../functions/google/key-store.ts';
import { createFirestoreLeaseStore } from '../../functions/google/lease-store.ts';
import { createFirestoreResultStore } from '../../functions/google/result-store.ts';
import { storeDeadlines } from '../../functions/core/store-deadlines.ts';
import { createQuery } from '../../functions/query.ts';
import { createReadThrough } from '../../functions/results/read-through.ts';
import { TEST_CONFIG } from './config.ts';
import { FakeLog } from './fake-log.ts';
import { createLocalQueryRunner } from './local-query-runner.ts';
import { testCatalogue } from './test-sql.ts';

export const API_KEY = 'sqk_test-key-that-opens-everything-00000000000000';

export interface TestServiceOptions {
  clock: Clock;
  /** `clock` by default, so that a test controls freshness and leases too. */
  storeClock?: FirestoreClock;
  firestore: Firestore;
  bigQueryUrl: string;
  catalogue?: Catalogue;
  memoryCacheSeconds?: number;
  keyCacheSeconds?: number;
  queryTimeoutSeconds?: number;
  leaseSeconds?: number;
  storeTimeoutMs?: number;
  corsOrigins?: string[];
}

export interface TestService {
  server: Server;
  log: FakeLog;
}

let instanceCount = 0;

/** One instance with its own memory and flights; the instances share Firestore. */
export function createTestService(options: TestServiceOptions): TestService {
  const { clock, firestore, storeClock = clock } = options;
  const config = { ...TEST_CONFIG, ...options };
  const { observe = unobserved } = options.storeClock ?? {};
  const inTime = storeDeadlines(clock, config.storeTimeoutMs);
  const log = new FakeLog();
  const name = `query-${(instanceCount += 1)}`;
  http(
    name,
    createQuery({
      ...config,
      authenticate: createAuthenticator({
        ...config,
        keyStore: inTime.keys(createFirestoreKeyStore(firestore, observe)),
        storeClock,
      }),
      catalogue: options.catalogue ?? testCatalogue(),
      readThrough: createReadThrough({
        collectGarbage: () => undefined,
        ...config,
        resultStore: inTime.results(
          createFirestoreResultStore(firestore, observe, () => storeClock.nowMs()),
        ),
        leaseStore: inTime.leases(createFirestoreLeaseStore(firestore, observe)),
        queryRunner: createLocalQueryRunner(options.bigQueryUrl, clock),
        storeClock,
        log,
      }),
      storeClock,
      log,
    }),
  );
  return { server: getTestServer(name), log };
}

/** Puts a key into the store of a service. */
export async function storeKey(
  firestore: Firestore,
  apiKey: string = API_KEY,
  key: Partial<ApiKey> = {},
): Promise<void> {
  await createKeyRegister(firestore).set(sha256Hex(apiKey), {
    name: 'test',
    endpoints: ['*'],
    ...key,
  });
}
