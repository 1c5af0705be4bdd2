// Declares the SQL engine, which analyses and runs GoogleSQL.
import type { Table, TableContents, SqlFunction } from '../values/engine-catalogue.ts';
import type { EngineValue, Row } from '../values/engine-values.ts';
import type { EngineParameter, QueryParameterType } from '../values/query-parameters.ts';
import type { EngineType, TableField } from '../values/table-schema.ts';
import type { Analysis } from './sql-script.ts';

export interface AnalyzeRequest {
  /** One statement, after any number of CREATE TEMP FUNCTION. */
  sql: string;
  tables: readonly Table[];
  /** Declared parameters by name. Without it parameters are inferred; with it others are an error. */
  parameters?: Readonly<Record<string, QueryParameterType | EngineType>>;
  /** Infers the parameters that `parameters` does not declare. */
  infersOthers?: boolean;
  /** Returns the resolved tree too, which may be large. */
  withTree?: boolean;
}

export interface EvaluateRequest {
  /** One SELECT. */
  sql: string;
  tables?: readonly TableContents[];
  functions?: readonly SqlFunction[];
  parameters?: readonly EngineParameter[];
  signal?: AbortSignal;
}

export interface QueryRows {
  columns: TableField[];
  rows: Row[];
}

/** Every method throws `GoogleSqlError` with the message BigQuery would give, where it gives one. */
export interface GoogleSql {
  analyze: (request: AnalyzeRequest) => Promise<Analysis>;
  evaluate: (request: EvaluateRequest) => Promise<QueryRows>;
  /** Encodes rows for `TableContents`; each row is one value per column. */
  encodeRows(rows: readonly (readonly EngineValue[])[]): Buffer;
  close(): Promise<void>;
}
