// The calls for one query: start it with or without a job, read a page of its result, cancel. Bounds the bytes of each answer.
// https://cloud.google.com/bigquery/docs/reference/rest/v2/jobs
import { errorCode, usualError } from '../core/errors.ts';
import { fieldsOf, isObject, isText, membersOf, optional } from '../core/json.ts';
import type { MemoryShare } from '../core/memory-budget.ts';
import {
  type BoundQuery,
  type JobState,
  MIN_BYTES_BILLED,
  type QueryRequest,
  type QueryIds,
} from '../core/query-runner.ts';
import type { Uses } from '../core/services.ts';
import { type RestCall, type RestRequest, smallCall } from './rest.ts';
import { type ResultsPage, bytesProcessedOf, checkPage, jobIdOf } from './check-page.ts';
import { invalidAnswer } from './classify-error.ts';
import { jobLabels, queryConfiguration } from './query-configuration.ts';

type Settings = Uses<'project' | 'dataset' | 'location' | 'deployment' | 'reservation'>;

export interface QueryCallsDeps
  extends Settings, Uses<'clock' | 'maxResultMib' | 'maxBytesBilled'> {
  /** BigQuery's REST API in the name of `project`. */
  call: RestCall;
}

export type QueryState = ReturnType<typeof queryState>;

