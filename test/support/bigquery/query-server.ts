// Serves `query` over HTTP, with a fake for every role.
import type { Server } from 'node:http';
import { http } from '@google-cloud/functions-framework';
import { getTestServer } from '@google-cloud/functions-framework/testing';
import request, { type Test } from 'supertest';
import { createAuthenticator } from '../../../functions/keys/authenticate.ts';
import { createKeyLimits } from '../../../functions/keys/limits.ts';
import type { Catalogue } from '../../../functions/endpoints/catalogue.ts';
import type { QueryRunner } from '../../../functions/core/query-runner.ts';
import type { Document } from '../../../functions/http/document.ts';
import { storeDeadlines } from '../../../functions/core/store-deadlines.ts';
import { createQuery } from '../../../functions/query.ts';
import { createReadThrough } from '../../../functions/results/read-through.ts';
import { TEST_CONFIG } from '../service/config.ts';
import { FakeClock } from '../fakes/fake-clock.ts';
import { FakeKeyStore } from '../fakes/fake-key-store.ts';
import { FakeLeaseStore } from '../fakes/fake-lease-store.ts';
import { FakeLog } from '../fakes/fake-log.ts';
import { FakeQueryRunner } from '../fakes/fake-query-runner.ts';
import { FakeRefreshStore, FakeResultStore } from '../fakes/fake-result-store.ts';
import { testCatalogue } from '../sql/test-sql.ts';

export const API_KEY = 'sqk_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';

export interface QueryServer {
  server: Server;
  clock: FakeClock;
  /** How far the store's clock is ahead of `clock`. */
  store: { aheadMs: number };
  keyStore: FakeKeyStore;
  resultStore: FakeResultStore;
  refreshStore: FakeRefreshStore;
  leaseStore: FakeLeaseStore;
  queryRunner: FakeQueryRunner;
  log: FakeLog;
  /** Asks with a key. */
  get(path: string, apiKey?: string): Test;
}

let serverCount = 0;

/** `API_KEY` opens every endpoint. The stores may be shared by several servers. */
export function createQueryServer(
  options: {
    shared?: QueryServer;
    clock?: FakeClock;
    corsOrigins?: string[];
    forwardedForPosition?: number;
    memoryCacheSeconds?: number;
    warmUnchanged?: 'on' | 'off';
    mcp?: 'on';
    catalogue?: Catalogue;
    console?: Document;
    /** In place of the fake. */
    queryRunner?: QueryRunner;
  } = {},
): QueryServer {
  const { shared, clock: _, ...settings } = options;
  const config = { ...TEST_CONFIG, ...settings };
  const clock = shared?.clock ?? options.clock ?? new FakeClock('2026-11-20T10:00:00Z');
  const store = shared?.store ?? { aheadMs: 0 };
  const storeClock = { nowMs: () => clock.nowMs() + store.aheadMs };
  const keyStore = shared?.keyStore ?? new FakeKeyStore();
  const resultStore = shared?.resultStore ?? new FakeResultStore();
  const refreshStore = shared?.refreshStore ?? new FakeRefreshStore(resultStore);
  const leaseStore = shared?.leaseStore ?? new FakeLeaseStore();
  const queryRunner = shared?.queryRunner ?? new FakeQueryRunner();
  const keyLimits = createKeyLimits(clock);
  const inTime = storeDeadlines(clock, config.storeTimeoutMs);
  const log = new FakeLog();
  keyStore.add(API_KEY, { name: 'dashboard' });
  const name = `fake-query-${(serverCount += 1)}`;
  http(
    name,
    createQuery({
      ...config,
      authenticate: createAuthenticator({
        ...config,
        keyStore: inTime.keys(keyStore),
        clock,
        storeClock: clock,
      }),
      keyLimits,
      catalogue: options.catalogue ?? testCatalogue(),
      readThrough: createReadThrough({
        collectGarbage: () => undefined,
        ...config,
        keyLimits,
        resultStore: inTime.results(resultStore),
        refreshStore: inTime.refreshes(refreshStore),
        leaseStore: inTime.leases(leaseStore),
        queryRunner: options.queryRunner ?? queryRunner,
        clock,
        storeClock,
        log,
      }),
      clock,
      storeClock,
      log,
      consolePage: options.console,
      loadMcp: config.mcp === 'on' ? loadMcp : undefined,
    }),
  );
  const server = getTestServer(name);
  async function loadMcp() {
    const { createAnswerMessage } = await import('../../../functions/mcp/answer-message.ts');
    return createAnswerMessage({ ...config, clock });
  }
  return {
    server,
    get: (path, apiKey = API_KEY) => request(server).get(path).set('X-API-KEY', apiKey),
    clock,
    store,
    keyStore,
    resultStore,
    refreshStore,
    leaseStore,
    queryRunner,
    log,
  };
}
