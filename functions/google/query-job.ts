// The calls for one query: start it with or without a job, read a page of its result, cancel. Bounds the bytes of each answer.
// https://cloud.google.com/bigquery/docs/reference/rest/v2/jobs
import { errorCode } from '../core/describe-error.ts';
import { fieldsOf, isObject, isText, optional } from '../core/json.ts';
import { usualError } from '../core/errors.ts';
import {
  type BoundQuery,
  type JobState,
  MIN_BYTES_BILLED,
  type QueryRequest,
  type StartedQuery,
} from '../core/query-runner.ts';
import type { Uses } from '../core/services.ts';
import { type RestCall, type RestRequest, smallCall } from './bigquery-rest.ts';
import { type ResultsPage, bytesProcessedOf, checkPage, jobIdOf } from './check-page.ts';
import { invalidAnswer } from './classify-error.ts';
import { jobLabels, queryConfiguration } from './query-configuration.ts';
import type { Reading } from './reading-budget.ts';

type JobSettings = Uses<
  'project' | 'dataset' | 'location' | 'maxBytesBilled' | 'deployment' | 'reservation'
>;

export interface QueryJobDeps extends JobSettings, Uses<'clock' | 'maxResultMib'> {
  /** BigQuery's REST API in the name of `project`. */
  call: RestCall;
}

export type QueryState = ReturnType<typeof stateOf>;

export function stateOf({ requestId, jobId, isStarted }: StartedQuery, isJob = false) {
  return {
    ...{ requestId, jobId, isStarted },
    /** Whether it is started by jobs.insert, with `requestId` as its id. A job that BigQuery has made of a query has its own. */
    isJob: jobId === undefined ? isJob : jobId === requestId,
    wasTried: false,
    /** True while BigQuery has surely no such job. */
    isUnsent: false,
    rowCount: 0,
    totalRows: undefined as number | undefined,
    /** Bytes of the pages that count for the bound on a result. */
    resultBytes: 0,
    /** Where the next page begins; undefined before the first one. */
    pageToken: undefined as string | undefined,
    /** Whether a page was passed to `onPage`, which has not resolved yet. */
    isHandingOn: false,
  };
}

