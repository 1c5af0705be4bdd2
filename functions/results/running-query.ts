// Queries that may outlive the requests that started them: begins and runs them, settles their bytes, and bounds those that are left.
import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { atMost } from '../core/at-most.ts';
import type { Debt, Reserved } from '../core/day-bytes.ts';
import { eachLimit } from '../core/each-limit.ts';
import { ServiceError, usualError } from '../core/errors.ts';
import {
  type HeldLease,
  type LeasedQuery,
  type NamedQuery,
  debtOf,
  goesOn,
} from '../core/leases.ts';
import type { LastingQuery, QueryRequest } from '../core/query-runner.ts';
import type { Entry } from '../core/result-store.ts';
import type { Backends } from '../core/services.ts';
import { type Endpoint, jobSecondsOf } from '../endpoints/endpoint.ts';
import type { CanonicalParameters } from '../endpoints/parameters.ts';

/** The last run of a query that an instance has computed, or read the rows of. */
export interface LastRun {
  startedAtMs: number;
  runMs: number;
  bytesProcessed: number;
}

/** The most queries of one API key that go on without a request. */
const LEFT_PER_KEY_MAX = 5;
/** A query that took longer is started as a job: its id is then known before it runs, so that it cannot be lost. */
const SHORT_RUN_MS = 3000;
/** With less time, the answer of jobs.query, which names its job, may come too late. */
const SHORT_REQUEST_MS = 2 * SHORT_RUN_MS;
const RETRY_SECONDS = 5;
const RETRY_SECONDS_MAX = 60;
/** A job that BigQuery does not know may be on its way to it for so long. */
const UNSENT_MS = 60_000;
const ESTIMATES_MAX = 1000;
const ESTIMATE_MS = 60_000;
const LOOKS_AT_ONCE = 8;
/** How long a run of warming settles debts, before it begins to refresh. */
const SETTLE_MS_MAX = 20_000;
/** The most queries of a key that BigQuery is asked about while its request waits. */
const LOOKS_MAX = 40;

type Terms = Pick<QueryRequest, 'reserve' | 'onBilled' | 'asJob' | 'key'> & {
  lasting: LastingQuery;
  startedAtMs: number;
};

interface Bound {
  limitBytes: number;
  /** Throws unless the bytes were reserved; they are not known if Firestore fails. */
  check: (reserved: Reserved | undefined) => void;
}

export type RunningQueries = ReturnType<typeof createRunningQueries>;

