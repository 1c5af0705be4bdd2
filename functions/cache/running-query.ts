// Queries that may outlive the requests that started them: begins and runs them.
import { randomUUID } from 'node:crypto';
import type { Reserved } from '../core/day-bytes.ts';
import { ServiceError, reasonOf, usualError } from '../core/errors.ts';
import { type HeldLease, type LeasedQuery, debtOf, goesOn } from '../core/leases.ts';
import type { LastingQuery } from '../core/query-runner.ts';
import type { Entry } from '../core/result-store.ts';
import type { Backends } from '../core/services.ts';
import { type Endpoint, jobSecondsOf } from '../endpoints/endpoint.ts';
import type { CanonicalParameters } from '../endpoints/parameters.ts';
import type { AuthenticatedKey } from '../keys/access.ts';
import type { QueryTerms } from './compute-entry.ts';
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

/** Only for a query with an `account`. */
interface Bound {
  limitBytes: number;
  /** Throws unless the bytes were reserved; they are not known if Firestore fails. */
  check: (reserved: Reserved | undefined) => void;
}

export type RunningQueries = ReturnType<typeof createRunningQueries>;

export function createRunningQueries(deps: Backends) {
  const { clock, leaseStore, queryRunner } = deps;
  const { settle, ...left } = createLeftQueries(deps);
  /** By the id of the endpoint. */
  const lastRuns = new Map<string, LastRun>();

  return {
    ...{ begin, choose, run, stillRunning, learn, outlasts },
    lastRunOf: (endpointId: string): LastRun | undefined => lastRuns.get(endpointId),
    ...left,
  };

  /**
   * A query, which a lease names before it is sent; it is started by whoever runs it first. Its id is
   * that of a job if it may be left soon, but not yet if `account` bounds its bytes.
   */
  function begin(
    request: {
      endpoint: Endpoint;
      parameters: CanonicalParameters;
      deadlineMs: number;
      /** Undefined for warming. */
      key: AuthenticatedKey | undefined;
    },
    account = request.key?.bytesPerDay === undefined ? undefined : request.key.digest,
  ): LeasedQuery {
    const { endpoint, parameters, deadlineMs, key } = request;
    const requestId = randomUUID();
    const startedAtMs = clock.nowMs();
    const isJob = deadlineMs - startedAtMs < SHORT_REQUEST_MS || outlasts(endpoint, SHORT_RUN_MS);
    return {
      requestId,
      jobId: isJob && account === undefined ? requestId : undefined,
      startedAtMs,
      endsAtMs: startedAtMs + jobSecondsOf(endpoint, deps.jobTimeoutSeconds) * 1000,
      endpointId: endpoint.id,
      resultDigest: endpoint.resultDigest,
      parameters,
      keyName: key?.name ?? '',
      keyDigest: key?.digest,
      account,
    };
  }

  /**
   * The query that the holder of the lease runs: its own, or one that runs already unless newer rows were demanded since. At
   * most one query of a result runs.
   */
  async function choose(held: HeldLease, beginAnother: () => LeasedQuery, demandedMs = -Infinity) {
    const { query, isJoined, overdue } = held;
    const isOutdated = isJoined && (query?.startedAtMs ?? 0) < demandedMs;
    const former = isOutdated ? query : overdue;
    if (former !== undefined) await queryRunner.cancel(former);
    if (query !== undefined && !isOutdated) return { query, isJoined };
    const another = beginAnother();
    await held.record(another);
    return { query: another, isJoined: false };
  }

  /**
   * Runs the query of a lease, whether it is started or joined, and settles its bytes; `query` then has its last ids. If its
   * bytes are bounded, it is a job, which the lease names once its debt is written.
   */
  async function run<T>(
    query: LeasedQuery,
    held: Pick<HeldLease, 'record'>,
    compute: (terms: Partial<QueryTerms>) => Promise<T>,
    bound: Bound,
  ): Promise<T> {
    let billed: number | undefined;
    let isEnded = false;
    const mustReserve = query.account !== undefined && query.jobId === undefined;
    const lasting: LastingQuery = {
      started: { requestId: query.requestId, jobId: query.jobId, isStarted: query.isStarted },
      endsAtMs: query.endsAtMs,
      async record({ requestId, jobId, isStarted }) {
        const started = { requestId, jobId, isStarted };
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
      const { keyName: name, keyDigest: digest = '' } = query;
      const computed = await compute({
        // Whoever sends the query: its labels name the key that pays.
        key: name === '' ? undefined : { name, digest },
        ...{ lasting, startedAtMs: query.startedAtMs, asJob: mustReserve || undefined },
        reserve: mustReserve ? reserve : undefined,
        onBilled: (bytes) => void (billed = bytes),
      });
      await settle(debtOf(query), billed);
      return computed;
    } catch (error) {
      if (billed !== undefined || !goesOn(error)) await settle(debtOf(query), billed, true);
      const isRunning = reasonOf(error) === 'QUERY_RUNNING';
      throw isRunning ? stillRunning({ ...query, isStarted: true }) : error;
    } finally {
      isEnded = true;
    }

    /** Not once the run has ended: its lease is released, and nobody sends the job. */
    async function reserve(estimate: () => Promise<number>): Promise<void> {
      query.expectedBytes = await estimate().catch(() => deps.maxBytesBilled);
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
    if (runMs === undefined || computedAtMs < (lastRuns.get(endpointId)?.startedAtMs ?? 0)) return;
    lastRuns.set(endpointId, { runMs, bytesProcessed, startedAtMs: computedAtMs });
  }

  /** Whether the last run took longer; false if it is not known. */
  function outlasts({ id }: Pick<Endpoint, 'id'>, ms: number): boolean {
    return (lastRuns.get(id)?.runMs ?? 0) > ms;
  }

  /** The error for a request whose time is over before that of its query, if BigQuery has that. */
  function stillRunning(query: LeasedQuery | undefined): ServiceError {
    if (query?.isStarted !== true) return usualError('QUERY_STARTING');
    const { endpointId, startedAtMs } = query;
    const elapsedMs = Math.max(0, clock.nowMs() - startedAtMs);
    const restMs = (lastRuns.get(endpointId)?.runMs ?? 0) - elapsedMs;
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
