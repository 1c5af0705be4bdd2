// Tests of queries that outlive their requests: one for a result, whoever asks, dies or takes over.
import fc from 'fast-check';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import type { Clock } from '../../functions/core/clock.ts';
import { ServiceError } from '../../functions/core/errors.ts';
import type { Endpoint } from '../../functions/endpoints/endpoint.ts';
import type { RestCall } from '../../functions/google/bigquery-rest.ts';
import { createBigQueryRunner } from '../../functions/google/query-runner.ts';
import { createKeyLimits } from '../../functions/keys/limits.ts';
import { resultIdentity } from '../../functions/results/cache-key.ts';
import { type Served, createReadThrough } from '../../functions/results/read-through.ts';
import { createRefresher } from '../../functions/results/refresh-entries.ts';
import { type WarmReport, runWarming } from '../../functions/warming/run.ts';
import { createSimulatedBigQuery } from '../support/bigquery/simulated-bigquery.ts';
import { FakeClock } from '../support/fakes/fake-clock.ts';
import { FakeLeaseStore } from '../support/fakes/fake-lease-store.ts';
import { FakeLog } from '../support/fakes/fake-log.ts';
import { FakeRefreshStore, FakeResultStore } from '../support/fakes/fake-result-store.ts';
import { TEST_CONFIG } from '../support/service/config.ts';
import { testCatalogue } from '../support/sql/test-sql.ts';

const STATS = testCatalogue().resolve('tasks.run-stats')!;
const CHANGED: Endpoint = { ...STATS, sql: `${STATS.sql} `, resultDigest: 'changed' };
const PARAMETERS = { project: 'a', function_id: '', interval: '1day' };
const DEADLINE_MS = 25_000;

type Outcome = { served: Served } | { error: unknown };

/** Instances that share BigQuery and Firestore, on one clock. */
function createWorld() {
  const clock = new FakeClock('2026-11-20T10:00:00Z');
  const bigquery = createSimulatedBigQuery(clock);
  const resultStore = new FakeResultStore();
  const refreshStore = new FakeRefreshStore(resultStore);
  const leaseStore = new FakeLeaseStore();

  /** Nothing that has died goes on. */
  function createInstance() {
    let isDead = false;
    const alive = <T>(value: T): T | Promise<never> =>
      isDead ? new Promise<never>(() => undefined) : value;
    const living = <S extends object>(store: S): S =>
      new Proxy(store, {
        get: (target, name) => {
          const member: unknown = Reflect.get(target, name);
          if (typeof member !== 'function') return member;
          return (...given: unknown[]): unknown => {
            if (isDead) return new Promise(() => undefined);
            const called: unknown = member.apply(target, given);
            if (!(called instanceof Promise)) return called;
            return called.then((got: unknown) =>
              alive(name === 'acquire' && got !== undefined ? living(got as object) : got),
            );
          };
        },
      });
    const own: Clock = {
      nowMs: () => clock.nowMs(),
      wait: (ms, signal) => clock.wait(ms, signal).then(() => alive(undefined)),
    };
    const call: RestCall = (...args) =>
      isDead
        ? new Promise(() => undefined)
        : bigquery.call(...args).then(alive, (error: unknown) => alive(Promise.reject(error)));
    const stop = new AbortController();
    const log = new FakeLog();
    const deps = {
      ...TEST_CONFIG,
      queryRunner: createBigQueryRunner({ ...TEST_CONFIG, call, clock: own, stopSignal: stop.signal }),
      ...{ clock: own, storeClock: clock, log },
      resultStore: living(resultStore),
      refreshStore: living(refreshStore),
      leaseStore: living(leaseStore),
      memoryCacheSeconds: 0,
      keyLimits: createKeyLimits(clock),
      collectGarbage: () => undefined,
    };
    const readThrough = createReadThrough(deps);
    const refresher = createRefresher(deps);
    return {
      log,
      kill: () => (isDead = true),
      stop: () => stop.abort(),
      async ask(endpoint = STATS, { project = 'a', keyName = 'dashboard' } = {}): Promise<Outcome> {
        const parameters = { ...PARAMETERS, project };
        const identity = resultIdentity(TEST_CONFIG, endpoint, parameters);
        const key = { name: keyName, digest: keyName, endpoints: '*' as const };
        const deadlineMs = clock.nowMs() + DEADLINE_MS;
        try {
          return { served: await readThrough({ endpoint, parameters, identity, key, deadlineMs }) };
        } catch (error) {
          return { error };
        }
      },
      warm: (endpoints: readonly Endpoint[] = [STATS]): Promise<WarmReport> =>
        runWarming(
          {
            ...deps,
            refresher,
            ask: () => Promise.resolve({ states: undefined, jobs: 0, bytes: 0 }),
            onStates: () => Promise.resolve(),
            catalogue: { endpoints },
          },
          refreshStore.demands,
          () => isDead,
        ),
    };
  }

  /** Second by second, because each may be the time of a lease, a poll or a deadline. */
  async function advance(seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second += 1) {
      clock.advance(1000);
      for (let turn = 0; turn < 12; turn += 1) await nextTurn();
    }
  }

  return { clock, bigquery, resultStore, leaseStore, refreshStore, createInstance, advance };
}

type World = ReturnType<typeof createWorld>;

/** When the query of the rows was started. */
function startOf({ entry }: Served): number {
  const { result } = JSON.parse(gunzipSync(entry.body).toString()) as {
    result: { timestamp: string }[];
  };
  return Date.parse(result[0]?.timestamp ?? '');
}

/** Asks as told, one request after the other, until there are rows. */
async function askUntilRows(world: World, instance: () => ReturnType<World['createInstance']>) {
  const { advance } = world;
  for (let asked = 1; asked <= 40; asked += 1) {
    let outcome: Outcome | undefined;
    void instance()
      .ask()
      .then((got) => (outcome = got));
    while (outcome === undefined) await advance(1);
    if ('served' in outcome) return { served: outcome.served, asked };
    await advance(outcome.error instanceof ServiceError ? (outcome.error.retryAfterSeconds ?? 1) : 1);
  }
  throw new Error('There were no rows.');
}
