// Queries that outlive the requests that started them: begins them, bounds those that are left, and says how long to wait.
import { randomUUID } from 'node:crypto';
import type { Clock } from '../core/clock.ts';
import { ServiceError, toServiceError, usualError } from '../core/errors.ts';
import type { HeldLease, LeaseStore, LeasedQuery, NamedQuery } from '../core/leases.ts';
import type { Log } from '../core/log.ts';
import type { LastingQuery, QueryRunner } from '../core/query-runner.ts';
import type { Entry } from '../core/result-store.ts';
import { type Endpoint, jobSecondsOf } from '../endpoints/endpoint.ts';
import type { CanonicalParameters } from '../endpoints/parameters.ts';
import type { AuthenticatedKey } from '../keys/access.ts';

export interface RunningQueriesDeps {
  clock: Clock;
  leaseStore: Pick<LeaseStore, 'queries'>;
  queryRunner: Pick<QueryRunner, 'cancel'>;
  log: Log;
  jobTimeoutSeconds: number;
}

/** The last run of a query that an instance has computed, or read the rows of. */
export interface LastRun {
  startedAtMs: number;
  runMs: number;
  bytesProcessed: number;
}

/** The most queries of one API key that go on without a request. */
const LEFT_PER_KEY_MAX = 5;
/** The most that one instance has left. */
const LEFT_PER_INSTANCE_MAX = 100;
/** A query that took longer is started as a job: its id is then known before it runs, so that it cannot be lost. */
const SHORT_RUN_MS = 3000;
const RETRY_SECONDS = 5;
const RETRY_SECONDS_MAX = 60;

export function createRunningQueries(deps: RunningQueriesDeps) {
  const { clock, leaseStore, queryRunner, log } = deps;
  /** By the id of the endpoint. */
  const lastRuns = new Map<string, LastRun>();
  /** When those that this instance has left end, by `requestId`. */
  const leftHere = new Map<string, number>();

  return { begin, settle, terms, done, learn, lastRunOf, outlasts, checkLeft, leave, stillRunning };

  /** A query for the lease of a result; it is started by whoever runs it first. */
  function begin(
    endpoint: Endpoint,
    parameters: CanonicalParameters,
    key?: Pick<AuthenticatedKey, 'name' | 'digest' | 'bytesPerDay'>,
    isJob = outlasts(endpoint, SHORT_RUN_MS),
  ): LeasedQuery {
    const requestId = randomUUID();
    const startedAtMs = clock.nowMs();
    return {
      requestId,
      jobId: isJob ? requestId : undefined,
      startedAtMs,
      endsAtMs: startedAtMs + jobSecondsOf(endpoint, deps.jobTimeoutSeconds) * 1000,
      endpointId: endpoint.id,
      resultDigest: endpoint.resultDigest,
      parameters,
      keyName: key?.name ?? '',
      account: key?.bytesPerDay === undefined ? undefined : key.digest,
    };
  }

  /**
   * The query that the holder of the lease runs: its own, or one that runs already unless it is outdated. At most one query of
   * a result runs.
   */
  async function settle(held: HeldLease, isOutdated: boolean, beginAnother: () => LeasedQuery) {
    const former = isOutdated ? held.query : held.overdue;
    if (former !== undefined) await queryRunner.cancel(former);
    if (!isOutdated && held.query !== undefined) {
      return { query: held.query, isJoined: held.isJoined };
    }
    const query = beginAnother();
    await held.record(query);
    return { query, isJoined: false };
  }

  /** To run the query of a lease, whether it is started or joined; `query` then has its last ids. */
  function terms(query: LeasedQuery, held: Pick<HeldLease, 'record' | 'charge'>) {
    const lasting: LastingQuery = {
      started: { requestId: query.requestId, jobId: query.jobId },
      endsAtMs: query.endsAtMs,
      record: (started) => held.record(Object.assign(query, started)),
    };
    const onBilled = (bytes: number): void => held.charge(bytes);
    return { lasting, onBilled, startedAtMs: query.startedAtMs };
  }

  function done({ requestId }: LeasedQuery, entry: Entry): void {
    leftHere.delete(requestId);
    learn(entry);
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

  /** Throws JOBS_RUNNING if one more query of the key may not go on without a request. */
  async function checkLeft(keyName: string): Promise<void> {
    const nowMs = clock.nowMs();
    for (const [id, endsAtMs] of leftHere) if (endsAtMs <= nowMs) leftHere.delete(id);
    // If it cannot be counted, the bound of the instance still holds.
    const running = await leaseStore.queries(clock.nowMs()).catch(() => []);
    const isLeft = ({ query, isHeld }: NamedQuery) =>
      !isHeld && query.keyName === keyName && query.jobId !== undefined;
    if (running.filter(isLeft).length < LEFT_PER_KEY_MAX && leftHere.size < LEFT_PER_INSTANCE_MAX)
      return;
    throw usualError('JOBS_RUNNING');
  }

  /** The query goes on, or, if one more may not, is cancelled. Returns the error for its caller. */
  async function leave(query: LeasedQuery): Promise<ServiceError> {
    try {
      await checkLeft(query.keyName);
    } catch (error) {
      await queryRunner.cancel(query);
      return toServiceError(error);
    }
    leftHere.set(query.requestId, query.endsAtMs);
    const { endpointId, jobId } = query;
    const fields = { event: 'query_left', endpointId, jobId };
    log.write('INFO', 'A query goes on without its request.', fields);
    return stillRunning(query);
  }

  /** The error for a request whose time is over before that of its query. */
  function stillRunning(query: Pick<LeasedQuery, 'endpointId' | 'startedAtMs'>): ServiceError {
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
