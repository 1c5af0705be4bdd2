// Declares the query runner, which bigquery/query-runner.ts implements with BigQuery, its error for data, and its price.
import { type FieldsOf, isCount, isText, isYes, optional } from './json.ts';
import type { ParameterType, ParameterValue } from './parameter-type.ts';

export interface ColumnSchema {
  name: string;
  /** The name in endpoint.json: `INT64`, not `INTEGER`; `RECORD`, not `STRUCT`. */
  type: string;
  mode?: string;
  fields?: ColumnSchema[];
}

/** A row as the BigQuery REST API writes it: every value a string, null, record or list. */
export interface WireRow {
  f: { v: unknown }[];
}

/** One parameter set of a batch. `key` is a STRING that is in the first column of its rows. */
type BatchKey = Readonly<Record<string, ParameterValue>> & { readonly key: string };

/** The part of its table that an incremental query reads: the rows since a time, and those of a cut bucket, before another. */
export const SCAN = { sinceMs: isCount, untilMs: optional(isCount) };
export type Scan = FieldsOf<typeof SCAN>;

export interface BoundQuery {
  sql: string;
  parameters: Readonly<Record<string, ParameterValue>>;
  /** Not empty; bound as `@keys`, an ARRAY of STRUCTs with the fields of the first element. */
  keys?: readonly BatchKey[];
  /** The types of parameters and of fields of `keys`; one that is not listed is a STRING. */
  types?: Readonly<Record<string, ParameterType>>;
}

/** The least that BigQuery bills for each table that a query reads. */
export const MIN_BYTES_BILLED = 10_485_760;
const TIB = 2 ** 40;

/**
 * What BigQuery bills in US$, at its price for queries on demand (the setting PRICE_PER_TIB). `bytes` are those of one table, or of
 * each. No bytes cost nothing: BigQuery answers such a query from its metadata.
 */
export function costUsd(bytes: number | readonly number[], pricePerTib: number): number {
  const billed = [bytes].flat().map((read) => (read > 0 ? Math.max(read, MIN_BYTES_BILLED) : 0));
  return (billed.reduce((sum, read) => sum + read, 0) / TIB) * pricePerTib;
}

/** For whom and why a query runs, as the labels of its job say. */
export interface QueryCause {
  /** A request that the cache could not answer, warming, or a demand for newer rows. */
  cause: 'miss' | 'warm' | 'refresh';
  /**
   * The API key of the request; absent for warming. Keys share the instance fairly, by name: a run with a key rejects with
   * INSTANCE_BUSY when it has waited for room too long.
   */
  key?: { name: string; digest: string } | undefined;
}

export interface QueryRequest extends BoundQuery, QueryCause {
  /** Endpoint name, for labels and logs. */
  endpoint: string;
  /** The expected columns of the result, in order; a result with other columns is an error. */
  columns: readonly ColumnSchema[];
  rowCountMax: number;
  /** Awaited before the query is sent: `estimate` asks BigQuery, for nothing, what it bills at most. If it rejects, nothing is sent. */
  reserve?: ((estimate: () => Promise<number>) => Promise<void>) | undefined;
  /** Receives `bytesBilled` as soon as it is known, also if the run fails then. */
  onBilled?: ((bytesBilled: number) => void) | undefined;
  /** A query that would be billed for more fails; the deployment has a bound too. */
  maxBytesBilled?: number | undefined;
  /**
   * Receives at most `rowCountMax` rows, in the order of the query, page by page: each page once, the first
   * even if it is empty. If it rejects, the run rejects with the same error. A page counts as in memory until
   * the promise resolves. Whether all rows have arrived is known only at the end.
   */
  onPage: (page: ResultPage) => Promise<void>;
  /** Nothing is awaited after this instant. The query is cancelled then, unless it is `lasting`. */
  deadlineMs: number;
  /** True: as a job from the start (jobs.insert), which costs a second call. Else BigQuery decides whether there is a job. */
  asJob?: boolean | undefined;
  /** Present if the query may outlive the request that starts it. */
  lasting?: LastingQuery | undefined;
}