export interface Run {
  request: QueryRequest;
  job: QueryState;
  reading: Reading;
  workUntilMs: number;
  /** When the query is to end by itself. */
  endsAtMs: number;
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
/** How long jobs.query waits for the rows. The id of the job of a slow query is known only after this time. */
const SHORT_QUERY_MS = 3000;
/** The part of the time left that it may take, so that its answer, which names the job, arrives in time. */
const SHORT_QUERY_PART = 0.6;
/** The most that is read of the answer to a call that gives no rows. */
const SMALL_ANSWER_BYTES_MAX = MIB;

export function createQueryJob(deps: QueryJobDeps) {
  const { call, clock, location } = deps;
  return { start, readPage, estimate, look, cancel };

  /**
   * Starts the query unless BigQuery has it already. Returns the first page, or undefined: then there is a job. BigQuery may run
   * a query twice if jobs.query is repeated after a lost answer, although the `requestId` is the same; a job runs once.
   */
  async function start(run: Run): Promise<ReadPage | undefined> {
    const { job } = run;
    if (job.isJob) {
      await insert(run);
      Object.assign(job, { jobId: job.requestId, isStarted: true });
    }
    return job.jobId === undefined ? query(run) : undefined;
  }

  /** https://cloud.google.com/bigquery/docs/reference/rest/v2/jobs/query */
  async function query(run: Run): Promise<ReadPage | undefined> {
    const { request, job } = run;
    const body = {
      ...configurationOf(request),
      ...settingsOf(run),
      location,
      requestId: job.requestId,
      jobCreationMode: 'JOB_CREATION_OPTIONAL',
      formatOptions: { useInt64Timestamp: true },
      maxResults: Math.min(PAGE_ROWS_MAX, request.rowCountMax),
      timeoutMs: waitMsOf(run, SHORT_QUERY_MS, SHORT_QUERY_PART),
    };
    const page = await boundedCall(run, ['POST', '/queries', {}, body], (answer) => {
      const read = checkPage(answer, { ...request, ...job, jobId: undefined });
      job.jobId = jobIdOf(answer);
      job.isStarted = job.jobId === undefined ? undefined : true;
      return read;
    });
    if (job.jobId === undefined && page?.pageToken !== undefined) {
      // Only a job has further pages.
      job.isJob = true;
      run.reading.release(page.bytes);
      throw invalidAnswer('BigQuery has no job for the further pages.');
    }
    if (job.jobId === undefined && page === undefined) {
      throw invalidAnswer('BigQuery does not name the job of a query that has not finished.');
    }
    return page;
  }

  /** Does nothing if BigQuery has the job already. */
  async function insert(run: Run): Promise<void> {
    const { request, job } = run;
    const body = {
      jobReference: { projectId: deps.project, jobId: job.requestId, location },
      configuration: { query: configurationOf(request), ...settingsOf(run) },
    };
    const { isUnsent } = job;
    job.isUnsent = false;
    try {
      await boundedCall(run, ['POST', '/jobs', {}, body], (answer) => {
        if (jobIdOf(answer) === job.requestId) return undefined;
        throw invalidAnswer('The answer of BigQuery is not about the inserted job.');
      });
    } catch (error) {
      const code = errorCode(error);
      // An earlier call, whose answer was lost, has already created this job.
      if (code === 409) return;
      const isRefused = typeof code === 'number' && code >= 400 && code < 500 && code !== 408;
      job.isUnsent = isUnsent && isRefused;
      throw error;
    }
  }

  function configurationOf(request: BoundQuery & Pick<QueryRequest, 'maxBytesBilled'>) {
    const { maxBytesBilled = Infinity } = request;
    const maximumBytesBilled = String(Math.min(deps.maxBytesBilled, maxBytesBilled));
    return { ...queryConfiguration(request, deps.dataset), maximumBytesBilled };
  }

  function settingsOf({ request, endsAtMs }: Run) {
    return {
      // The job's own timeout ends it if no process is left to cancel it.
      jobTimeoutMs: String(Math.max(1000, Math.ceil(endsAtMs - clock.nowMs()))),
      ...(deps.reservation === undefined ? {} : { reservation: deps.reservation }),
      labels: jobLabels(request, deps.deployment),
    };
  }

  function waitMsOf({ workUntilMs }: Run, msMax: number, part = 1): number {
    return Math.max(1, Math.floor(Math.min(msMax, part * (workUntilMs - clock.nowMs()))));
  }

  /** Undefined while the job has not finished. */
  function readPage(run: Run): Promise<ReadPage | undefined> {
    const { request, job } = run;
    const search = {
      location,
      'formatOptions.useInt64Timestamp': 'true',
      maxResults: String(Math.min(PAGE_ROWS_MAX, request.rowCountMax - job.rowCount)),
      timeoutMs: String(waitMsOf(run, POLL_MS_MAX)),
      ...(job.pageToken === undefined ? {} : { pageToken: job.pageToken }),
    };
    return boundedCall(run, ['GET', `/queries/${job.jobId ?? ''}`, search, undefined], (answer) =>
      checkPage(answer, { ...request, ...job, jobId: job.jobId ?? '' }),
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
      if (job.resultBytes + bytes + count > bytesMax) throw usualError('RESULT_BYTES_LIMIT');
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

  /** The most that BigQuery would bill, of a dry run, which is free: for each table at least the minimum. */
  async function estimate(query: BoundQuery, withinMs: number): Promise<number> {
    const body = {
      jobReference: { projectId: deps.project, location },
      configuration: { dryRun: true, query: queryConfiguration(query, deps.dataset) },
    };
    const limits = { clock, withinMs, bytesMax: SMALL_ANSWER_BYTES_MAX };
    const answer = await smallCall(call, ['POST', '/jobs', {}, body], limits);
    const job = fieldsOf(answer, { statistics: isObject });
    const { query: details } = job?.statistics ?? {};
    const tables = isObject(details) ? details.referencedTables : undefined;
    const tableCount = Array.isArray(tables) ? tables.length : 1;
    const processed = Math.max(MIN_BYTES_BILLED, bytesProcessedOf(job?.statistics));
    return processed + Math.max(0, tableCount - 1) * MIN_BYTES_BILLED;
  }

  /** https://cloud.google.com/bigquery/docs/reference/rest/v2/jobs/get */
  async function look(jobId: string, withinMs: number): Promise<JobState | undefined> {
    const get: RestRequest = ['GET', `/jobs/${jobId}`, { location }, undefined];
    const limits = { clock, withinMs, bytesMax: SMALL_ANSWER_BYTES_MAX };
    try {
      return jobStateOf(await smallCall(call, get, limits));
    } catch (error) {
      if (errorCode(error) === 404) return undefined;
      throw error;
    }
  }

  /** Best effort, and bounded: a job that cannot be cancelled ends by its own timeout. */
  async function cancel({ jobId }: StartedQuery, withinMs: number): Promise<void> {
    if (jobId === undefined) return;
    const cancel: RestRequest = ['POST', `/jobs/${jobId}/cancel`, { location }, undefined];
    const limits = { clock, withinMs, bytesMax: SMALL_ANSWER_BYTES_MAX };
    await smallCall(call, cancel, limits).catch(() => undefined);
  }
}

function jobStateOf(answer: unknown): JobState {
  const job = fieldsOf(answer, { status: isObject, statistics: optional(isObject) });
  const { totalBytesBilled } = fieldsOf(job?.statistics?.query, { totalBytesBilled: isText }) ?? {};
  return { isDone: job?.status.state === 'DONE', bytesBilled: Number(totalBytesBilled ?? 0) };
}
