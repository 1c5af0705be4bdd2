// Runs a saved query as one BigQuery job: inserts, polls, reads pages, retries, and cancels what is given up.
import { randomUUID } from 'node:crypto';
import type { RestCall } from './bigquery-rest.ts';
import { type ResultsPage, checkPage, isOfJob } from './check-page.ts';
import { classifyError, invalidAnswer } from './classify-error.ts';
import { withDeadline } from '../core/deadline.ts';
import { errorCode } from '../core/error-code.ts';
import { type Reason, ServiceError, instanceStopping } from '../core/errors.ts';
import type { Clock } from '../core/clock.ts';
import type { QueryRequest, QueryOutcome, QueryRunner } from '../core/query-runner.ts';
import { resultTooLarge } from '../core/query-errors.ts';
import { queryConfiguration } from './query-configuration.ts';
import { withoutValues } from './without-values.ts';
import { type Reading, createReadingBudget, instanceBusy } from './reading-budget.ts';

interface BigQueryRunnerDeps {
  /** BigQuery's REST API in the name of `project`. */
  call: RestCall;
  clock: Clock;
  /** Location of the jobs. */
  project: string;
  /** `dataset` or `project.dataset`, where unqualified table names are looked up. */
  dataset: string;
  location: string;
  maxBytesBilled: number;
  /** Bound on a result as BigQuery sends it. */
  maxResultMib: number;
  /** Bound on the bytes that all runs hold at once; one result may exceed it. */
  maxReadingMib: number;
  /** Aborts when the instance is being stopped: running jobs are then cancelled. */
  stopSignal?: AbortSignal | undefined;
}

/** The job of a run, and how many of its rows are read. */
interface JobState {
  jobId: string;
  wasTried: boolean;
  rowCount: number;
  totalRows: number | undefined;
  /** Bytes of the pages that count for the bound on a result. */
  resultBytes: number;
  /** Where the next page begins; undefined before the first one. */
  pageToken: string | undefined;
  /** Whether a page was handed on and is not taken yet. */
  isHandingOn: boolean;
}

/** The state that the steps of a run share. */
interface Run {
  request: QueryRequest;
  job: JobState;
  reading: Reading;
  workUntilMs: number;
  /** Aborts when the run has an outcome; calls that are still open end. */
  signal: AbortSignal;
}

interface ReadPage extends ResultsPage {
  /** Size as BigQuery sent it; counted in the run's share of the reading budget. */
  bytes: number;
}

const MIB = 1024 * 1024;
const ATTEMPTS_MAX = 4;
const BACKOFF_FIRST_MS = 250;
/**
 * A page of a batch holds many results. BigQuery itself ends a page at 10 or 20 MB (its documentation
 * says both), which is less than three times the default of MAX_RESULT_MIB.
 */
const RESULTS_PER_PAGE_MAX = 3;
/** Rows per call. */
const PAGE_ROWS_MAX = 10_000;
/** How long one call waits for a job; BigQuery allows more, a proxy in between may not. */
const POLL_MS_MAX = 10_000;
/** The least time between two calls for one job. */
const POLL_PAUSE_MS = 100;
/** Time before the deadline that is reserved for cancelling the job: nothing runs after the answer. */
const CANCEL_MS = 1000;
/** The most that is read of the answer to a cancellation; the rest is not needed. */
const CANCEL_ANSWER_BYTES_MAX = MIB;
const BUDGET_MS_MIN = 200;
const MAY_STILL_RUN = new Set<Reason>([
  'INSTANCE_BUSY',
  'INSTANCE_STOPPING',
  'QUERY_DEADLINE_EXCEEDED',
  'QUERY_ENGINE_UNAVAILABLE',
  'QUERY_QUOTA_EXHAUSTED',
  'RESULT_BYTES_LIMIT',
]);

/**
 * Rejects with a ServiceError for invalid parameters, limits and availability, and with the original error
 * for all others. A job that is given up is cancelled first.
 */
