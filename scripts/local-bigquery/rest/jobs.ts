// Query jobs: checked when they are inserted, run in the background, kept with their results.
import { setTimeout as delay } from 'node:timers/promises';
import { BigQueryError, notRunLocally } from './error.ts';
import type { Row } from '../values/engine-values.ts';
import type { GoogleSql, QueryRows } from '../analysis/google-sql.ts';
import { GoogleSqlError } from '../engine/error.ts';
import { type EngineParameter, engineParameters } from '../values/query-parameters.ts';
import { runnableQuery } from '../dialect/rewrites/runnable-query.ts';
import type { Analysis } from '../analysis/sql-script.ts';
import { shardStart, queriedTable } from '../values/table-definition.ts';
import { includesInstant, partitionsRead } from '../analysis/reads/column-ranges.ts';
import { type NamedTable, namedTables } from '../analysis/named-tables.ts';
import {
  columnsNeeded,
  missingFilter,
  otherRows,
  tableReads,
  tableReferences,
} from '../analysis/reads/table-reads.ts';
import { partitionsViews } from './table-state.ts';
import type { TablePart, TableStore } from './table-store.ts';
import { type CutTable, cutTables } from './large-tables.ts';

/** The used part of `JobConfigurationQuery`; requests may contain anything else. */
interface QueryConfiguration {
  query?: unknown;
  useLegacySql?: unknown;
  queryParameters?: unknown;
  defaultDataset?: { projectId?: string; datasetId?: string };
  maximumBytesBilled?: unknown;
}

type Labels = Readonly<Record<string, unknown>>;

interface JobRequest {
  projectId: string;
  jobId: string;
  location: string;
  dryRun: boolean;
  timeoutMs?: number | undefined;
  labels: Labels;
  /** False for a query without a job, which only the answer of its own request shows. */
  isJob: boolean;
  query: QueryConfiguration;
  configuration: object;
}

export interface Job extends JobRequest {
  /** The time of the query: see `JobsOptions`. */
  startedMs: number;
  analysis: Analysis;
  /** Full names of those that it reads. */
  tables: readonly string[];
  bytesProcessed: number;
  bytesBilled: number;
  outcome: { rows: QueryRows } | { error: BigQueryError } | undefined;
  /** The tables of which the rows are not all that a filter on their partitions leaves. */
  cuts: readonly CutTable[];
  /** Resolves when there is an outcome; never rejects. */
  done: Promise<void>;
  stop(error: BigQueryError): void;
}

export interface JobsOptions {
  engine: GoogleSql;
  store: TableStore;
  dataset: string;
  /** The value of CURRENT_TIMESTAMP; by default the engine's clock. */
  clock?: { nowMs(): number };
  /** Awaited before each job runs, so that a test can delay a job. */
  beforeRun?: () => Promise<void>;
  /** The least time that a query takes, by its labels. Cancelling it, and its jobTimeoutMs, end it before. */
  queryMs?: (labels: Labels) => number;
}

export type Jobs = ReturnType<typeof createJobs>;

interface AnalysedQuery {
  analysis: Analysis;
  find: (fullName: string) => NamedTable | undefined;
  parameters: readonly EngineParameter[];
}

const minimumBytesPerTable = 10 * 1024 * 1024;
const bytesPerMebibyte = 1024 * 1024;
/** Finished jobs kept for later pages; the oldest are removed first. */
const jobsMax = 500;
const TABLE_NOT_FOUND = /^Table not found: (.+?)(?:; Did you mean .*?\?)?( at \[\d+:\d+\])?$/;

