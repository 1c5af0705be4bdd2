// Serves `warm` over HTTP, with a fake for every role.
import type { Server } from 'node:http';
import { http } from '@google-cloud/functions-framework';
import { getTestServer } from '@google-cloud/functions-framework/testing';
import type { Catalogue } from '../../../functions/endpoints/catalogue.ts';
import { cacheKey } from '../../../functions/results/cache-key.ts';
import type { QueryRunner } from '../../../functions/core/query-runner.ts';
import type { Entry } from '../../../functions/core/result-store.ts';
import { createRefresher } from '../../../functions/results/refresh-entries.ts';
import { storeDeadlines } from '../../../functions/core/store-deadlines.ts';
import { createWarm } from '../../../functions/warm.ts';
import type { Ask } from '../../../functions/warming/question.ts';
import { TEST_CONFIG, TEST_SCOPE } from './config.ts';
import type { Clock } from '../../../functions/core/clock.ts';
import { FakeClock } from '../fakes/fake-clock.ts';
import { FakeLeaseStore } from '../fakes/fake-lease-store.ts';
import { FakeLog } from '../fakes/fake-log.ts';
import { FakeQueryRunner } from '../fakes/fake-query-runner.ts';
import { FakeRefreshStore, FakeResultStore } from '../fakes/fake-result-store.ts';
import { testCatalogue } from '../sql/test-sql.ts';

interface MovableClock extends Clock {
  advance(ms: number): void;
}

export interface WarmServer {
  server: Server;
  catalogue: Catalogue;
  clock: MovableClock;
  /** How far the store's clock is ahead of `clock`. */
  store: { aheadMs: number };
  resultStore: FakeResultStore;
  refreshStore: FakeRefreshStore;
  leaseStore: FakeLeaseStore;
  queryRunner: FakeQueryRunner;
  log: FakeLog;
  /** Puts an entry of an endpoint into the store; returns its cache key. */
  addEntry(endpoint: string, parameters: Record<string, string>, fields?: Partial<Entry>): string;
}

let serverCount = 0;

export function createWarmServer(
  options: {
    catalogue?: Catalogue;
    /** Those of `query`, if both are tested. */
    resultStore?: FakeResultStore;
    refreshStore?: FakeRefreshStore;
    clock?: MovableClock;
    warmUnchanged?: 'on' | 'off';
    warmFullSeconds?: number;
    sourceTables?: ReadonlyMap<string, string>;
    /** In place of the fake. */
    queryRunner?: QueryRunner;
    /** Without it nothing is known of the tables. */
    ask?: Ask;
    warmConcurrency?: number;
    warmBudgetSeconds?: number;
    warmMaxEntries?: number;
    warmMaxEntriesPerKey?: number;
  } = {},
): WarmServer {
  const { catalogue = testCatalogue(), resultStore = new FakeResultStore() } = options;
  const { clock = new FakeClock('2026-11-20T10:00:00Z') } = options;
  const store = { aheadMs: 0 };
  const storeClock = { nowMs: () => clock.nowMs() + store.aheadMs };
  const { refreshStore = new FakeRefreshStore(resultStore) } = options;
  const leaseStore = new FakeLeaseStore();
  const queryRunner = new FakeQueryRunner();
  const log = new FakeLog();
  const inTime = storeDeadlines(clock, TEST_CONFIG.storeTimeoutMs);
  const config = {
    ...TEST_CONFIG,
    ...options,
    clock,
    storeClock,
    log,
    resultStore: inTime.results(resultStore),
    refreshStore: inTime.refreshes(refreshStore),
    leaseStore: inTime.leases(leaseStore),
  };
  const name = `fake-warm-${(serverCount += 1)}`;
  http(
    name,
    createWarm({
      ...config,
      refresher: createRefresher({
        ...config,
        queryRunner: options.queryRunner ?? queryRunner,
      }),
      ask: options.ask ?? (() => Promise.resolve({ states: undefined, jobs: 0, bytes: 0 })),
      catalogue,
    }),
  );
  const addEntry: WarmServer['addEntry'] = (endpointName, parameters, fields = {}) => {
    const endpoint = catalogue.resolve(endpointName);
    if (endpoint === undefined) throw new Error(`There is no ${endpointName}.`);
    const { resultDigest = endpoint.resultDigest } = fields;
    const key = cacheKey(TEST_SCOPE, { ...endpoint, resultDigest }, parameters);
    const lastReadAtMs = fields.lastReadAtMs ?? clock.nowMs() - 60_000;
    resultStore.entries.set(key, {
      endpointId: endpoint.id,
      endpoint: endpoint.name,
      resultDigest: endpoint.resultDigest,
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
    refreshStore,
    leaseStore,
    queryRunner,
    log,
    addEntry,
  };
}