export function createBigQueryRunner(deps: BigQueryRunnerDeps): QueryRunner {
  const { call, clock, stopSignal } = deps;
  const budget = createReadingBudget(deps.maxReadingMib * MIB, clock);
  return { run };

  async function run(request: QueryRequest): Promise<QueryOutcome> {
    const startedMs = clock.nowMs();
    const budgetMs = request.deadlineMs - startedMs;
    if (stopSignal?.aborted) throw instanceStopping();
    // Too late to start: the job would be cancelled at once.
    if (budgetMs < BUDGET_MS_MIN) throw deadlineExceeded();
    const workUntilMs = request.deadlineMs - Math.min(CANCEL_MS, Math.floor(budgetMs / 2));
    const over = new AbortController();
    const job: JobState = {
      jobId: randomUUID(),
      wasTried: false,
      rowCount: 0,
      totalRows: undefined,
      resultBytes: 0,
      pageToken: undefined,
      isHandingOn: false,
    };
    const reading = budget.open(request.owner);
    const work = readPages({ request, job, reading, workUntilMs, signal: over.signal });
    // By this instance, not by BigQuery. The page of a batch may be what takes so long: half a batch may be in time.
    const isHeldUp = (): boolean =>
      reading.isWaiting() || (job.isHandingOn && request.keys === undefined);
    try {
      return await withDeadline(
        clock,
        workUntilMs - startedMs,
        Promise.race([work, reading.refused, whenStopped(over.signal)]),
        () => (isHeldUp() ? instanceBusy() : deadlineExceeded()),
      );
    } catch (error) {
      over.abort();
      reading.close();
      // The job may still run, and would be billed.
      if (error instanceof ServiceError && MAY_STILL_RUN.has(error.reason)) {
        await cancel(job.jobId, Math.min(CANCEL_MS, request.deadlineMs - clock.nowMs()));
      }
      throw withoutValues(error, request);
    } finally {
      over.abort();
      reading.close();
    }
  }

  /** Rejects when the instance is being stopped; listens until `signal` aborts. */
  function whenStopped(signal: AbortSignal): Promise<never> {
    return new Promise((_, reject) => {
      const stop = (): void => reject(instanceStopping());
      stopSignal?.addEventListener('abort', stop);
      // Not by the option `signal`, which holds its listener weakly: some were seen to stay.
      signal.addEventListener('abort', () => stopSignal?.removeEventListener('abort', stop), {
        once: true,
      });
    });
  }

  async function readPages(run: Run): Promise<QueryOutcome> {
    const { request, job, reading } = run;
    for (;;) {
      const page = await nextPage(run);
      // The run has rejected by now, and its results are dropped.
      if (run.signal.aborted || clock.nowMs() >= run.workUntilMs) throw deadlineExceeded();
      const { schema, rows, bytes, totalRows, bytesProcessed } = page;
      job.rowCount += rows.length;
      job.totalRows = totalRows;
      job.pageToken = page.pageToken;
      // The bound is per page for a batch, because each page holds other results.
      if (request.keys === undefined) job.resultBytes += bytes;
      job.isHandingOn = true;
      await request.onPage({ schema, rows, jobId: job.jobId });
      job.isHandingOn = false;
      reading.release(bytes);
      if (job.pageToken !== undefined) continue;
      const truncated = totalRows > request.rowCountMax;
      return { truncated, jobId: job.jobId, bytesProcessed };
    }
  }

  /**
   * A failed call is repeated for the same job; BigQuery recognises the job by its id. A job that failed,
   * or whose call failed twice, is replaced by a new job, unless some of its rows were read already.
   */
  async function nextPage(run: Run): Promise<ReadPage> {
    const { job, signal, workUntilMs } = run;
    for (let attempt = 1; ; attempt += 1) {
      let isInserted = job.pageToken !== undefined;
      try {
        if (!isInserted) await insertJob(run);
        isInserted = true;
        return await awaitPage(run);
      } catch (error) {
        const classified = classifyError(error, isInserted);
        const backoffMs = BACKOFF_FIRST_MS * 2 ** (attempt - 1) * (1 + Math.random() / 2);
        const isLast = attempt === ATTEMPTS_MAX || clock.nowMs() + backoffMs >= workUntilMs;
        if (!classified.isTransient || isLast || signal.aborted) throw classified.error;
        if (job.pageToken === undefined && (classified.isOfJob || job.wasTried)) {
          await cancel(job.jobId, CANCEL_MS);
          if (signal.aborted) throw classified.error;
          job.jobId = randomUUID();
          job.wasTried = false;
        } else {
          job.wasTried = true;
        }
        await clock.wait(backoffMs, signal);
        if (signal.aborted) throw classified.error;
      }
    }
  }

  async function awaitPage(run: Run): Promise<ReadPage> {
    const { request, job, workUntilMs, signal } = run;
    while (clock.nowMs() < workUntilMs && !signal.aborted) {
      const { answer, bytes } = await boundedCall(run, 'GET', `/queries/${job.jobId}`, {
        location: deps.location,
        'formatOptions.useInt64Timestamp': 'true',
        maxResults: String(Math.min(PAGE_ROWS_MAX, request.rowCountMax - job.rowCount)),
        timeoutMs: String(
          Math.max(1, Math.floor(Math.min(POLL_MS_MAX, workUntilMs - clock.nowMs()))),
        ),
        ...(job.pageToken === undefined ? {} : { pageToken: job.pageToken }),
      });
      const page = checkedPage(run, answer, bytes);
      if (page !== undefined) return { ...page, bytes };
      // An unfinished job looks like an empty result: only a flag tells them apart.
      await clock.wait(POLL_PAUSE_MS, signal);
    }
    throw deadlineExceeded();
  }

  /** Undefined for a job that has not finished; the bytes of a page stay counted. */
  function checkedPage(
    { request, job, reading }: Run,
    answer: unknown,
    bytes: number,
  ): ResultsPage | undefined {
    let page: ResultsPage | undefined;
    try {
      page = checkPage(answer, { ...request, ...job });
      return page;
    } finally {
      if (page === undefined) reading.release(bytes);
    }
  }

  async function insertJob(run: Run): Promise<void> {
    const { request, job, reading } = run;
    try {
      const { answer, bytes } = await boundedCall(
        run,
        'POST',
        '/jobs',
        {},
        {
          jobReference: {
            projectId: deps.project,
            jobId: job.jobId,
            location: deps.location,
          },
          configuration: {
            query: {
              ...queryConfiguration(request, deps.dataset),
              maximumBytesBilled: String(deps.maxBytesBilled),
            },
            // The job's own timeout ends it if this process dies and cannot cancel it.
            jobTimeoutMs: String(Math.max(1000, Math.ceil(run.workUntilMs - clock.nowMs()))),
            labels: { service: 'saved-queries', endpoint: labelValue(request.endpoint) },
          },
        },
      );
      reading.release(bytes);
      if (!isOfJob(answer, job.jobId)) {
        throw invalidAnswer('BigQuery answers with something else than the job that was inserted.');
      }
    } catch (error) {
      if (error instanceof ServiceError && error.reason === 'RESULT_BYTES_LIMIT') {
        throw invalidAnswer('BigQuery answers an insert with more bytes than a result may have.');
      }
      // An earlier call, whose answer was lost, has already created this job.
      if (errorCode(error) !== 409) throw error;
    }
  }

  /** A call whose answer is within the bounds; its bytes are counted in the reading budget. */
  async function boundedCall(
    { request, job, reading, signal }: Run,
    ...[method, path, search, body]: [
      method: 'GET' | 'POST',
      path: string,
      search: Record<string, string>,
      body?: object,
    ]
  ): Promise<{ answer: unknown; bytes: number }> {
    let bytes = 0;
    const results = request.keys === undefined ? 1 : RESULTS_PER_PAGE_MAX;
    const bytesMax = results * deps.maxResultMib * MIB;
    const take = async (count: number): Promise<void> => {
      if (job.resultBytes + bytes + count > bytesMax) {
        throw resultTooLarge();
      }
      await reading.take(count, signal);
      bytes += count;
    };
    try {
      return { answer: await call(method, path, search, body, { signal, onBytes: take }), bytes };
    } catch (error) {
      reading.release(bytes);
      throw error;
    }
  }

  /** Best effort, and bounded: a job that cannot be cancelled ends by its own timeout. */
  async function cancel(jobId: string, withinMs: number): Promise<void> {
    const over = new AbortController();
    let bytes = 0;
    const cancelled = call(
      'POST',
      `/jobs/${jobId}/cancel`,
      { location: deps.location },
      undefined,
      {
        signal: over.signal,
        onBytes: (count) => {
          bytes += count;
          if (bytes > CANCEL_ANSWER_BYTES_MAX) throw invalidAnswer('The answer is too large.');
          return undefined;
        },
      },
    );
    await withDeadline(clock, withinMs, cancelled, deadlineExceeded).catch(() => undefined);
    over.abort();
  }
}

/** Label values allow lower-case letters, digits, `_` and `-` only. */
function labelValue(endpoint: string): string {
  return endpoint.replaceAll('.', '_').slice(0, 63);
}

function deadlineExceeded(): ServiceError {
  return new ServiceError(
    'QUERY_DEADLINE_EXCEEDED',
    'The query did not finish in time and was cancelled. Try again, or ask for a shorter interval.',
  );
}
