// The function `warm` in this process as `functions/index.ts` composes it, with the real clients.
import type { Server } from 'node:http';
import { BigQuery } from '@google-cloud/bigquery';
import type { Firestore } from '@google-cloud/firestore';
import { http } from '@google-cloud/functions-framework';
import { getTestServer } from '@google-cloud/functions-framework/testing';
import { PassThroughClient } from 'google-auth-library';
import { loadCatalogue } from '../../functions/catalogue.ts';
import type { Clock } from '../../functions/core/ports.ts';
import { createBigQueryRunner } from '../../functions/google/bigquery.ts';
import { createFirestoreLeaseStore } from '../../functions/google/lease-store.ts';
import { createFirestoreResultStore } from '../../functions/google/result-store.ts';
import { createReadThrough } from '../../functions/read-through.ts';
import { createWarm } from '../../functions/warm.ts';
import { FakeLog } from './fake-log.ts';

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
    queryRunner: createBigQueryRunner({
      bigquery: new BigQuery({
        projectId: 'test-project',
        apiEndpoint: options.bigQueryUrl,
        authClient: new PassThroughClient(),
        retryOptions: { autoRetry: false },
      }),
      clock,
      dataset: 'logs',
      location: 'US',
      maxBytesBilled: 10_737_418_240,
    }),
    clock,
    log,
    memoryCacheSeconds: 15,
    memoryCacheMib: 64,
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
