// Query jobs: planned when they are inserted, run in the background, kept with their results.
import { setTimeout as delay } from 'node:timers/promises';
import { BigQueryError } from './error.ts';
import type { Row } from '../values/engine-values.ts';
import type { QueryRows } from '../analysis/google-sql.ts';
import { runnableQuery } from '../dialect/rewrites/runnable-query.ts';
import type { Analysis } from '../analysis/sql-script.ts';
import { columnsNeeded } from '../analysis/reads/table-reads.ts';
import { type CutTable, cutTables } from './large-tables.ts';
import { planQuery } from './query-plan.ts';
import type { PlannedRequest, QueriedStore, QueryPlan } from './query-plan.ts';

type Labels = Readonly<Record<string, unknown>>;

interface JobRequest extends Omit<PlannedRequest, 'startedMs'> {
  jobId: string;
  timeoutMs?: number | undefined;
  labels: Labels;
  /** False for a query without a job, which only the answer of its own request shows. */
  isJob: boolean;
  configuration: object;
}

export interface Job extends JobRequest, QueryPlan {
  /** The time of the query: see `JobsOptions`. */
  startedMs: number;
  outcome: { rows: QueryRows } | { error: BigQueryError } | undefined;
  /** The tables of which the rows are not all that a filter on their partitions leaves. */
  cuts: readonly CutTable[];
  /** Resolves when there is an outcome; never rejects. */
  done: Promise<void>;
  stop(error: BigQueryError): void;
}

export interface JobsOptions extends QueriedStore {
  /** The value of CURRENT_TIMESTAMP; by default the engine's clock. */
  clock?: { nowMs(): number };
  /** Awaited before each job runs, so that a test can delay a job. */
  beforeRun?: () => Promise<void>;
  /** The least time that a query takes, by its labels. Cancelling it, and its jobTimeoutMs, end it before. */
  queryMs?: (labels: Labels) => number;
}

export type Jobs = ReturnType<typeof createJobs>;

/** Finished jobs kept for later pages; the oldest are removed first. */
const JOBS_MAX = 500;

export function createJobs({ clock, beforeRun, queryMs, ...within }: JobsOptions) {
  const { engine, store } = within;
  const jobs = new Map<string, Job | undefined>();

  /** Throws `BigQueryError` when the request or the query is not valid; the run itself never throws. */
  async function insert(request: JobRequest): Promise<Job> {
    const { projectId, dryRun, jobId, location } = request;
    const startedMs = clock?.nowMs() ?? Date.now();
    if (!/^[\w-]{1,1024}$/.test(jobId)) {
      throw new BigQueryError('invalid', `Invalid job ID "${jobId}".`);
    }
    const key = `${projectId}:${jobId}`;
    if (jobs.has(key)) {
      const name = `${projectId}:${location}.${jobId}`;
      throw new BigQueryError('duplicate', `Already Exists: Job ${name}`);
    }
    if (!dryRun) jobs.set(key, undefined);
    try {
      const plan = await planQuery(within, { ...request, startedMs });
      const job: Job = {
        ...{ ...request, startedMs, ...plan },
        bytesBilled: dryRun ? 0 : plan.bytesBilled,
        ...{ outcome: undefined, cuts: [], done: Promise.resolve(), stop: () => undefined },
      };
      if (dryRun) return job;
      jobs.set(key, job);
      for (const [old, kept] of jobs) {
        if (jobs.size <= JOBS_MAX) break;
        if (kept?.outcome) jobs.delete(old);
      }
      job.done = run(job);
      return job;
    } catch (err) {
      if (!dryRun) jobs.delete(key);
      throw BigQueryError.from(err);
    }
  }

  async function run(job: Job): Promise<void> {
    const abort = new AbortController();
    const stopped = new Promise<never>((_, reject) => {
      job.stop = (error) => {
        reject(error);
        abort.abort();
      };
    });
    stopped.catch(() => undefined);
    const leastMs = queryMs?.(job.labels) ?? 0;
    const { signal } = abort;
    const hasManyRows = job.parts.some(({ table }) => store.rowsIn(table) > FEW_ROWS);
    const timer = stopInTime(job, hasManyRows && leastMs === 0);
    try {
      const limit = Number(job.query.maximumBytesBilled ?? Infinity);
      // This form also refuses a limit that is not a number.
      if (!(job.bytesBilled <= limit)) {
        const message = `Query exceeded limit for bytes billed: ${limit}. ${job.bytesBilled} or higher required.`;
        throw new BigQueryError('bytesBilledLimitExceeded', message);
      }
      const least = delay(leastMs, undefined, { signal, ref: false });
      const evaluated = Promise.all([evaluate(job, signal), least]);
      const [rows] = await Promise.race([stopped, evaluated]);
      job.outcome = { rows: { ...asColumns(rows, job.analysis), columns: job.analysis.columns } };
    } catch (err) {
      job.outcome = { error: BigQueryError.from(err) };
    } finally {
      clearTimeout(timer);
      job.stop = () => undefined;
    }
  }

  async function evaluate(job: Job, signal: AbortSignal): Promise<QueryRows> {
    const { analysis, find, parameters, parts } = job;
    const { sql, functions, errorOf } = runnableQuery(analysis, job.startedMs);
    await beforeRun?.();
    const tables = store.newestRows(columnsNeeded(analysis, find), parts);
    try {
      const rows = await engine.evaluate({ sql, tables, functions, parameters, signal });
      job.cuts = cutTables(tables);
      return rows;
    } catch (err) {
      throw errorOf(err);
    }
  }

  return {
    insert,
    get(projectId: string, jobId: string, location: string | undefined): Job {
      const job = jobs.get(`${projectId}:${jobId}`);
      const isThere = (location ?? job?.location)?.toUpperCase() === job?.location.toUpperCase();
      if (job?.isJob && isThere) return job;
      throw new BigQueryError('notFound', `Not found: Job ${projectId}:${jobId}`);
    },
    close(): void {
      for (const job of jobs.values()) {
        job?.stop(new BigQueryError('stopped', 'Job execution was cancelled: server is closing'));
      }
    },
  };
}

/** The share of the timeout after which advice is given, before a client that waits for the whole timeout gives up. */
const TOLD_AFTER = 0.95;
/** Fewer rows are fast in any query: something else is slow. */
const FEW_ROWS = 300;
const SLOW =
  'the local BigQuery has no optimiser. Join by an equality, and aggregate before a join or a window: docs/reference/local-sql.md, "What is slow"';

function stopInTime(job: Job, hasManyRows: boolean): NodeJS.Timeout | undefined {
  if (job.timeoutMs === undefined) return undefined;
  const ms = job.timeoutMs * (hasManyRows ? TOLD_AFTER : 1);
  const message = hasManyRows
    ? `Not run locally within ${Number((ms / 1000).toPrecision(2))} s: ${SLOW}`
    : `Job execution was cancelled: Job timed out after ${ms / 1000}s`;
  const error = new BigQueryError(hasManyRows ? 'notRunLocally' : 'stopped', message);
  return setTimeout(() => job.stop(error), ms);
}

/** The fields of a STRUCT that is a row are the columns of the answer. */
function asColumns(result: QueryRows, { columns, isStruct }: Analysis): QueryRows {
  if (!isStruct) return result;
  const none = { f: columns.map(() => ({ v: null })) };
  return { ...result, rows: result.rows.map(({ f }) => (f[0]?.v as Row | null) ?? none) };
}