/** How BigQuery knows a query that was started. */
export const QUERY_IDS = {
  /** The `requestId` of jobs.query; the id of a job that was inserted. */
  requestId: isText,
  /** Undefined for a query that may end without a job, until BigQuery names one. That of a job is chosen before it is sent. */
  jobId: optional(isText),
  /** Whether BigQuery has confirmed that it has the job. */
  isStarted: optional(isYes),
};
export type QueryIds = FieldsOf<typeof QUERY_IDS>;

export interface JobState {
  isDone: boolean;
  bytesBilled: number;
}

/**
 * A query that is left to itself, and not cancelled, at the deadline of its request, when the instance is stopped or busy, and
 * when BigQuery cannot be reached. At the deadline the run rejects with QUERY_RUNNING, or QUERY_STARTING if BigQuery has not confirmed it. Whoever runs it
 * again joins it.
 */
export interface LastingQuery {
  /** Started already, or to be started: BigQuery recognises both ids. */
  started: QueryIds;
  /** When it is cancelled. */
  endsAtMs: number;
  /** Awaited before the run goes on; counts the bytes of a new job. A job that fails may be replaced by another one. */
  record: (started: QueryIds) => Promise<void>;
}

/** The job that gave the rows. */
export interface RowsOrigin {
  /** For a query without a job the id that BigQuery gives it: INFORMATION_SCHEMA.JOBS lists it under this id. */
  jobId: string;
  /**
   * The local BigQuery alone, which `npm start` runs: it read the newest rows of a table only, and the rows may be wrong.
   * `logs.events; read=94000; of=200000`
   */
  localRowsCut?: string | undefined;
}

export interface ResultPage extends RowsOrigin {
  schema: ColumnSchema[];
  rows: WireRow[];
}

export interface QueryOutcome extends RowsOrigin {
  /** True when the query had more rows than `rowCountMax`. */
  truncated: boolean;
  bytesProcessed: number;
  /** As BigQuery says; of a query that was started as a job, or joined, derived from what it processed. */
  bytesBilled: number;
  /** Whether the rows are from BigQuery's own cache. */
  isCacheHit?: boolean | undefined;
}

/** Runs read-only SQL. Rejects with a `ServiceError` for every error that has a message for the caller. */
export interface QueryRunner {
  run(request: QueryRequest): Promise<QueryOutcome>;
  /** Best effort, within a second; never rejects. Does nothing for a query without a job. */
  cancel(started: QueryIds): Promise<void>;
  /** Undefined if BigQuery has no such job. */
  look(jobId: string): Promise<JobState | undefined>;
}

/**
 * The last name of the path of a table or dataset, and what is before it; undefined if there is one name. A project may have
 * a domain: `example.com:project.dataset.table`.
 */
export function splitLast(path: string): { before: string | undefined; last: string } {
  const dot = path.lastIndexOf('.');
  return { before: dot === -1 ? undefined : path.slice(0, dot), last: path.slice(dot + 1) };
}

/** BigQuery's metadata of a table. The texts are only compared. */
export interface TableMetadata {
  /** `TABLE`, `VIEW`, `EXTERNAL`… */
  type: string;
  rows: string;
  bytes: string;
  modified: string;
  /** Whether rows are in its streaming buffer, which `rows` and `bytes` leave out. */
  isStreaming: boolean;
  /** Absent if it has none: a table may be partitioned by the time of ingestion. */
  partitionColumn?: string | undefined;
}

/** Rejects if the table cannot be described by the deadline. */
export type DescribeTable = (
  place: Record<'project' | 'dataset' | 'table', string>,
  deadlineMs: number,
) => Promise<TableMetadata>;

/** BigQuery's error for a query that fails while it runs, such as a division by zero. */
export class QueryDataError extends Error {
  override readonly name = 'QueryDataError';
  /** Whether BigQuery blames a value, which may be that of a parameter or of a row. */
  isOfValues = false;
}

/** The `code` of the error for NULL in a column that `row` calls REQUIRED, which the rows of one key may cause. */
export const NULL_IN_REQUIRED = 'NULL_IN_REQUIRED';

/** Whether a message is that of an `ERROR('at most 90 days')` in the query: it is the author's, and meant for callers. */
export function isTextOf(sql: string, message: string): boolean {
  return [`'${message}'`, `"${message}"`].some((literal) => sql.includes(literal));
}
