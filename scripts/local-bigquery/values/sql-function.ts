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

/** Arguments are named in the order of the call; one without a type takes any. */
type Arguments = Readonly<Record<string, EngineType | undefined>>;

/** A scalar function. */
export function define(
  name: string,
  types: Arguments,
  body: string,
  { constants = [], returnType, ifAbsent = {} }: Options = {},
): SqlFunction {
  return {
    name,
    arguments: Object.entries(types).map(([argument, type]) => ({
      name: argument,
      ...(type ? { type } : {}),
      ...(constants.includes(argument) ? { isNotAggregate: true } : {}),
      ...(ifAbsent[argument] === undefined ? {} : { ifAbsent: ifAbsent[argument] }),
    })),
    ...(returnType ? { returnType } : {}),
    body,
  };
}

interface Options {
  /** The arguments of an aggregate function that have one value for all rows. */
  constants?: readonly string[];
  returnType?: EngineType;
  /** By argument, the value of one that a call may leave out. */
  ifAbsent?: Readonly<Record<string, string>>;
}

export function aggregate(
  name: string,
  types: Arguments,
  body: string,
  options: Options = {},
): SqlFunction {
  return { ...define(name, types, body, options), isAggregate: true };
}