export function createJobs({ engine, store, dataset, clock, ...options }: JobsOptions) {
  const { beforeRun, queryMs } = options;
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
      const query = await analyze(request);
      const parts = await partsRead(query, projectId, startedMs);
      const job = createJob({ ...request, startedMs }, query, parts);
      if (dryRun) return job;
      jobs.set(key, job);
      for (const [old, kept] of jobs) {
        if (jobs.size <= jobsMax) break;
        if (kept?.outcome) jobs.delete(old);
      }
      job.done = run(job, query, parts);
      return job;
    } catch (err) {
      if (!dryRun) jobs.delete(key);
      throw BigQueryError.from(err);
    }
  }

  async function analyze(request: JobRequest): Promise<AnalysedQuery> {
    const { projectId, dryRun, query } = request;
    const parameters = engineParameters(query.queryParameters);
    const sql = queryText(query);
    const types = Object.fromEntries(parameters.map(({ name, type }) => [name, type]));
    const { datasetId, projectId: project } = query.defaultDataset ?? {};
    const views = partitionsViews(sql, store.tables, { project: projectId, dataset });
    const named = namedTables(sql, [...store.tables, ...views], {
      project: projectId,
      dataset,
      defaultDataset: datasetId === undefined ? undefined : { project, dataset: datasetId },
      suffixesOf: (name) => store.suffixesOf(name),
    });
    try {
      const analysis = await engine.analyze({
        sql: named.sql,
        tables: named.tables,
        // A dry run reports the parameters that were not given instead of refusing them.
        ...(dryRun && parameters.length === 0 ? {} : { parameters: types }),
      });
      if (analysis.statementKind !== 'SELECT' && !dryRun) {
        const found = analysis.statementKind === 'SCRIPT' ? 'several' : analysis.statementKind;
        throw new BigQueryError('invalidQuery', `Not run locally: one SELECT only, found ${found}`);
      }
      if (analysis.notRun !== undefined && !dryRun) {
        throw notRunLocally(new Error(analysis.notRun));
      }
      requireUniqueColumns(analysis);
      return { analysis, find: named.find, parameters };
    } catch (err) {
      throw err instanceof GoogleSqlError ? (tableNotFound(err, request) ?? err) : err;
    }
  }

  /** What the query reads of each table. Throws if it lacks a filter that a table requires. */
  async function partsRead(
    { analysis, find, parameters }: AnalysedQuery,
    projectId: string,
    startedMs: number,
  ): Promise<TablePart[]> {
    const references = tableReferences(analysis, find);
    for (const reference of analysis.statementKind === 'SELECT' ? references : []) {
      const message = missingFilter(reference, `${projectId}.${reference.table.fullName}`);
      if (message) throw new BigQueryError('invalidQuery', message);
      const reason = otherRows(reference);
      if (reason) throw notRunLocally(new Error(reason));
    }
    const reads = await tableReads(engine, references, parameters, startedMs);
    return reads.map(({ table, scan, values }) => {
      const { partitioning, shards } = table.source.definition ?? {};
      const isShardRead = (suffix: string): boolean => {
        const start = shards && shardStart(shards.format, suffix);
        return start === undefined || values === undefined || includesInstant(values, start);
      };
      const isRead = partitioning && values ? partitionsRead(partitioning, values) : () => true;
      return { table, columns: scan.columns, isRead, isShardRead };
    });
  }

  function createJob(
    request: JobRequest & Pick<Job, 'startedMs'>,
    { analysis, find }: AnalysedQuery,
    parts: readonly TablePart[],
  ): Job {
    const unsharded = analysis.tables.filter((table) => !find(table)?.shards);
    const bytes = new Map(unsharded.map((table) => [table, 0]));
    for (const part of parts) {
      if ('ofDataset' in part.table.source) {
        bytes.set(part.table.fullName, minimumBytesPerTable);
        continue;
      }
      const read = store.bytesRead(part);
      for (const [name, size] of read) bytes.set(name, (bytes.get(name) ?? 0) + size);
    }
    const inMebibytes = (size: number) => Math.ceil(size / bytesPerMebibyte) * bytesPerMebibyte;
    const billedOf = (size: number): number => Math.max(minimumBytesPerTable, inMebibytes(size));
    const sizes = [...bytes.values()];
    return {
      ...request,
      analysis,
      tables: [...bytes.keys()],
      bytesProcessed: sizes.reduce((sum, size) => sum + size, 0),
      bytesBilled: request.dryRun ? 0 : sizes.reduce((sum, size) => sum + billedOf(size), 0),
      outcome: undefined,
      cuts: [],
      done: Promise.resolve(),
      stop: () => undefined,
    };
  }

  async function run(job: Job, query: AnalysedQuery, parts: readonly TablePart[]) {
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
    const hasManyRows = parts.some(({ table }) => store.rowsIn(table) > FEW_ROWS);
    const timer = stopInTime(job, hasManyRows && leastMs === 0);
    try {
      const limit = Number(job.query.maximumBytesBilled ?? Infinity);
      // This form also refuses a limit that is not a number.
      if (!(job.bytesBilled <= limit)) {
        const message = `Query exceeded limit for bytes billed: ${limit}. ${job.bytesBilled} or higher required.`;
        throw new BigQueryError('bytesBilledLimitExceeded', message);
      }
      const least = delay(leastMs, undefined, { signal, ref: false });
      const evaluated = Promise.all([evaluate(job, query, parts, signal), least]);
      const [rows] = await Promise.race([stopped, evaluated]);
      job.outcome = { rows: { ...asColumns(rows, job.analysis), columns: job.analysis.columns } };
    } catch (err) {
      job.outcome = { error: BigQueryError.from(err) };
    } finally {
      clearTimeout(timer);
      job.stop = () => undefined;
    }
  }

  async function evaluate(
    job: Job,
    { analysis, find, parameters }: AnalysedQuery,
    parts: readonly TablePart[],
    signal: AbortSignal,
  ): Promise<QueryRows> {
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

  function tableNotFound(err: GoogleSqlError, { projectId, query, location }: JobRequest) {
    const match = TABLE_NOT_FOUND.exec(err.message);
    if (!match) return undefined;
    const position = match[2] ?? '';
    const path = (match[1] ?? '').replaceAll('`', '').split('.');
    const table = path.pop() ?? '';
    const datasetId = path.pop() ?? query.defaultDataset?.datasetId;
    const project = path.join('.') || query.defaultDataset?.projectId || projectId;
    if (datasetId === undefined) {
      const message = `Table "${table}" must be qualified with a dataset (e.g. dataset.table).`;
      return new BigQueryError('invalid', message, { cause: err });
    }
    const name = `${project}:${datasetId}`;
    const places = store.tables.map((one) => ({
      project: projectId,
      dataset,
      ...queriedTable(one),
    }));
    const beside = places.filter((one) => one.project === project && one.dataset === datasetId);
    const isKnown = beside.length > 0 || (project === projectId && datasetId === dataset);
    if (isKnown && table.endsWith('*')) {
      const message = `${name}.${table} does not match any table.`;
      if (!beside.some((one) => one.table.startsWith(table.slice(0, -1)))) {
        return new BigQueryError('invalid', message, { cause: err });
      }
      const reason = `the wildcard ${table}${position} matches tables that are not shards in table.json (write UNION ALL)`;
      return notRunLocally(new Error(reason));
    }
    const missing = isKnown ? `Table ${name}.${table}` : `Dataset ${name}`;
    const message = `Not found: ${missing} was not found in location ${location}${position}`;
    return new BigQueryError('notFound', message, { cause: err });
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

function queryText(query: QueryConfiguration): string {
  if (typeof query.query !== 'string' || query.query === '') {
    throw new BigQueryError('required', 'Required parameter is missing: query');
  }
  if (query.useLegacySql !== false) {
    throw new BigQueryError('invalid', 'Not run locally: legacy SQL; send useLegacySql: false');
  }
  return query.query;
}

function requireUniqueColumns({ columns }: Analysis): void {
  const lower = columns.map(({ name }) => name.toLowerCase());
  const twice = columns.filter((_, index) => lower.indexOf(lower[index] ?? '') < index);
  if (twice.length === 0) return;
  const found = twice.map(({ name }) => name).join(', ');
  const message = `Duplicate column names in the result are not supported. Found duplicate(s): ${found}`;
  throw new BigQueryError('invalidQuery', message);
}
