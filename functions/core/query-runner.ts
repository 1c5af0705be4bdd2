// The role of BigQuery: runs a saved query and returns its rows.

/** A column as BigQuery describes it; `RECORD` columns have `fields`. */
export interface ColumnSchema {
  name: string;
  type: string;
  mode?: string;
  fields?: ColumnSchema[];
}

/** A row as the BigQuery REST API writes it: every value a string, null, record or list. */
export interface WireRow {
  f: { v: unknown }[];
}

export interface QueryRequest {
  /** Endpoint name, for labels and logs. */
  endpoint: string;
  sql: string;
  /** Bound as named STRING parameters. */
  parameters: Readonly<Record<string, string>>;
  /** Not empty; bound as `@keys`, an ARRAY of STRUCTs whose STRING fields are those of the first. */
  keys?: readonly Readonly<Record<string, string>>[];
  /** The columns of the result, in order; a result with others is refused. */
  columns: readonly ColumnSchema[];
  rowCountMax: number;
  /**
   * Takes the rows page by page, each page once and in order, the first also when it is empty; the
   * result then has none. When it rejects, so does the run, with the same error. A page counts as
   * being read until the promise resolves, and whether all rows have come is known at the end alone.
   */
  onPage?: (page: ResultPage) => Promise<void>;
  /** The job is cancelled at this instant. */
  deadlineMs: number;
}

/** A part of a result, no larger than memory bears. */
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

/** Runs read-only SQL. Rejects with a `ServiceError` for every outcome that a caller can be told of. */
export interface QueryRunner {
  run(request: QueryRequest): Promise<QueryResult>;
}
