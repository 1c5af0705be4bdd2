// Runs saved queries in BigQuery: one job a query, bounded in time, bytes and rows.
import { randomUUID } from 'node:crypto';
import type { BigQuery, Job } from '@google-cloud/bigquery';
import { withDeadline } from '../core/deadline.ts';
import { type Reason, ServiceError } from '../core/errors.ts';
import type {
  Clock,
  ColumnSchema,
  QueryRequest,
  QueryResult,
  QueryRunner,
  WireRow,
} from '../core/ports.ts';
import { classifyFault } from '../core/query-fault.ts';

interface BigQueryRunnerDeps {
  /** Made with `retryOptions: { autoRetry: false }`: the retries here know the deadline. */
  bigquery: BigQuery;
  clock: Clock;
  /** `dataset` or `project.dataset`, where unqualified table names are looked up. */
  dataset: string;
  location: string;
  maxBytesBilled: number;
  /** When it aborts, running jobs are cancelled and `run` rejects with INSTANCE_STOPPING. */
  stopSignal?: AbortSignal;
}

/** `jobs.getQueryResults` (https://cloud.google.com/bigquery/docs/reference/rest/v2/jobs/getQueryResults). */
interface ResultsPage {
  jobComplete: boolean;
  schema?: { fields?: ColumnSchema[] };
  rows?: WireRow[];
  totalRows?: string;
  totalBytesProcessed?: string;
  pageToken?: string;
}

/** The job of a run, and how far its rows are read. */
interface JobState {
  jobId: string;
  wasTried: boolean;
  rowCount: number;
  /** Where the next page begins; undefined before the first one. */
  pageToken?: string | undefined;
}

const ATTEMPTS_MAX = 4;
const BACKOFF_FIRST_MS = 250;
/** Rows of a call; BigQuery itself stops a page at 10 MB. */
const PAGE_ROWS_MAX = 10_000;
/** The longest that one call waits for a job; the server allows more, a proxy on the way may not. */
const POLL_MS_MAX = 10_000;
/** Between two calls for one job, however soon an unfinished one is answered. */
const POLL_PAUSE_MS = 100;
/** Kept back from the deadline to cancel the job: nothing runs once the request is answered. */
const CANCEL_MS = 1000;
const BUDGET_MS_MIN = 200;
const MAY_STILL_RUN = new Set<Reason>([
  'QUERY_DEADLINE_EXCEEDED',
  'QUERY_ENGINE_UNAVAILABLE',
  'QUERY_QUOTA_EXHAUSTED',
  'INSTANCE_STOPPING',
]);

/**
 * Rejects with the ServiceErrors of the error table; whatever is no fault of the caller, of a limit
 * or of availability rejects as it is. A job that is given up is cancelled first.
 */
