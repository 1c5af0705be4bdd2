// Composes `warm` in this process as `functions/index.ts` does, with the real clients on emulators.
import type { Server } from 'node:http';
import type { Firestore } from '@google-cloud/firestore';
import { http } from '@google-cloud/functions-framework';
import { getTestServer } from '@google-cloud/functions-framework/testing';
import type { Catalogue } from '../../functions/endpoints/catalogue.ts';
import type { Clock } from '../../functions/core/clock.ts';
import { type FirestoreClock, unobserved } from '../../functions/google/firestore-clock.ts';
import { createFirestoreLeaseStore } from '../../functions/google/lease-store.ts';
import { createFirestoreResultStore } from '../../functions/google/result-store.ts';
import { createRefresher } from '../../functions/results/refresh-entries.ts';
import { storeDeadlines } from '../../functions/core/store-deadlines.ts';
import { createWarm } from '../../functions/warm.ts';
import { TEST_CONFIG } from './config.ts';
import { FakeLog } from './fake-log.ts';
import { createLocalQueryRunner } from './local-query-runner.ts';
import { testCatalogue } from './test-sql.ts';

interface TestWarmOptions {
  clock: Clock;
  /** `clock` by default. */
  storeClock?: FirestoreClock;
  firestore: Firestore;
  bigQueryUrl: string;
  catalogue?: Catalogue;
  leaseSeconds?: number;
  storeTimeoutMs?: number;
}

let instanceCount = 0;

export function createTestWarm(options: TestWarmOptions): { server: Server; log: FakeLog } {
  const { clock, firestore, storeClock = clock } = options;
  const { observe = unobserved } = options.storeClock ?? {};
  const log = new FakeLog();
  const settings = { ...TEST_CONFIG, ...options };
  const inTime = storeDeadlines(clock, settings.storeTimeoutMs);
  const leaseStore = inTime.leases(createFirestoreLeaseStore(firestore, observe));
  const config = { ...settings, storeClock, log, leaseStore };
  const refresher = createRefresher({
    ...config,
    resultStore: inTime.results(
      createFirestoreResultStore(firestore, observe, () => storeClock.nowMs()),
    ),
    queryRunner: createLocalQueryRunner(options.bigQueryUrl, clock),
  });
  const name = `warm-${(instanceCount += 1)}`;
  http(
    name,
    createWarm({
      ...config,
      refresher,
      catalogue: options.catalogue ?? testCatalogue(),
    }),
  );
  return { server: getTestServer(name), log };
}
