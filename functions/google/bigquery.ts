// Runs saved queries in BigQuery: one job a query, bounded in time, bytes and rows.
import { randomUUID } from 'node:crypto';
import type { BigQuery, Job } from '@google-cloud/bigquery';
import { withDeadline } from '../core/deadline.ts';
import { ServiceError } from '../core/errors.ts';
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

const ATTEMPTS_MAX = 4;
const BACKOFF_FIRST_MS = 250;
/** The longest that one call waits for a job; the server allows more, a proxy on the way may not. */
const POLL_MS_MAX = 10_000;
/** Kept back from the deadline to cancel the job: nothing runs once the request is answered. */
const CANCEL_MS = 1000;

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
    const workUntilMs = request.deadlineMs - Math.min(CANCEL_MS, budgetMs / 2);
    const run = { jobId: randomUUID(), wasTried: false };
    try {
      return await withDeadline(
        clock,
        workUntilMs - startedMs,
        runWithRetries(request, run, workUntilMs),
        deadlineExceeded,
      );
    } catch (error) {
      if (error instanceof ServiceError && error.reason === 'QUERY_DEADLINE_EXCEEDED') {
        await cancel(run.jobId, request.deadlineMs - clock.nowMs());
      }
      throw error;
    }
  }

  /**
   * A failed call is repeated for the same job, which BigQuery takes for one job by its id; a job
   * that failed, or a call that failed twice, is replaced by a new job.
   */
  async function runWithRetries(
    request: QueryRequest,
    run: { jobId: string; wasTried: boolean },
    workUntilMs: number,
  ): Promise<QueryResult> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await runJob(request, run.jobId, workUntilMs);
      } catch (error) {
        const fault = classifyFault(error);
        const backoffMs = BACKOFF_FIRST_MS * 2 ** (attempt - 1) * (1 + Math.random() / 2);
        const isLast = attempt === ATTEMPTS_MAX || clock.nowMs() + backoffMs >= workUntilMs;
        if (!fault.isTransient || isLast) throw fault.error;
        if (fault.isOfJob || run.wasTried) {
          await cancel(run.jobId, CANCEL_MS);
          run.jobId = randomUUID();
          run.wasTried = false;
        } else {
          run.wasTried = true;
        }
        await clock.wait(backoffMs);
      }
    }
  }

  async function runJob(
    request: QueryRequest,
    jobId: string,
    workUntilMs: number,
  ): Promise<QueryResult> {
    await insertJob(request, jobId, workUntilMs);
    const rows: WireRow[] = [];
    let pageToken: string | undefined;
    for (;;) {
      const page = await getResults(jobId, {
        maxResults: request.rowCountMax - rows.length,
        timeoutMs: Math.max(1, Math.min(POLL_MS_MAX, workUntilMs - clock.nowMs())),
        ...(pageToken === undefined ? {} : { pageToken }),
      });
      // An unfinished job looks like an empty result: only this flag tells them apart.
      if (!page.jobComplete) {
        if (clock.nowMs() >= workUntilMs) throw deadlineExceeded();
        continue;
      }
      rows.push(...(page.rows ?? []));
      pageToken = page.pageToken;
      if (pageToken !== undefined && rows.length < request.rowCountMax) continue;
      return {
        schema: page.schema?.fields ?? [],
        rows: rows.slice(0, request.rowCountMax),
        truncated: Number(page.totalRows ?? rows.length) > request.rowCountMax,
        jobId,
        bytesProcessed: Number(page.totalBytesProcessed ?? 0),
      };
    }
  }

  async function insertJob(
    request: QueryRequest,
    jobId: string,
    workUntilMs: number,
  ): Promise<void> {
    const [datasetId = '', projectId] = deps.dataset.split('.').reverse();
    const { parameters } = request;
    try {
      await bigquery.createQueryJob({
        jobId,
        location: deps.location,
        query: request.sql,
        params: { ...parameters },
        types: Object.fromEntries(Object.keys(parameters).map((name) => [name, 'STRING'])),
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
