// Runs a saved query as one BigQuery job: page by page, with retries, and cancels abandoned jobs.
import { randomUUID } from 'node:crypto';
import { withDeadline } from '../core/clock.ts';
import { type Reason, ServiceError, instanceStopping } from '../core/errors.ts';
import type { QueryRequest, QueryOutcome, QueryRunner } from '../core/query-runner.ts';
import { classifyError } from './classify-error.ts';
import { type QueryJobDeps, type ReadPage, type Run, createQueryJob } from './query-job.ts';
import { createReadingBudget, instanceBusy } from './reading-budget.ts';
import { withoutValues } from './without-values.ts';

interface BigQueryRunnerDeps extends QueryJobDeps {
  /** Bound on the bytes that all runs keep in memory at once; one result may exceed it. */
  maxReadingMib: number;
  /** Aborts when the instance is being stopped: running jobs are then cancelled. */
  stopSignal?: AbortSignal | undefined;
}

const MIB = 1024 * 1024;
const ATTEMPTS_MAX = 4;
const BACKOFF_FIRST_MS = 250;
/** The least time between two calls for one job. */
const POLL_PAUSE_MS = 100;
/** Time before the deadline that is reserved for cancelling the job: nothing runs after the answer. */
const CANCEL_MS = 1000;
/** With less time left than this, no job is started: it would be cancelled at once. */
const LEFT_MS_MIN = 200;
const REASONS_TO_CANCEL = new Set<Reason>([
  'INSTANCE_BUSY',
  'INSTANCE_STOPPING',
  'QUERY_DEADLINE_EXCEEDED',
  'QUERY_ENGINE_UNAVAILABLE',
  'QUERY_QUOTA_EXHAUSTED',
  'RESULT_BYTES_LIMIT',
]);

/** Rejects with a ServiceError, or the original error if callers are not told it. Cancels a job that it gives up first. */
export function createBigQueryRunner(deps: BigQueryRunnerDeps): QueryRunner {
  const { clock, stopSignal } = deps;
  const readingBudget = createReadingBudget(deps.maxReadingMib * MIB, clock);
  const queryJob = createQueryJob(deps);
  return { run };

  async function run(request: QueryRequest): Promise<QueryOutcome> {
    const startedMs = clock.nowMs();
    const leftMs = request.deadlineMs - startedMs;
    if (stopSignal?.aborted) throw instanceStopping();
    if (leftMs < LEFT_MS_MIN) throw deadlineExceeded();
    const workUntilMs = request.deadlineMs - Math.min(CANCEL_MS, Math.floor(leftMs / 2));
    const over = new AbortController();
    const reading = readingBudget.open(request.owner);
    const job = newJob();
    const work = readPages({ request, job, reading, workUntilMs, signal: over.signal });
    // True if this instance is slow, not BigQuery: it waits for memory, or `onPage` is still busy with a page. The page of
    // a batch does not count: its deadline must be reported as such, so that warming halves the batch.
    const isHeldUp = (): boolean =>
      reading.isWaiting() || (job.isHandingOn && request.keys === undefined);
    const outcome = Promise.race([work, reading.refused, whenStopped(over.signal)]);
    const end = (): void => {
      over.abort();
      reading.close();
    };
    try {
      return await withDeadline(clock, workUntilMs - startedMs, outcome, () =>
        isHeldUp() ? instanceBusy() : deadlineExceeded(),
      ).finally(end);
    } catch (error) {
      // The job may still run, and would be billed.
      if (error instanceof ServiceError && REASONS_TO_CANCEL.has(error.reason)) {
        await queryJob.cancel(job.jobId, Math.min(CANCEL_MS, request.deadlineMs - clock.nowMs()));
      }
      throw withoutValues(error, request);
    }
  }

  async function readPages(run: Run): Promise<QueryOutcome> {
    const { request, job, reading } = run;
    for (;;) {
      const page = await nextPage(run);
      // The run has rejected by now, and its results are dropped.
      if (run.signal.aborted || clock.nowMs() >= run.workUntilMs) throw deadlineExceeded();
      const { schema, rows, bytes, totalRows, bytesProcessed, localRowsCut } = page;
      const origin = { jobId: job.jobId, localRowsCut };
      job.rowCount += rows.length;
      job.totalRows = totalRows;
      job.pageToken = page.pageToken;
      // The bound is per page for a batch, because each page contains other results.
      if (request.keys === undefined) job.resultBytes += bytes;
      job.isHandingOn = true;
      await request.onPage({ schema, rows, ...origin });
      job.isHandingOn = false;
      reading.release(bytes);
      if (job.pageToken !== undefined) continue;
      const truncated = totalRows > request.rowCountMax;
      return { truncated, bytesProcessed, ...origin };
    }
  }

  /**
   * A failed call is repeated for the same job; BigQuery recognises the job by its id. A job that failed,
   * or whose call failed twice, is replaced by a new job, unless some of its rows were read already.
   */
  async function nextPage(run: Run): Promise<ReadPage> {
    const { job, signal, workUntilMs } = run;
    for (let attempt = 1; ; attempt += 1) {
      // Each attempt inserts until a page was read; BigQuery ignores a job that it has.
      let isInserted = job.pageToken !== undefined;
      try {
        if (!isInserted) await queryJob.insert(run);
        isInserted = true;
        return await awaitPage(run);
      } catch (thrown) {
        const { error, retry } = classifyError(thrown, isInserted);
        const backoffMs = BACKOFF_FIRST_MS * 2 ** (attempt - 1) * (1 + Math.random() / 2);
        const isLast = attempt === ATTEMPTS_MAX || clock.nowMs() + backoffMs >= workUntilMs;
        if (retry === 'never' || isLast || signal.aborted) throw error;
        if (job.pageToken === undefined && (retry === 'job' || job.wasTried)) {
          await queryJob.cancel(job.jobId, CANCEL_MS);
          if (signal.aborted) throw error;
          Object.assign(job, newJob());
        } else {
          job.wasTried = true;
        }
        await clock.wait(backoffMs, signal);
        if (signal.aborted) throw error;
      }
    }
  }

  /** Polls until the job is done: before, `readPage` gives undefined. */
  async function awaitPage(run: Run): Promise<ReadPage> {
    while (clock.nowMs() < run.workUntilMs && !run.signal.aborted) {
      const page = await queryJob.readPage(run);
      if (page !== undefined) return page;
      await clock.wait(POLL_PAUSE_MS, run.signal);
    }
    throw deadlineExceeded();
  }

  /** Rejects when the instance is being stopped; listens until `signal` aborts. */
  function whenStopped(signal: AbortSignal): Promise<never> {
    return new Promise((_, reject) => {
      const stop = (): void => reject(instanceStopping());
      stopSignal?.addEventListener('abort', stop);
      // Not with the option `signal`, which references its listener weakly: some listeners were never removed.
      signal.addEventListener('abort', () => stopSignal?.removeEventListener('abort', stop), {
        once: true,
      });
    });
  }
}

function newJob(): Run['job'] {
  return {
    jobId: randomUUID(),
    wasTried: false,
    rowCount: 0,
    totalRows: undefined,
    resultBytes: 0,
    pageToken: undefined,
    isHandingOn: false,
  };
}

function deadlineExceeded(): ServiceError {
  return new ServiceError(
    'QUERY_DEADLINE_EXCEEDED',
    'The query did not finish in time and was cancelled. Try again, or narrow the request, if a parameter allows it.',
  );
}