/** A job has its id before BigQuery has it. */
export function queryState(started: QueryIds, asJob = false) {
  const { requestId, jobId = asJob ? requestId : undefined, isStarted } = started;
  return {
    ...{ requestId, jobId, isStarted },
    /** Whether jobs.insert starts it, with `requestId` as its id. A job that BigQuery has made of a query has its own. */
    isJob: jobId === requestId,
    wasTried: false,
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
  reading: MemoryShare;
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
/** For a call about a job that is not read, or a query that does not run. */
const LOOK_MS = 5000;
/** For cancelling a job. */
export const CANCEL_MS = 1000;

export function createQueryCalls(deps: QueryCallsDeps) {
  const { call, clock, location } = deps;
  return { start, readPage, estimate, look, cancel };

  /**
   * Starts the query unless BigQuery has it already. Returns the first page, or undefined: then there is a job. BigQuery may run
   * a query twice if jobs.query is repeated after a lost answer, although the `requestId` is the same; a job runs once.
   * https://cloud.google.com/bigquery/docs/reference/rest/v2/jobs/query
   */
  async function start(run: Run): Promise<ReadPage | undefined> {
    const { request, job } = run;
    const wasStarted = job.isStarted;
    if (job.isJob && !job.isStarted) await insert(run);
    let first: ReadPage | undefined;
    if (job.jobId === undefined) {
      const { configuration, settings } = configurationOf(run);
      const body = {
        ...{ ...configuration, ...settings, location },
        requestId: job.requestId,
        jobCreationMode: 'JOB_CREATION_OPTIONAL',
        formatOptions: { useInt64Timestamp: true },
        maxResults: Math.min(PAGE_ROWS_MAX, request.rowCountMax),
        timeoutMs: waitMs(SHORT_QUERY_MS, SHORT_QUERY_PART * (run.workUntilMs - clock.nowMs())),
      };
      first = await boundedCall(run, ['POST', '/queries', {}, body], (answer) => {
        const page = checkPage(answer, { ...request, ...job, jobId: undefined });
        job.jobId = jobIdOf(answer);
        job.isStarted = job.jobId === undefined ? undefined : true;
        if (job.jobId !== undefined || (page && page.pageToken === undefined)) return page;
        throw invalidAnswer('BigQuery does not name the job of a query that has more to come.');
      });
    }
    const isEnded = first !== undefined && first.pageToken === undefined;
    // Others learn of a job as soon as this instance does, so that they can join it.
    if (job.isStarted !== wasStarted && !isEnded) await request.lasting?.record(job);
    return first;
  }

  /** Does nothing if BigQuery has the job already. */
  async function insert(run: Run): Promise<void> {
    const { job } = run;
    const { configuration, settings } = configurationOf(run);
    const body = {
      jobReference: { projectId: deps.project, jobId: job.requestId, location },
      configuration: { query: configuration, ...settings },
    };
    try {
      await boundedCall(run, ['POST', '/jobs', {}, body], (answer) => {
        if (jobIdOf(answer) === job.requestId) return undefined;
        throw invalidAnswer('The answer of BigQuery is not about the inserted job.');
      });
    } catch (error) {
      // An earlier call, whose answer was lost, has already created this job.
      if (errorCode(error) !== 409) throw error;
    }
    Object.assign(job, { jobId: job.requestId, isStarted: true });
  }

  function configurationOf({ request, endsAtMs }: Run) {
    const { maxBytesBilled = Infinity } = request;
    const maximumBytesBilled = String(Math.min(deps.maxBytesBilled, maxBytesBilled));
    const settings = {
      // The job's own timeout ends it if no process is left to cancel it.
      jobTimeoutMs: String(Math.max(1000, Math.ceil(endsAtMs - clock.nowMs()))),
      reservation: deps.reservation,
      labels: jobLabels(request, deps.deployment),
    };
    const configuration = { ...queryConfiguration(request, deps.dataset), maximumBytesBilled };
    return { configuration, settings };
  }

  /** Undefined while the job has not finished. */
  function readPage(run: Run): Promise<ReadPage | undefined> {
    const { request, job } = run;
    const search = {
      location,
      'formatOptions.useInt64Timestamp': 'true',
      maxResults: String(Math.min(PAGE_ROWS_MAX, request.rowCountMax - job.rowCount)),
      timeoutMs: String(waitMs(POLL_MS_MAX, run.workUntilMs - clock.nowMs())),
      ...(job.pageToken === undefined ? {} : { pageToken: job.pageToken }),
    };
    const { jobId = '' } = job;
    return boundedCall(run, ['GET', `/queries/${jobId}`, search, undefined], (answer) =>
      checkPage(answer, { ...request, ...job, jobId }),
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
      await reading.take(count);
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
  async function estimate(query: BoundQuery, leftMs: number): Promise<number> {
    const body = {
      jobReference: { projectId: deps.project, location },
      configuration: { dryRun: true, query: queryConfiguration(query, deps.dataset) },
    };
    const withinMs = Math.min(LOOK_MS, leftMs);
    const answer = await callSmall(['POST', '/jobs', {}, body], withinMs);
    const { statistics, query: details } = jobIn(answer);
    const tables = details.referencedTables;
    const tableCount = Array.isArray(tables) ? Math.max(1, tables.length) : 1;
    const processed = Math.max(MIN_BYTES_BILLED, bytesProcessedOf(statistics));
    return processed + (tableCount - 1) * MIN_BYTES_BILLED;
  }

  /** https://cloud.google.com/bigquery/docs/reference/rest/v2/jobs/get */
  async function look(jobId: string): Promise<JobState | undefined> {
    try {
      const answer = await callSmall(['GET', `/jobs/${jobId}`, { location }, undefined]);
      const { status, query } = jobIn(answer);
      const { totalBytesBilled: billed } = query;
      return { isDone: status?.state === 'DONE', bytesBilled: isText(billed) ? Number(billed) : 0 };
    } catch (error) {
      if (errorCode(error) === 404) return undefined;
      throw error;
    }
  }

  /** Best effort, and bounded: a job that cannot be cancelled ends by its own timeout. */
  async function cancel({ jobId }: QueryIds, withinMs = CANCEL_MS): Promise<void> {
    if (jobId === undefined) return;
    const request: RestRequest = ['POST', `/jobs/${jobId}/cancel`, { location }, undefined];
    await callSmall(request, withinMs).catch(() => undefined);
  }

  /** A call that gives no rows. */
  function callSmall(request: RestRequest, withinMs = LOOK_MS): Promise<unknown> {
    return smallCall(call, request, { clock, withinMs });
  }
}

const waitMs = (msMax: number, leftMs: number): number =>
  Math.max(1, Math.floor(Math.min(msMax, leftMs)));

/** What an answer says of a job, and of its query. */
function jobIn(answer: unknown) {
  const job = fieldsOf(answer, { status: optional(isObject), statistics: optional(isObject) });
  return { ...job, query: membersOf(job?.statistics?.query) };
}
