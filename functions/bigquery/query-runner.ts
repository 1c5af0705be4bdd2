// Runs a saved query in BigQuery, or joins one that runs: page by page, with retries. Cancels queries that nobody can join.
import { randomUUID } from 'node:crypto';
import { withDeadline } from '../core/clock.ts';
import { errorCode, ServiceError, usualError } from '../core/errors.ts';
import { goesOn } from '../core/leases.ts';
import { createMemoryBudget } from '../core/memory-budget.ts';
import {
  MIN_BYTES_BILLED,
  type QueryOutcome,
  type QueryRequest,
  type QueryRunner,
  type QueryIds,
} from '../core/query-runner.ts';
import type { Uses } from '../core/services.ts';
import { classifyError, withoutValues } from './classify-error.ts';
import {
  CANCEL_MS,
  type QueryCallsDeps,
  type QueryState,
  type ReadPage,
  type Run,
  createQueryCalls,
  queryState,
} from './query-calls.ts';

interface BigQueryRunnerDeps extends QueryCallsDeps, Uses<'maxReadingMib'> {
  /** True on a laptop: what BigQuery says is not hidden where it may quote a value of a caller. */
  showsValues?: boolean;
  /** An instance that is being stopped starts no query; once `signal` aborts, those that do not last are cancelled. */
  shutdown?: { isStopping: () => boolean; signal: AbortSignal };
}

const MIB = 1024 * 1024;
const ATTEMPTS_MAX = 4;
const BACKOFF_FIRST_MS = 250;
/** The least time between two calls for one job. */
const POLL_PAUSE_MS = 100;
/** With less time left than this, no query is started: it would be cancelled at once. */
const LEFT_MS_MIN = 200;
const REASONS_TO_CANCEL: readonly ServiceError['reason'][] = [
  'QUERY_DEADLINE_EXCEEDED',
  'QUERY_QUOTA_EXHAUSTED',
  'RESULT_BYTES_LIMIT',
];

