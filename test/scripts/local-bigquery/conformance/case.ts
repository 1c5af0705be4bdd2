// The form of a conformance case: a query, and what BigQuery's SQL reference says it returns.

/** Text of a scalar, NULL, the elements of an ARRAY, or the fields of a STRUCT by name. */
export type Cell = string | null | Cell[] | { [field: string]: Cell };

interface Case {
  /** What the query shows. */
  name: string;
  sql: string;
  /** Why the local BigQuery does not do this yet. The test of a pending case must fail. */
  pending?: string;
}

export interface RowsCase extends Case {
  /** Names of the columns, where the case is about them. */
  columns?: string[];
  /** One list of cells per row, in the order of the columns. A TIMESTAMP is in ISO 8601. */
  rows: Cell[][];
}

export interface ErrorCase extends Case {
  /** The whole message; a position is a line and a column of `sql`, from one. */
  error: string;
}