export function createBigQueryRunner(deps: BigQueryRunnerDeps): QueryRunner {
  const { bigquery, clock } = deps;
  return { run };

  async function run(request: QueryRequest): Promise<QueryResult> {
    const startedMs = clock.nowMs();
    const budgetMs = request.deadlineMs - startedMs;
    // Too late to begin: it would be a job that is cancelled at once.
    if (budgetMs < BUDGET_MS_MIN) throw deadlineExceeded();
    const workUntilMs = request.deadlineMs - Math.min(CANCEL_MS, Math.floor(budgetMs / 2));
    const job: JobState = { jobId: randomUUID(), wasTried: false, rowCount: 0 };
    try {
      const stopped = new Promise<never>((_, reject) => {
        const stop = (): void =>
          reject(new ServiceError('INSTANCE_STOPPING', 'The instance is being stopped.'));
        if (deps.stopSignal?.aborted) stop();
        deps.stopSignal?.addEventListener('abort', stop);
      });
      return await withDeadline(
        clock,
        workUntilMs - startedMs,
        Promise.race([readPages(request, job, workUntilMs), stopped]),
        deadlineExceeded,
      );
    } catch (error) {
      // Where the job may still run it would go on, and on the bill.
      if (error instanceof ServiceError && MAY_STILL_RUN.has(error.reason)) {
        await cancel(job.jobId, Math.min(CANCEL_MS, request.deadlineMs - clock.nowMs()));
      }
      throw withoutValues(error, request);
    }
  }

  async function readPages(
    request: QueryRequest,
    job: JobState,
    workUntilMs: number,
  ): Promise<QueryResult> {
    const kept: WireRow[] = [];
    for (;;) {
      const page = await nextPage(request, job, workUntilMs);
      // The run has rejected by now: what it finds out later is nobody's.
      if (clock.nowMs() >= workUntilMs) throw deadlineExceeded();
      const schema = page.schema?.fields ?? [];
      const rows = (page.rows ?? []).slice(0, request.rowCountMax - job.rowCount);
      job.rowCount += rows.length;
      job.pageToken = page.pageToken;
      if (request.onPage === undefined) kept.push(...rows);
      else await request.onPage({ schema, rows, jobId: job.jobId });
      if (job.pageToken !== undefined && job.rowCount < request.rowCountMax) continue;
      return {
        schema,
        rows: kept,
        truncated: Number(page.totalRows ?? job.rowCount) > request.rowCountMax,
        jobId: job.jobId,
        bytesProcessed: Number(page.totalBytesProcessed ?? 0),
      };
    }
  }

  /**
   * A failed call is repeated for the same job, which BigQuery takes for one job by its id; a job
   * that failed, or a call that failed twice, is replaced by a new job, unless rows of it are read.
   */
  async function nextPage(
    request: QueryRequest,
    job: JobState,
    workUntilMs: number,
  ): Promise<ResultsPage> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        if (job.pageToken === undefined) await insertJob(request, job.jobId, workUntilMs);
        return await awaitPage(request, job, workUntilMs);
      } catch (error) {
        const fault = classifyFault(error);
        const backoffMs = BACKOFF_FIRST_MS * 2 ** (attempt - 1) * (1 + Math.random() / 2);
        const isLast = attempt === ATTEMPTS_MAX || clock.nowMs() + backoffMs >= workUntilMs;
        if (!fault.isTransient || isLast) throw fault.error;
        if (job.pageToken === undefined && (fault.isOfJob || job.wasTried)) {
          await cancel(job.jobId, CANCEL_MS);
          job.jobId = randomUUID();
          job.wasTried = false;
        } else {
          job.wasTried = true;
        }
        await clock.wait(backoffMs);
      }
    }
  }

  async function awaitPage(
    request: QueryRequest,
    { jobId, rowCount, pageToken }: JobState,
    workUntilMs: number,
  ): Promise<ResultsPage> {
    while (clock.nowMs() < workUntilMs) {
      const page = await getResults(jobId, {
        maxResults: Math.min(PAGE_ROWS_MAX, request.rowCountMax - rowCount),
        timeoutMs: Math.max(1, Math.floor(Math.min(POLL_MS_MAX, workUntilMs - clock.nowMs()))),
        ...(pageToken === undefined ? {} : { pageToken }),
      });
      // An unfinished job looks like an empty result: only this flag tells them apart.
      if (page.jobComplete) return page;
      await clock.wait(POLL_PAUSE_MS);
    }
    throw deadlineExceeded();
  }

  async function insertJob(
    request: QueryRequest,
    jobId: string,
    workUntilMs: number,
  ): Promise<void> {
    const [datasetId = '', projectId] = deps.dataset.split('.').reverse();
    try {
      await bigquery.createQueryJob({
        jobId,
        location: deps.location,
        query: request.sql,
        // Not by the client's `params`: it takes a STRUCT with a field `type` for a type of its own.
        parameterMode: 'named',
        queryParameters: queryParameters(request),
        defaultDataset: projectId === undefined ? { datasetId } : { datasetId, projectId },
        maximumBytesBilled: String(deps.maxBytesBilled),
        // The job also ends on its own when this process dies and nobody cancels it.
        jobTimeoutMs: Math.max(1000, Math.ceil(workUntilMs - clock.nowMs())),
        labels: { service: 'saved-queries', endpoint: labelValue(request.endpoint) },
      });
    } catch (error) {
      // An earlier call whose answer was lost had already made this job.
      if ((error as { code?: unknown }).code !== 409) throw error;
    }
  }

  /** Through the client's plain `request`: its own row parser rounds integers and drops NaN. */
  function getResults(jobId: string, options: Record<string, unknown>): Promise<ResultsPage> {
    return new Promise((resolve, reject) => {
      bigquery.request(
        {
          uri: `/queries/${jobId}`,
          qs: {
            location: deps.location,
            'formatOptions.useInt64Timestamp': true,
            ...options,
          },
        },
        (error: Error | null, page: ResultsPage) => {
          if (error) reject(error);
          else resolve(page);
        },
      );
    });
  }

  /** Best effort, and bounded: a job that cannot be cancelled ends by its own timeout. */
  async function cancel(jobId: string, withinMs: number): Promise<void> {
    const job: Job = bigquery.job(jobId, { location: deps.location });
    await withDeadline(clock, withinMs, job.cancel(), deadlineExceeded).catch(() => undefined);
  }
}

/** As the REST API takes them: the STRING parameters by name, and `@keys`. */
export function queryParameters({
  parameters,
  keys,
}: Pick<QueryRequest, 'parameters' | 'keys'>): object[] {
  const string = { type: 'STRING' };
  const scalars = Object.entries(parameters).map(([name, value]) => ({
    name,
    parameterType: string,
    parameterValue: { value },
  }));
  if (keys === undefined) return scalars;
  const structTypes = Object.keys(keys[0] ?? {}).map((name) => ({ name, type: string }));
  const arrayValues = keys.map((key) => ({
    structValues: Object.fromEntries(Object.entries(key).map(([name, value]) => [name, { value }])),
  }));
  const array = { type: 'ARRAY', arrayType: { type: 'STRUCT', structTypes } };
  return [...scalars, { name: 'keys', parameterType: array, parameterValue: { arrayValues } }];
}

/** Label values allow lower-case letters, digits, `_` and `-` only. */
function labelValue(endpoint: string): string {
  return endpoint.replaceAll('.', '_').slice(0, 63);
}

function deadlineExceeded(): ServiceError {
  return new ServiceError(
    'QUERY_DEADLINE_EXCEEDED',
    'The query did not finish in its time and was cancelled. Try again, or ask for a shorter interval.',
  );
}

/** BigQuery's messages quote values; the log is not to hold the parameters of tenants. */
function withoutValues(error: unknown, bound: Pick<QueryRequest, 'parameters' | 'keys'>): unknown {
  if (error instanceof ServiceError) {
    const { reason, message, cause } = error;
    if (!(cause instanceof Error)) return error;
    return new ServiceError(reason, message, { cause: withoutValues(cause, bound) });
  }
  if (!(error instanceof Error)) return error;
  const values = [bound.parameters, ...(bound.keys ?? [])].flatMap((named) => Object.values(named));
  const message = values
    .filter((value) => value.length > 2)
    // As it is, and as a string literal of SQL.
    .flatMap((value) => [value.replaceAll('\\', '\\\\'), value])
    .reduce((text, value) => text.replaceAll(value, '…'), error.message);
  return message === error.message ? error : new Error(message);
}