/** Rejects with a ServiceError, or the original error if callers are not told it. Cancels a query that it gives up first. */
export function createBigQueryRunner(deps: BigQueryRunnerDeps): QueryRunner {
  const { clock, shutdown } = deps;
  const openReading = createMemoryBudget(deps.maxReadingMib * MIB, clock);
  const queryJob = createQueryCalls(deps);
  return { run, cancel: queryJob.cancel, look: queryJob.look };

  async function run(request: QueryRequest): Promise<QueryOutcome> {
    const { lasting, deadlineMs } = request;
    const startedMs = clock.nowMs();
    const leftMs = deadlineMs - startedMs;
    const job = queryState(lasting?.started ?? newQuery(), request.asJob);
    if (shutdown?.isStopping()) throw usualError('INSTANCE_STOPPING');
    if (leftMs < LEFT_MS_MIN) throw late(request, job);
    // The rest is for cancelling the job, or for leaving it: nothing runs after the answer.
    const beforeDeadlineMs = deadlineMs - Math.min(CANCEL_MS, Math.floor(leftMs / 2));
    const endsAtMs = lasting?.endsAtMs ?? beforeDeadlineMs;
    const workUntilMs = Math.min(beforeDeadlineMs, endsAtMs);
    const over = new AbortController();
    const { signal } = over;
    const reading = openReading(signal, request.key?.name);
    const stopped = Promise.withResolvers<never>();
    const stop = (): void => stopped.reject(usualError('INSTANCE_STOPPING'));
    // Not by the option `signal`: Node.js may forget to remove the listener of one of several runs.
    shutdown?.signal.addEventListener('abort', stop);
    const work = readPages({ request, job, reading, workUntilMs, endsAtMs, signal });
    const outcome = Promise.race([work, stopped.promise]);
    try {
      return await withDeadline(clock, workUntilMs - startedMs, outcome, () => {
        // This instance is slow, not BigQuery: it waits for memory, or `onPage` is still busy with a page. The page of a
        // batch does not count: its deadline must be reported as such, so that warming halves the batch.
        const isHeldUp = reading.isWaiting() || (job.isHandingOn && request.keys === undefined);
        return isHeldUp ? usualError('INSTANCE_BUSY') : late(request, job);
      }).finally(() => {
        shutdown?.signal.removeEventListener('abort', stop);
        over.abort();
      });
    } catch (error) {
      // The query may still run, and would be billed.
      if (error instanceof ServiceError && isToCancel(error, request)) {
        await queryJob.cancel(job, Math.min(CANCEL_MS, deadlineMs - clock.nowMs()));
      }
      throw error;
    }
  }

  /** The error for a query that has not finished in time. */
  function late({ lasting }: QueryRequest, job: QueryState): ServiceError {
    if (lasting !== undefined && clock.nowMs() < lasting.endsAtMs) {
      if (job.isStarted) return new ServiceError('QUERY_RUNNING', 'The query is still running.');
      return usualError(job.isJob ? 'QUERY_STARTING' : 'QUERY_ENGINE_UNAVAILABLE');
    }
    return usualError('QUERY_DEADLINE_EXCEEDED');
  }

  async function readPages(run: Run): Promise<QueryOutcome> {
    const { request, job, reading } = run;
    let bytesBilled: number | undefined;
    // So that a request with a second has time to send the job, though the answer takes most of it.
    const estimateMs = (run.workUntilMs - clock.nowMs()) / 2;
    if (request.reserve) await request.reserve(() => queryJob.estimate(request, estimateMs));
    for (;;) {
      const page = await nextPage(run);
      // The run has rejected by now, and its results are dropped.
      if (run.signal.aborted || clock.nowMs() >= run.workUntilMs) throw late(request, job);
      const { schema, rows, bytes, totalRows, pageToken, ...outcome } = page;
      if (bytesBilled === undefined) {
        bytesBilled = billedFor(page);
        request.onBilled?.(bytesBilled);
      }
      const { jobId, localRowsCut } = outcome;
      job.rowCount += rows.length;
      Object.assign(job, { totalRows, pageToken });
      // The bound is per page for a batch, because each page contains other results.
      if (request.keys === undefined) job.resultBytes += bytes;
      job.isHandingOn = true;
      await request.onPage({ schema, rows, jobId, localRowsCut });
      job.isHandingOn = false;
      reading.release(bytes);
      if (pageToken !== undefined) continue;
      return { ...outcome, bytesBilled, truncated: totalRows > request.rowCountMax };
    }
  }

  /**
   * A failed call is repeated for the same query; BigQuery recognises it by its id. A query that failed, that could not be
   * started twice, or whose job is missing twice, is replaced by a new one, unless some of its rows were read already.
   */
  async function nextPage(run: Run): Promise<ReadPage> {
    const { request, job, signal, workUntilMs } = run;
    for (let attempt = 1; ; attempt += 1) {
      // Each attempt starts the query until a page was read, but no job that BigQuery has.
      const isFirst = job.pageToken === undefined;
      // An error of jobs.query may be one of the rows.
      let isAccepted = !isFirst || !job.isJob;
      try {
        let page = isFirst ? await queryJob.start(run) : undefined;
        isAccepted = true;
        // Until the job is done there is no page.
        while (page === undefined) {
          if (signal.aborted || clock.nowMs() >= workUntilMs) throw late(request, job);
          page = await queryJob.readPage(run);
          if (page === undefined) await clock.wait(POLL_PAUSE_MS, signal);
        }
        return page;
      } catch (thrown) {
        const { error, retry } = classifyError(thrown, isAccepted, (said) =>
          deps.showsValues ? said : withoutValues(said, request.sql, job.jobId),
        );
        const backoffMs = BACKOFF_FIRST_MS * 2 ** (attempt - 1) * (1 + Math.random() / 2);
        const isLast = attempt === ATTEMPTS_MAX || clock.nowMs() + backoffMs >= workUntilMs;
        if (retry === 'never' || isLast || signal.aborted) throw error;
        const isRunning = isAccepted && job.jobId !== undefined && errorCode(thrown) !== 404;
        if (isFirst && (retry === 'job' || (job.wasTried && !isRunning))) {
          await queryJob.cancel(job);
          if (signal.aborted) throw error;
          Object.assign(job, queryState(newQuery(), job.isJob));
          await request.lasting?.record(job);
        } else {
          job.wasTried = true;
        }
        await clock.wait(backoffMs, signal);
        if (signal.aborted) throw error;
      }
    }
  }
}

/** Only jobs.query states it. https://cloud.google.com/bigquery/pricing#on_demand_pricing */
function billedFor({ bytesBilled, bytesProcessed, isCacheHit }: ReadPage): number {
  if (bytesBilled !== undefined) return bytesBilled;
  if (isCacheHit || bytesProcessed === 0) return 0;
  return Math.max(MIN_BYTES_BILLED, Math.ceil(bytesProcessed / MIB) * MIB);
}

/** A query that lasts is left if it may still run: its rows can be had later. */
function isToCancel(error: ServiceError, { lasting }: QueryRequest): boolean {
  return (lasting === undefined && goesOn(error)) || REASONS_TO_CANCEL.includes(error.reason);
}

const newQuery = (): QueryIds => ({ requestId: randomUUID() });
