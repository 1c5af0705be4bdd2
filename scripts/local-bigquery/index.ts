// The local BigQuery: the exports that commands use. README.md describes it and its limits.

/** The server, which to Google's client looks like BigQuery. */
export { type LocalBigQuery, type LocalTable, createLocalBigQuery } from './rest/server.ts';

/** The SQL engine: it analyses queries and runs them. */
export { startGoogleSql } from './dialect/google-sql.ts';
export { runnableQuery } from './dialect/rewrites/runnable-query.ts';
export { atOrigin, originOf, rewritten } from './analysis/mapped-text.ts';
export { fixClock } from './analysis/fixed-clock.ts';
export type { GoogleSql } from './analysis/google-sql.ts';
export type { Analysis } from './analysis/sql-script.ts';
export { GoogleSqlError } from './engine/error.ts';

/** The tables that a query names, and what it reads from them. */
export { type NamedTables, namedTables } from './analysis/named-tables.ts';
export { constantsIn } from './analysis/reads/column-conditions.ts';
export { ALL_VALUES, type ColumnValues, union } from './analysis/reads/column-ranges.ts';
export { partitionColumn, partitionCount } from './analysis/reads/column-ranges.ts';
export type { PartitionedTable } from './analysis/reads/column-ranges.ts';
export {
  missingFilter,
  partitionCondition,
  otherRows,
  readsAllShards,
  tableReads,
  tableReferences,
} from './analysis/reads/table-reads.ts';
export type { TableRead, TableReference } from './analysis/reads/table-reads.ts';

export * as tree from './analysis/resolved-tree.ts';
export type { ResolvedNode } from './analysis/resolved-tree.ts';
export { partOf } from './analysis/reads/column-expressions.ts';

/** Tables, their columns and their rows. */
export { TABLE_SUFFIX, shardPart, shardStart, shardSuffix } from './values/table-definition.ts';
export { nameParts, parseTable, queriedTable, queryName } from './values/table-definition.ts';
export type { Partitioning, QueriedTable, TableDefinition } from './values/table-definition.ts';
export { type EngineType, type TableField, isRepeated, kindOf } from './values/table-schema.ts';
export type { Table } from './values/engine-catalogue.ts';
export { type EncodedRow, type RowTable, createTableRowEncoder } from './values/row-encoder.ts';

export {
  AFTER_LAST_INSTANT,
  FIRST_INSTANT,
  lengthOf,
  periodOf,
  startOf,
} from './values/date-parts.ts';
export {
  InvalidValueError,
  LongNumber,
  decodeScalar,
  encodeScalar,
  isNull,
  typeText,
} from './values/engine-values.ts';
export type { EngineValue } from './values/engine-values.ts';
export {
  EMPTY_ARRAY,
  type QueryParameterType,
  engineParameters,
} from './values/query-parameters.ts';
