// Finds the calls of functions that the engine lacks, and the functions of the local BigQuery for them.
import { placeOf } from '../../../lexer/brackets.ts';
import { type Token, isSymbol, isWord, tokens } from '../../../lexer/sql-tokens.ts';
import { MISSING_FUNCTION_PARTS, MISSING_FUNCTIONS } from './missing-functions.ts';
import { REPLACED_FUNCTIONS } from './replaced-functions.ts';
import type { SqlFunction } from '../../values/sql-function.ts';

/** The functions that the text calls and the engine does not know, but for those that the query defines. */
export function missingFunctions(sql: string, defined: readonly SqlFunction[]): SqlFunction[] {
  const called = new Set(calls(tokens(sql)).map(({ name }) => name));
  const own = new Set(defined.map(({ name }) => name.toUpperCase()));
  const found = MISSING_FUNCTIONS.filter(({ name }) => called.has(name) && !own.has(name));
  const bodies = found.map(({ body }) => body).join();
  return [...MISSING_FUNCTION_PARTS.filter(({ name }) => bodies.includes(name)), ...found];
}

/**
 * The calls of functions that the engine does not run, by the offsets of their names, with the function to call in the
 * place of each, and those that it calls.
 */
export function replacedCalls(
  all: readonly Token[],
): { functions: readonly SqlFunction[]; start: number; end: number }[] {
  return calls(all).flatMap(({ name, start, end }) => {
    const functions = REPLACED_FUNCTIONS.get(name);
    return functions ? { functions, start, end } : [];
  });
}

/** The called functions, with their upper-case names; `HLL_COUNT.INIT` is one. */
function calls(all: readonly Token[]): { name: string; start: number; end: number }[] {
  return all.flatMap((token, index) => {
    if (!isSymbol(all[index + 1], '(') || token.kind !== 'word') return [];
    const outer = isSymbol(all[index - 1], '.') ? all[index - 2] : undefined;
    const path = outer && !isWord(outer, 'SAFE') ? [outer, token] : [token];
    return { name: path.map(({ text }) => text.toUpperCase()).join('.'), ...placeOf(path) };
  });
}
