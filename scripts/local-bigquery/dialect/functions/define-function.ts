// Defines functions of the local BigQuery in SQL.
import type { SqlFunction } from '../../analysis/sql-script.ts';
import type { EngineType } from '../../values/table-schema.ts';

/** Arguments are named in the order of the call; one without a type takes any. */
export type Arguments = Readonly<Record<string, EngineType | undefined>>;

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
