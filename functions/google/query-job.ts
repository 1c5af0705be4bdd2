// The calls of one BigQuery job: insert, read a page of its result, cancel. Bounds the bytes of each answer.
// https://cloud.google.com/bigquery/docs/reference/rest/v2/jobs
import type { Clock } from '../core/clock.ts';
import { errorCode } from '../core/describe-error.ts';
import { ServiceError } from '../core/errors.ts';
import { type QueryRequest, resultTooLarge } from '../core/query-runner.ts';
import { type RestCall, type RestRequest, smallCall } from './bigquery-rest.ts';
import { type ResultsPage, checkPage, isOfJob } from './check-page.ts';
import { invalidAnswer } from './classify-error.ts';
import { queryConfiguration } from './query-configuration.ts';
import type { Reading } from './reading-budget.ts';

export interface QueryJobDeps {
  /** BigQuery's REST API in the name of `project`. */
  call: RestCall;
  clock: Clock;
  project: string;
  /** `dataset` or `project.dataset`, where unqualified table names are looked up. */
  dataset: string;
  location: string;
  maxBytesBilled: number;
  /** The reservation that runs the jobs; undefined for what the project is assigned to. */
  reservation?: string | undefined;
  /** Bound on a result as BigQuery sends it. */
  maxResultMib: number;
}

interface JobState {
  jobId: string;
  wasTried: boolean;
  rowCount: number;
  totalRows: number | undefined;
  /** Bytes of the pages that count for the bound on a result. */
  resultBytes: number;
  /** Where the next page begins; undefined before the first one. */
  pageToken: string | undefined;
  /** Whether a page was passed to `onPage`, which has not resolved yet. */
  isHandingOn: boolean;
}

export interface Run {
  request: QueryRequest;
  job: JobState;
  reading: Reading;
  workUntilMs: number;
  /** Aborts when the run has an outcome; calls that are still open end. */
  signal: AbortSignal;
}

export interface ReadPage extends ResultsPage {
  /** Size as BigQuery sent it; counted in the run's share of the reading budget. */
  bytes: number;
}

const MIB = 1024 * 1024;
/** A page of a batch has many results. BigQuery ends a page at 20 MB at most, less than three times the default of MAX_RESULT_MIB. */
const RESULTS_PER_PAGE_MAX = 3;
const PAGE_ROWS_MAX = 10_000;
/** How long one call waits for a job; BigQuery allows more, a proxy in between may not. */
const POLL_MS_MAX = 10_000;
/** The most that is read of the answer to a cancellation; the rest is not needed. */
const CANCEL_ANSWER_BYTES_MAX = MIB;

export function createQueryJob(deps: QueryJobDeps) {
  const { call, clock, location } = deps;
  return { insert, readPage, cancel };

  /** Does nothing if BigQuery has the job already. */
  async function insert(run: Run): Promise<void> {
    const { request, job, workUntilMs } = run;
    const body = {
      jobReference: { projectId: deps.project, jobId: job.jobId, location },
      configuration: {
        query: {
          ...queryConfiguration(request, deps.dataset),
          maximumBytesBilled: String(deps.maxBytesBilled),
        },
        // The job's own timeout ends it if this process dies and cannot cancel it.
        jobTimeoutMs: String(Math.max(1000, Math.ceil(workUntilMs - clock.nowMs()))),
        ...(deps.reservation === undefined ? {} : { reservation: deps.reservation }),
        labels: { service: 'saved-queries', endpoint: labelValue(request.endpoint) },
      },
    };
    try {
      await boundedCall(run, ['POST', '/jobs', {}, body], (answer) => {
        if (isOfJob(answer, job.jobId)) return undefined;
        throw invalidAnswer('The answer of BigQuery is not about the inserted job.');
      });
    } catch (error) {
      if (error instanceof ServiceError && error.reason === 'RESULT_BYTES_LIMIT') {
        throw invalidAnswer('BigQuery answers an insert with more bytes than a result may have.');
      }
      // An earlier call, whose answer was lost, has already created this job.
      if (errorCode(error) !== 409) throw error;
    }
  }

  /** Undefined while the job has not finished. */
  function readPage(run: Run): Promise<ReadPage | undefined> {
    const { request, job, workUntilMs } = run;
    const waitMs = Math.floor(Math.min(POLL_MS_MAX, workUntilMs - clock.nowMs()));
    const search = {
      location,
      'formatOptions.useInt64Timestamp': 'true',
      maxResults: String(Math.min(PAGE_ROWS_MAX, request.rowCountMax - job.rowCount)),
      timeoutMs: String(Math.max(1, waitMs)),
      ...(job.pageToken === undefined ? {} : { pageToken: job.pageToken }),
    };
    return boundedCall(run, ['GET', `/queries/${job.jobId}`, search, undefined], (answer) =>
      checkPage(answer, { ...request, ...job }),
    );
  }

  /** Returns what `pageOf` returns for an answer within the bounds; the bytes of a page stay counted in the reading budget. */
  async function boundedCall(
    { request, job, reading, signal }: Run,
    [method, path, search, body]: RestRequest,
    pageOf: (answer: unknown) => ResultsPage | undefined,
  ): Promise<ReadPage | undefined> {
    let bytes = 0;
    const results = request.keys === undefined ? 1 : RESULTS_PER_PAGE_MAX;
    const bytesMax = results * deps.maxResultMib * MIB;
    const onBytes = async (count: number): Promise<void> => {
      if (job.resultBytes + bytes + count > bytesMax) throw resultTooLarge();
      await reading.take(count, signal);
      bytes += count;
    };
    let page: ResultsPage | undefined;
    try {
      page = pageOf(await call(method, path, search, body, { signal, onBytes }));
      return page && { ...page, bytes };
    } finally {
      if (page === undefined) reading.release(bytes);
    }
  }

  /** Best effort, and bounded: a job that cannot be cancelled ends by its own timeout. */
  async function cancel(jobId: string, withinMs: number): Promise<void> {
    const cancel: RestRequest = ['POST', `/jobs/${jobId}/cancel`, { location }, undefined];
    const limits = { clock, withinMs, bytesMax: CANCEL_ANSWER_BYTES_MAX };
    await smallCall(call, cancel, limits).catch(() => undefined);
  }
}

/** Label values allow lower-case letters, digits, `_` and `-` only. */
function labelValue(endpoint: string): string {
  return endpoint.replaceAll('.', '_').slice(0, 63);
}
