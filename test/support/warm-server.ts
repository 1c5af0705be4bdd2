// The function `warm` behind the real HTTP stack, with a fake for every port.
import type { Server } from 'node:http';
import { http } from '@google-cloud/functions-framework';
import { getTestServer } from '@google-cloud/functions-framework/testing';
import { type Catalogue, loadCatalogue } from '../../functions/catalogue.ts';
import { cacheKey } from '../../functions/core/cache-key.ts';
import type { Entry, QueryRunner } from '../../functions/core/ports.ts';
import { createReadThrough } from '../../functions/read-through.ts';
import { createWarm } from '../../functions/warm.ts';
import { FakeClock } from './fake-clock.ts';
import { FakeLeaseStore } from './fake-lease-store.ts';
import { FakeLog } from './fake-log.ts';
import { FakeQueryRunner } from './fake-query-runner.ts';
import { FakeResultStore } from './fake-result-store.ts';
import { TEST_SCOPE } from './scope.ts';

export interface WarmServer {
  server: Server;
  catalogue: Catalogue;
  clock: FakeClock;
  /** How far the store's clock is ahead of `clock`. */
  store: { aheadMs: number };
  resultStore: FakeResultStore;
  leaseStore: FakeLeaseStore;
  queryRunner: FakeQueryRunner;
  log: FakeLog;
  /** Puts an entry of an endpoint into the store; returns its cache key. */
  addEntry(endpoint: string, parameters: Record<string, string>, fields?: Partial<Entry>): string;
}

let serverCount = 0;

export function createWarmServer(
  options: {
    /** In place of the fake. */
    queryRunner?: QueryRunner;
    warmConcurrency?: number;
    warmBudgetSeconds?: number;
    warmMaxEntries?: number;
    warmMaxEntriesPerKey?: number;
  } = {},
): WarmServer {
  const catalogue = loadCatalogue('sql');
  const clock = new FakeClock('2026-11-20T10:00:00Z');
  const store = { aheadMs: 0 };
  const storeClock = { nowMs: () => clock.nowMs() + store.aheadMs };
  const resultStore = new FakeResultStore();
  const leaseStore = new FakeLeaseStore();
  const queryRunner = new FakeQueryRunner();
  const log = new FakeLog();
  const stores = { resultStore, leaseStore, leaseSeconds: 10, storeTimeoutMs: 2000 };
  const name = `fake-warm-${(serverCount += 1)}`;
  http(
    name,
    createWarm({
      project: 'test-project',
      ...TEST_SCOPE,
      ...stores,
      readThrough: createReadThrough({
        ...stores,
        queryRunner: options.queryRunner ?? queryRunner,
        clock,
        storeClock,
        log,
        memoryCacheSeconds: 15,
        memoryCacheMib: 64,
        maxResultMib: 16,
      }),
      endpoints: catalogue.endpoints,
      clock,
      storeClock,
      log,
      queryTimeoutSeconds: 25,
      warmConcurrency: options.warmConcurrency ?? 8,
      warmBudgetSeconds: options.warmBudgetSeconds ?? 280,
      warmMaxEntries: options.warmMaxEntries ?? 10_000,
      warmMaxEntriesPerKey: options.warmMaxEntriesPerKey ?? 2000,
    }),
  );
  const addEntry: WarmServer['addEntry'] = (endpointName, parameters, fields = {}) => {
    const endpoint = catalogue.resolve(endpointName);
    if (endpoint === undefined) throw new Error(`There is no ${endpointName}.`);
    const key = cacheKey(TEST_SCOPE, endpoint, parameters);
    const lastReadAtMs = fields.lastReadAtMs ?? clock.nowMs() - 60_000;
    resultStore.entries.set(key, {
      endpointId: endpoint.id,
      endpoint: endpoint.name,
      definitionDigest: endpoint.definitionDigest,
      parameters,
      body: Buffer.from('old'),
      bodyBytes: 3,
      etag: 'old',
      rowCount: 0,
      truncated: false,
      computedAtMs: clock.nowMs() - 300_000,
      freshUntilMs: clock.nowMs() + 600_000,
      lastReadAtMs,
      readers: [{ keyName: 'dashboard', readAtMs: lastReadAtMs }],
      jobId: 'old',
      bytesProcessed: 0,
      ...fields,
    });
    return key;
  };
  return {
    server: getTestServer(name),
    catalogue,
    clock,
    store,
    resultStore,
    leaseStore,
    queryRunner,
    log,
    addEntry,
  };
}
