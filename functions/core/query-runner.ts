// Declares the query runner, which google/query-runner.ts implements with BigQuery.

/** A column as BigQuery describes it; `RECORD` columns have `fields`. */
export interface ColumnSchema {
  name: string;
  /** The name that endpoint.json uses: `INT64` and not `INTEGER`, `RECORD` and not `STRUCT`. */
  type: string;
  mode?: string;
  fields?: ColumnSchema[];
}

/** A row as the BigQuery REST API writes it: every value a string, null, record or list. */
export interface WireRow {
  f: { v: unknown }[];
}

/** SQL with the values of its parameters. */
export interface BoundQuery {
  sql: string;
  /** Bound as named STRING parameters. */
  parameters: Readonly<Record<string, string>>;
  /** Not empty; bound as `@keys`, an ARRAY of STRUCTs with the STRING fields of the first element. */
  keys?: readonly Readonly<Record<string, string>>[];
}

export interface QueryRequest extends BoundQuery {
  /** Endpoint name, for labels and logs. */
  endpoint: string;
  /** The expected columns of the result, in order; a result with other columns is an error. */
  columns: readonly ColumnSchema[];
  rowCountMax: number;
  /**
   * Receives the rows page by page, each page once and in order, the first even if it is empty; the result
   * then has no rows. If it rejects, the run rejects with the same error. A page counts as held until the
   * promise resolves. Whether all rows have arrived is known only at the end.
   */
  onPage?: (page: ResultPage) => Promise<void>;
  /** The job is cancelled at this instant. */
  deadlineMs: number;
}

/** A part of a result, small enough for memory. */
export type ResultPage = Pick<QueryResult, 'schema' | 'rows' | 'jobId'>;

export interface QueryResult {
  schema: ColumnSchema[];
  /** At most `rowCountMax` rows, in the order of the query. */
  rows: WireRow[];
  /** True when the query had more rows than `rowCountMax`. */
  truncated: boolean;
  jobId: string;
  bytesProcessed: number;
}

/** Runs read-only SQL. Rejects with a `ServiceError` for every error that has a message for the caller. */
export interface QueryRunner {
  run(request: QueryRequest): Promise<QueryResult>;
}
