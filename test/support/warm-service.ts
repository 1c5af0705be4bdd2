// The function `warm` in this process as `functions/index.ts` composes it, with the real clients.
import type { Server } from 'node:http';
import type { Firestore } from '@google-cloud/firestore';
import { http } from '@google-cloud/functions-framework';
import { getTestServer } from '@google-cloud/functions-framework/testing';
import { loadCatalogue } from '../../functions/catalogue.ts';
import type { Clock } from '../../functions/core/ports.ts';
import { createFirestoreLeaseStore } from '../../functions/google/lease-store.ts';
import { createFirestoreResultStore } from '../../functions/google/result-store.ts';
import { createReadThrough } from '../../functions/read-through.ts';
import { createWarm } from '../../functions/warm.ts';
import { FakeLog } from './fake-log.ts';
import { createLocalQueryRunner } from './local-query-runner.ts';

interface TestWarmOptions {
  clock: Clock;
  firestore: Firestore;
  bigQueryUrl: string;
  leaseSeconds?: number;
}

let instanceCount = 0;

export function createTestWarm(options: TestWarmOptions): { server: Server; log: FakeLog } {
  const { clock, firestore } = options;
  const log = new FakeLog();
  const leaseStore = createFirestoreLeaseStore(firestore);
  const terms = { leaseSeconds: options.leaseSeconds ?? 10, storeTimeoutMs: 2000 };
  const readThrough = createReadThrough({
    ...terms,
    resultStore: createFirestoreResultStore(firestore),
    leaseStore,
    queryRunner: createLocalQueryRunner(options.bigQueryUrl, clock),
    clock,
    log,
    memoryCacheSeconds: 15,
    memoryCacheMib: 64,
    maxResultMib: 16,
  });
  const name = `warm-${(instanceCount += 1)}`;
  http(
    name,
    createWarm({
      project: 'test-project',
      ...terms,
      leaseStore,
      readThrough,
      endpoints: loadCatalogue('sql').endpoints,
      clock,
      log,
      queryTimeoutSeconds: 25,
      warmConcurrency: 8,
      warmBudgetSeconds: 280,
      warmMaxEntries: 10_000,
      warmMaxEntriesPerKey: 2000,
    }),
  );
  return { server: getTestServer(name), log };
}
