// Serves `warm` over HTTP, with a fake for every role.
import { http } from '@google-cloud/functions-framework';
import { getTestServer } from '@google-cloud/functions-framework/testing';
import type { Catalogue } from '../../../functions/endpoints/catalogue.ts';
import type { Endpoint } from '../../../functions/endpoints/endpoint.ts';
import { cacheKey } from '../../../functions/results/cache-key.ts';
import type { QueryRunner } from '../../../functions/core/query-runner.ts';
import type { Entry } from '../../../functions/core/result-store.ts';
import { createRefresher } from '../../../functions/results/refresh-entries.ts';
import { storeDeadlines } from '../../../functions/core/store-deadlines.ts';
import { createWarm } from '../../../functions/warm.ts';
import type { Ask } from '../../../functions/warming/question.ts';
import { TEST_CONFIG } from './config.ts';
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

export type WarmServer = ReturnType<typeof createWarmServer>;

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
    body: Buffer.from('old'),
    bodyBytes: 3,
    etag: 'old',
    rowCount: 0,
    truncated: false,
    computedAtMs: nowMs - 300_000,
    freshUntilMs: nowMs + 600_000,
    lastReadAtMs,
    readers: [{ keyName, readAtMs: lastReadAtMs }],
    jobId: 'old',
    bytesProcessed: 0,
  };
}

let serverCount = 0;

export function createWarmServer(
  options: Partial<Omit<typeof TEST_CONFIG, 'catalogue'>> & {
    catalogue?: Catalogue;
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
  const { catalogue = testCatalogue(), resultStore = new FakeResultStore() } = options;
  const { refreshStore = new FakeRefreshStore(resultStore) } = options;
  const { clock = new FakeClock('2026-11-20T10:00:00Z') } = options;
  const leaseStore = new FakeLeaseStore();
  const queryRunner = new FakeQueryRunner();
  const log = new FakeLog();
  const inTime = storeDeadlines(clock, TEST_CONFIG.storeTimeoutMs);
  const config = {
    ...TEST_CONFIG,
    queryRunner,
    ask: () => Promise.resolve({ states: undefined, jobs: 0, bytes: 0 }),
    ...options,
    catalogue,
    clock,
    log,
    resultStore: inTime.results(resultStore),
    refreshStore: inTime.refreshes(refreshStore),
    leaseStore: inTime.leases(leaseStore),
  };
  const name = `fake-warm-${(serverCount += 1)}`;
  http(name, createWarm({ ...config, refresher: createRefresher(config) }));
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
  return {
    server: getTestServer(name),
    catalogue,
    clock,
    resultStore,
    refreshStore,
    leaseStore,
    queryRunner,
    log,
    addEntry,
  };
}
