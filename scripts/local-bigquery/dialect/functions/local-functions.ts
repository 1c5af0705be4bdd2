// Finds the calls of functions that the engine lacks, and the functions of the local BigQuery for them.
import { type Token, isSymbol, tokens } from '../../../lexer/sql-tokens.ts';
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

/** The calls of functions that the engine does not run, with the functions to call in their place. */
export function replacedCalls(all: readonly Token[]): ReplacedCall[] {
  return calls(all).flatMap(({ name, start, end }) => {
    const functions = REPLACED_FUNCTIONS.get(name);
    return functions ? { functions, start, end } : [];
  });
}

interface ReplacedCall {
  /** The first is to be called; the others are called by it. */
  functions: readonly SqlFunction[];
  /** Offsets of the name. */
  start: number;
  end: number;
}

/** The called functions, with their upper-case names; `HLL_COUNT.INIT` is one. */
function calls(all: readonly Token[]): { name: string; start: number; end: number }[] {
  return all.flatMap((token, index) => {
    if (!isSymbol(all[index + 1], '(') || token.kind !== 'word') return [];
    const isQualified = isSymbol(all[index - 1], '.');
    const outer = isQualified ? all[index - 2] : undefined;
    const name = token.text.toUpperCase();
    if (!isQualified || outer?.text.toUpperCase() === 'SAFE') {
      return { name, start: token.start, end: token.end };
    }
    return outer
      ? { name: `${outer.text.toUpperCase()}.${name}`, start: outer.start, end: token.end }
      : [];
  });
}