export function createRunningQueries(deps: Backends) {
  const { clock, leaseStore, queryRunner, log } = deps;
  /** By the id of the endpoint. */
  const lastRuns = new Map<string, LastRun>();
  /** What BigQuery may bill for a query, of the last minute. */
  const estimates = new LRUCache<string, number>({
    ...{ ...atMost(ESTIMATES_MAX), ttl: ESTIMATE_MS },
    perf: { now: () => clock.nowMs() },
  });

  return {
    ...{ begin, choose, run, leave, checkLeft, stillRunning },
    ...{ learn, lastRunOf, outlasts, settleDebts },
  };

  /** A query for the lease of a result; it is started by whoever runs it first. */
  function begin(
    endpoint: Endpoint,
    parameters: CanonicalParameters,
    of: { key: QueryRequest['key']; account: string | undefined; leftMs: number },
  ): LeasedQuery {
    const requestId = randomUUID();
    const startedAtMs = clock.nowMs();
    const isJob = of.leftMs < SHORT_REQUEST_MS || outlasts(endpoint, SHORT_RUN_MS);
    return {
      requestId,
      jobId: isJob && of.account === undefined ? requestId : undefined,
      startedAtMs,
      endsAtMs: startedAtMs + jobSecondsOf(endpoint, deps.jobTimeoutSeconds) * 1000,
      endpointId: endpoint.id,
      resultDigest: endpoint.resultDigest,
      parameters,
      keyName: of.key?.name ?? '',
      keyDigest: of.key?.digest,
      account: of.account,
    };
  }

  /**
   * The query that the holder of the lease runs: its own, or one that runs already unless it is outdated. At most one query of
   * a result runs.
   */
  async function choose(held: HeldLease, isOutdated: boolean, beginAnother: () => LeasedQuery) {
    const former = isOutdated ? held.query : held.overdue;
    if (former !== undefined) await queryRunner.cancel(former);
    if (!isOutdated && held.query !== undefined) {
      return { query: held.query, isJoined: held.isJoined };
    }
    const query = beginAnother();
    await held.record(query);
    return { query, isJoined: false };
  }

  /**
   * Runs the query of a lease, whether it is started or joined, and settles its bytes; `query` then has its last ids. If its
   * bytes are bounded, it is a job, which the lease names once its debt is written.
   */
  async function run<T>(
    query: LeasedQuery,
    held: Pick<HeldLease, 'record'>,
    compute: (terms: Terms) => Promise<T>,
    bound: Bound,
  ): Promise<T> {
    let billed: number | undefined;
    let isEnded = false;
    const isReserved = query.account !== undefined && query.jobId === undefined;
    const lasting: LastingQuery = {
      started: { requestId: query.requestId, jobId: query.jobId, isStarted: query.isStarted },
      endsAtMs: query.endsAtMs,
      async record(started) {
        const next = debtOf({ ...query, ...started });
        if (next && started.jobId !== query.jobId) {
          // The job before has ended.
          await settle(debtOf(query));
          bound.check(await leaseStore.reserve(next, bound.limitBytes).catch(() => undefined));
        }
        Object.assign(query, started);
        await held.record(query);
      },
    };
    try {
      const computed = await compute({
        ...starterOf(query),
        ...{ lasting, startedAtMs: query.startedAtMs, asJob: isReserved || undefined },
        reserve: isReserved ? reserve : undefined,
        onBilled: (bytes) => void (billed = bytes),
      });
      await settle(debtOf(query), billed);
      return computed;
    } catch (error) {
      if (billed !== undefined || !goesOn(error)) await settle(debtOf(query), billed, true);
      const isRunning = error instanceof ServiceError && error.reason === 'QUERY_RUNNING';
      throw isRunning ? stillRunning({ ...query, isStarted: true }) : error;
    } finally {
      isEnded = true;
    }

    /** Not once the run has ended: its lease is released, and nobody sends the job. */
    async function reserve(estimate: () => Promise<number>): Promise<void> {
      query.expectedBytes = await bytesExpectedOf(query, estimate);
      if (isEnded) throw usualError('QUERY_STARTING');
      const debt = debtOf({ ...query, jobId: query.requestId });
      const reserved = debt && leaseStore.reserve(debt, bound.limitBytes);
      const counted = await reserved?.catch(() => undefined);
      if (isEnded) {
        if (debt && counted?.isAdmitted) await leaseStore.settle(debt, 0);
        throw usualError('QUERY_STARTING');
      }
      bound.check(counted);
      query.jobId = query.requestId;
      await held.record(query);
    }
  }

  /** Remembered, because the answer may come too late for a request that has a second: the next one then has time to send the job. */
  async function bytesExpectedOf(
    { endpointId, resultDigest, parameters, cacheKeys }: LeasedQuery,
    estimate: () => Promise<number>,
  ): Promise<number> {
    const name = JSON.stringify([endpointId, resultDigest, parameters, cacheKeys]);
    const remembered = estimates.get(name);
    if (remembered !== undefined) return remembered;
    try {
      const bytes = await estimate();
      estimates.set(name, bytes);
      return bytes;
    } catch {
      return deps.maxBytesBilled;
    }
  }

  /**
   * Only BigQuery knows what it has billed: `estimated` leaves out its minimum for each further table. Nothing for a job that it
   * does not know, if that was refused or its time is over. Never rejects: what is not settled now, a run of warming settles.
   */
  async function settle(debt: Debt | undefined, estimated?: number, isRefused = false) {
    if (debt === undefined) return;
    const { jobId, endsAtMs } = debt;
    try {
      const job = await queryRunner.look(jobId).catch(() => 'unknown' as const);
      const isOver = clock.nowMs() >= endsAtMs + UNSENT_MS;
      const isDone = typeof job === 'object' && job.isDone;
      const ofNone = (isOver || isRefused) && !job ? 0 : undefined;
      const billed = isDone ? job.bytesBilled : (estimated ?? ofNone);
      if (billed !== undefined) await leaseStore.settle(debt, billed);
      else if (isOver) await queryRunner.cancel({ requestId: jobId, jobId });
    } catch {
      // It stays open.
    }
  }

  /** Of queries that were cancelled, have failed, or whose rows nobody has read. Never rejects. */
  async function settleDebts(): Promise<void> {
    const debts = await leaseStore.debts().catch(() => []);
    // Those that are left, a later run settles.
    const untilMs = clock.nowMs() + SETTLE_MS_MAX;
    await eachLimit(debts, LOOKS_AT_ONCE, async (debt) => {
      if (clock.nowMs() < untilMs) await settle(debt);
    });
  }

  /** Remembers the last run of the endpoint: of `query.sql`, because a job of warming is for many results. */
  function learn({ endpointId, runMs, bytesProcessed, computedAtMs }: Entry): void {
    if (runMs === undefined || computedAtMs < (lastRunOf(endpointId)?.startedAtMs ?? 0)) return;
    lastRuns.set(endpointId, { runMs, bytesProcessed, startedAtMs: computedAtMs });
  }

  function lastRunOf(endpointId: string): LastRun | undefined {
    return lastRuns.get(endpointId);
  }

  /** Whether the last run took longer; false if it is not known. */
  function outlasts({ id }: Pick<Endpoint, 'id'>, ms: number): boolean {
    return (lastRunOf(id)?.runMs ?? 0) > ms;
  }

  /**
   * After the lease was released with a query that goes on: it goes on if it is one of the first five of its key, in the order
   * in which they were left. Of many that are left together all read the same order. Returns the error for the caller.
   */
  async function leave(name: string, query: LeasedQuery, error: unknown): Promise<unknown> {
    if (query.jobId === undefined || !goesOn(error)) return error;
    const { endpointId, jobId } = query;
    const fields = { event: 'query_left', endpointId, jobId };
    log.write('INFO', 'A query goes on without its request.', fields);
    const running = await queriesOf(query.keyName);
    const place = running.findIndex((one) => one.name === name && one.query.jobId === jobId);
    const left = running[place];
    const before = running.filter(({ isHeld }, at) => at < place || (isHeld && at !== place));
    // Somebody has joined it already; or it cannot be counted, but those that come later count it.
    if (left === undefined || !(await isOver(before))) return error;
    if (!(await leaseStore.remove(left).catch(() => false))) return error;
    await queryRunner.cancel(query);
    await settle(debtOf(query));
    return usualError('JOBS_RUNNING');
  }

  /** Throws JOBS_RUNNING if one more query of the key may not go on without a request. */
  async function checkLeft(keyName: string): Promise<void> {
    if (await isOver(await queriesOf(keyName))) throw usualError('JOBS_RUNNING');
  }

  /** Those of a key that nobody waits for, or that somebody has joined after that. */
  async function queriesOf(keyName: string): Promise<NamedQuery[]> {
    const running = await leaseStore.queries(clock.nowMs()).catch(() => []);
    return running.filter(
      ({ query, isHeld }) =>
        (!isHeld || query.wasLeft) && query.keyName === keyName && query.jobId !== undefined,
    );
  }

  /** Whether there are as many as may be. What has ended in BigQuery does not count, though nobody has read its rows. */
  async function isOver(left: readonly NamedQuery[]): Promise<boolean> {
    if (left.length < LEFT_PER_KEY_MAX) return false;
    const isRunning = async ({ query }: NamedQuery): Promise<boolean> => {
      const job = await queryRunner.look(query.jobId ?? '').catch(() => ({ isDone: false }));
      return job ? !job.isDone : clock.nowMs() < query.startedAtMs + UNSENT_MS;
    };
    const running = await Promise.all(left.slice(-LOOKS_MAX).map(isRunning));
    const unknownCount = Math.max(0, left.length - LOOKS_MAX);
    return unknownCount + running.filter(Boolean).length >= LEFT_PER_KEY_MAX;
  }

  /** The error for a request whose time is over before that of its query, if BigQuery has that. */
  function stillRunning(query: LeasedQuery | undefined): ServiceError {
    if (query?.isStarted !== true) return usualError('QUERY_STARTING');
    const { endpointId, startedAtMs } = query;
    const elapsedMs = Math.max(0, clock.nowMs() - startedAtMs);
    const restMs = (lastRunOf(endpointId)?.runMs ?? 0) - elapsedMs;
    const retryAfterSeconds =
      restMs > 0 ? Math.min(RETRY_SECONDS_MAX, Math.ceil(restMs / 1000)) : RETRY_SECONDS;
    const runningSeconds = String(Math.floor(elapsedMs / 1000));
    return new ServiceError(
      'QUERY_RUNNING',
      `The query is still running, for ${runningSeconds} s so far. It goes on: ask again in ${retryAfterSeconds} s.`,
      { retryAfterSeconds, metadata: { runningSeconds } },
    );
  }
}

/** Whoever sends the query: its labels name the key that pays. Not known of a query that an earlier version has written. */
function starterOf({ keyName, keyDigest: digest }: LeasedQuery): Pick<Terms, 'key'> {
  if (keyName === '') return { key: undefined };
  return digest === undefined ? {} : { key: { name: keyName, digest } };
}
