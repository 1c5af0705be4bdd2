// Declares functions in SQL: those of a query, and those of the local BigQuery itself.
import type { EngineType } from './table-schema.ts';

/** A function of a query, with declared types or, where one is absent, any type. */
export interface SqlFunction {
  name: string;
  arguments: readonly FunctionArgument[];
  /** Declared, or else that of the body if it does not depend on the arguments of a call. */
  returnType?: EngineType;
  isAggregate?: boolean;
  /** The expression, with each table by its full name in one pair of back quotes. */
  body: string;
  /** Says what it is, if the engine knows only its types: JavaScript, an aggregate. */
  notRun?: string;
}

export interface FunctionArgument {
  name: string;
  type?: EngineType;
  /** Of an aggregate function: has one value for all rows. */
  isNotAggregate?: boolean;
  /** The value, as SQL, of an argument that a call may leave out. */
  ifAbsent?: string;
}
