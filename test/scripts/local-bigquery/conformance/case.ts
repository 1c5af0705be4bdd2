// The form of a conformance case: a query, and what BigQuery's SQL reference says it returns.

/** Text of a scalar, NULL, the elements of an ARRAY, or the fields of a STRUCT by name. */
export type Cell = string | null | Cell[] | { [field: string]: Cell };

/** In the order of the columns, or by their names where the case is about these. A TIMESTAMP is in ISO 8601. */
type Row = Cell[] | { [column: string]: Cell };

/** By what each query shows. */
export type RowsCases = Record<string, [sql: string, ...rows: Row[]]>;
