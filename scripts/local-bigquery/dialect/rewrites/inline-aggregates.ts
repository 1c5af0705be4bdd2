// Puts the bodies of aggregate functions in the places of their calls: the engine's own inlining loses ORDER BY and HAVING.
import { applyEdits, isName, isSymbol, isWord, nameOf, tokens } from '../../../lexer/sql-tokens.ts';
import type { Edit, Token } from '../../../lexer/sql-tokens.ts';
import { type RoutineCall, routineCallAt } from './routine-calls.ts';
import type { SqlFunction } from '../../values/sql-function.ts';

/** Calls of the aggregate functions among `functions`, at any depth and in the bodies too. */
export function inlineAggregates(sql: string, functions: readonly SqlFunction[]): string {
  const aggregates = functions.filter(({ isAggregate }) => isAggregate);
  if (aggregates.length === 0) return sql;
  const all = tokens(sql);
  const edits: Edit[] = [];
  for (let index = 0; index < all.length; index++) {
    const call = routineCallAt(sql, all, index, aggregates);
    if (call === undefined) continue;
    edits.push({
      start: all[index]?.start ?? 0,
      end: all[call.close]?.end ?? sql.length,
      text: inlineAggregates(bodyOf(call), functions),
    });
    index = call.close;
  }
  return applyEdits(sql, edits);
}

/** The body with the arguments of the call in the places of their names. */
function bodyOf({ called, given }: RoutineCall): string {
  const values = new Map(
    called.arguments.map(({ name }, position) => [name.toLowerCase(), given[position] ?? '']),
  );
  const all = tokens(called.body);
  const edits = all.flatMap((token, index) => {
    const value = isValue(all, index) ? values.get(nameOf(token)) : undefined;
    return value === undefined ? [] : [{ start: token.start, end: token.end, text: `(${value})` }];
  });
  return `(${applyEdits(called.body, edits)}\n)`;
}

/** Not the field of a STRUCT, an alias or a function. */
function isValue(all: readonly Token[], index: number): boolean {
  const [before, token, next] = [all[index - 1], all[index], all[index + 1]];
  return isName(token) && !isSymbol(before, '.') && !isWord(before, 'AS') && !isSymbol(next, '(');
}
