// Puts the bodies of aggregate functions in the places of their calls: the engine's own inlining loses ORDER BY and HAVING.
import { isName, isSymbol, isWord, nameOf, replaceTokens } from '../../../lexer/sql-tokens.ts';
import type { Token } from '../../../lexer/sql-tokens.ts';
import { type RoutineCall, routineCallAt } from './routine-calls.ts';
import type { SqlFunction } from '../../values/sql-function.ts';

/** Calls of the aggregate functions among `functions`, at any depth and in the bodies too. */
export function inlineAggregates(sql: string, functions: readonly SqlFunction[]): string {
  const aggregates = functions.filter(({ isAggregate }) => isAggregate);
  if (aggregates.length === 0) return sql;
  return replaceTokens(sql, (_, index, all) => {
    const call = routineCallAt(sql, all, index, aggregates);
    return call && { last: call.close, text: inlineAggregates(bodyOf(call), functions) };
  });
}

/** The body with the arguments of the call in the places of their names. */
function bodyOf({ called, given }: RoutineCall): string {
  const values = new Map(
    called.arguments.map(({ name }, position) => [name.toLowerCase(), given[position] ?? '']),
  );
  const body = replaceTokens(called.body, (token, index, all) => {
    const value = isValue(all, index) ? values.get(nameOf(token)) : undefined;
    return value === undefined ? undefined : { text: `(${value})` };
  });
  return `(${body}\n)`;
}

/** Not the field of a STRUCT, an alias or a function. */
function isValue(all: readonly Token[], index: number): boolean {
  const [before, token, next] = [all[index - 1], all[index], all[index + 1]];
  return isName(token) && !isSymbol(before, '.') && !isWord(before, 'AS') && !isSymbol(next, '(');
}
