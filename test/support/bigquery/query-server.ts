// Serves `query` over HTTP, with a fake for every role.
import { http } from '@google-cloud/functions-framework';
import { getTestServer } from '@google-cloud/functions-framework/testing';
import request, { type Test } from 'supertest';
import { createAuthenticator } from '../../../functions/keys/authenticate.ts';
import * as verifyToken from '../../../functions/keys/verify-token.ts';
import { createKeyLimits } from '../../../functions/keys/limits.ts';
import type { Catalogue } from '../../../functions/endpoints/catalogue.ts';
import type { QueryRunner } from '../../../functions/core/query-runner.ts';
import type { Document } from '../../../functions/http/document.ts';
import type { createAnswerMessage } from '../../../functions/mcp/answer-message.ts';
import { storeDeadlines } from '../../../functions/core/store-deadlines.ts';
import { createQuery } from '../../../functions/query.ts';
import { type ReadThrough, createReadThrough } from '../../../functions/results/read-through.ts';
import { TEST_CONFIG } from '../service/config.ts';
import { FakeClock } from '../fakes/fake-clock.ts';
import { FakeKeyStore } from '../fakes/fake-key-store.ts';
import { FakeLeaseStore } from '../fakes/fake-lease-store.ts';
import { FakeLog } from '../fakes/fake-log.ts';
import { FakeQueryRunner } from '../fakes/fake-query-runner.ts';
import { FakeRefreshStore, FakeResultStore } from '../fakes/fake-result-store.ts';
import { testCatalogue } from '../sql/test-sql.ts';

export const API_KEY = 'sqk_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';

export type QueryServer = ReturnType<typeof createQueryServer>;
type Fakes = ReturnType<typeof createFakes>;

function createFakes(clock = new FakeClock('2026-11-20T10:00:00Z')) {
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

let serverCount = 0;

/** `API_KEY` opens every endpoint. The stores may be shared by several servers. */
export function createQueryServer(
  options: Partial<Omit<typeof TEST_CONFIG, 'catalogue' | 'console'>> & {
    shared?: Fakes;
    clock?: FakeClock;
    catalogue?: Catalogue;
    console?: Document;
    /** In place of the fake. */
    queryRunner?: QueryRunner;
    readThrough?: ReadThrough;
  } = {},
) {
  const { catalogue = testCatalogue(), console: consolePage } = options;
  const fakes = options.shared ?? createFakes(options.clock);
  const { clock, keyStore } = fakes;
  const log = new FakeLog();
  keyStore.add(API_KEY, { name: 'dashboard' });
  const settings = { ...TEST_CONFIG, ...fakes, ...options };
  const inTime = storeDeadlines(clock, settings.storeTimeoutMs);
  const config = {
    ...settings,
    catalogue,
    clock,
    keyLimits: createKeyLimits(clock),
    log,
    keyStore: inTime.keys(keyStore),
    resultStore: inTime.results(fakes.resultStore),
    refreshStore: inTime.refreshes(fakes.refreshStore),
    leaseStore: inTime.leases(fakes.leaseStore),
    collectGarbage: () => undefined,
  };
  const name = `fake-query-${(serverCount += 1)}`;
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
  const { readThrough = createReadThrough(config) } = options;
  const loadMcp = config.mcp === 'on' ? () => loadAnswerMessage(config) : undefined;
  http(name, createQuery({ ...config, authenticate, readThrough, consolePage, loadMcp }));
  const server = getTestServer(name);
  /** Asks with a key. */
  const get = (path: string, apiKey = API_KEY): Test =>
    request(server).get(path).set('X-API-KEY', apiKey);
  /** The parameters that an answer with 400 calls faulty. */
  const violationsOf = async (path: string): Promise<Violation[]> => {
    const answer = await get(path);
    const { details } = (answer.body as { error: { details: Record<string, unknown>[] } }).error;
    expect([answer.status, details[0]?.reason]).toEqual([400, 'INVALID_PARAMETERS']);
    return details[1]?.fieldViolations as Violation[];
  };
  /** How many signatures of tokens were verified. */
  return { ...fakes, server, log, get, violationsOf, verified: () => verified };
}

type Violation = { field: string; description: string };

async function loadAnswerMessage(config: Parameters<typeof createAnswerMessage>[0]) {
  const { createAnswerMessage } = await import('../../../functions/mcp/answer-message.ts');
  return createAnswerMessage(config);
}
