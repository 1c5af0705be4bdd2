// Queries that may outlive the requests that started them: begins and runs them.
import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { atMost } from '../core/at-most.ts';
import type { Reserved } from '../core/day-bytes.ts';
import { ServiceError, usualError } from '../core/errors.ts';
import { type HeldLease, type LeasedQuery, debtOf, goesOn } from '../core/leases.ts';
import type { LastingQuery, QueryRequest } from '../core/query-runner.ts';
import type { Entry } from '../core/result-store.ts';
import type { Backends } from '../core/services.ts';
import { type Endpoint, jobSecondsOf } from '../endpoints/endpoint.ts';
import type { CanonicalParameters } from '../endpoints/parameters.ts';
import { createLeftQueries } from './left-queries.ts';

/** The last run of a query that an instance has computed, or read the rows of. */
export interface LastRun {
  startedAtMs: number;
  runMs: number;
  bytesProcessed: number;
}

/** A query that took longer is started as a job: its id is then known before it runs, so that it cannot be lost. */
const SHORT_RUN_MS = 3000;
/** With less time, the answer of jobs.query, which names its job, may come too late. */
const SHORT_REQUEST_MS = 2 * SHORT_RUN_MS;
const RETRY_SECONDS = 5;
const RETRY_SECONDS_MAX = 60;
const ESTIMATES_MAX = 1000;
const ESTIMATE_MS = 60_000;

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
  const { clock, leaseStore, queryRunner } = deps;
  const left = createLeftQueries(deps);
  const { settle } = left;
  /** By the id of the endpoint. */
  const lastRuns = new Map<string, LastRun>();
  const bytesExpectedOf = createEstimates(deps);

  return {
    ...{ begin, choose, run, stillRunning, learn, lastRunOf, outlasts },
    ...{ leave: left.leave, checkLeft: left.check, settleDebts: left.settleDebts },
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

/** What BigQuery may bill for a query; its bound if it does not say. */
function createEstimates({ clock, maxBytesBilled }: Pick<Backends, 'clock' | 'maxBytesBilled'>) {
  // The answer may come too late for a request that has a second: the next one then has time to send the job.
  const estimates = new LRUCache<string, number>({
    ...{ ...atMost(ESTIMATES_MAX), ttl: ESTIMATE_MS },
    perf: { now: () => clock.nowMs() },
  });
  return async (query: LeasedQuery, estimate: () => Promise<number>): Promise<number> => {
    const { endpointId, resultDigest, parameters, cacheKeys } = query;
    const name = JSON.stringify([endpointId, resultDigest, parameters, cacheKeys]);
    const remembered = estimates.get(name);
    if (remembered !== undefined) return remembered;
    try {
      const bytes = await estimate();
      estimates.set(name, bytes);
      return bytes;
    } catch {
      return maxBytesBilled;
    }
  };
}
