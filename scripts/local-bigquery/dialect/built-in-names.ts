// Refuses functions of a query with the name of one of GoogleSQL's own, on which the engine would crash.
import { tokens } from '../../lexer/sql-tokens.ts';
import type { EngineProcess } from '../engine/engine-process.ts';
import { definedName } from './rewrites/author-places.ts';
import { errorAt } from './syntax/mapped-text.ts';
import type { SqlFunction } from '../values/sql-function.ts';

interface BuiltInFunctions {
  function?: { namePath?: string[]; options?: { aliasName?: string } }[];
}

/** Names and aliases of the functions that the engine has with these options, in lower case. */
export async function builtInNames(
  process: EngineProcess,
  languageOptions: object,
): Promise<ReadonlySet<string>> {
  const functions = await process.call<BuiltInFunctions>('GetBuiltinFunctions', {
    languageOptions,
  });
  return new Set(
    (functions.function ?? []).flatMap(({ namePath = [], options }) =>
      [namePath.join('.'), options?.aliasName ?? []].flat().map((name) => name.toLowerCase()),
    ),
  );
}

/** Throws a `GoogleSqlError`, at the name in the text, for the first of the functions with such a name. */
export function refuseBuiltInName(
  sql: string,
  functions: readonly SqlFunction[],
  builtIn: ReadonlySet<string>,
): void {
  const refused = functions.find(({ name }) => builtIn.has(name.toLowerCase()));
  if (refused === undefined) return;
  const { name } = refused;
  const message = `Function ${name} has the name of a built-in function, which the local BigQuery cannot replace: give it another name`;
  throw errorAt(sql, definedName(tokens(sql), name)?.start ?? 0, message);
}
