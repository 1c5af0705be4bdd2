// Finds what to write for an alias of the SELECT list in a clause that does not see it.
import { textOf } from '../../lexer/brackets.ts';
import {
  clausesAround,
  isAggregateCall,
  itemOf,
  queryBracket,
  selectItems,
} from '../../lexer/query-clauses.ts';
import { hasWord, nameOf, tokens } from '../../lexer/sql-tokens.ts';

/** Undefined for a name that is no alias of the query around it. */
export function aliasRemedy(sql: string, offset: number, message: string): string | undefined {
  const all = tokens(sql);
  const index = all.findIndex(({ start }) => start === offset);
  if (!message.startsWith('Unrecognized name: ') || index < 0) return undefined;
  const bracket = queryBracket(all, index);
  const first = all.findIndex(
    (token, at) => at > bracket && token.depth === (all[bracket]?.depth ?? -1) + 1,
  );
  // A token of the query that is in no brackets of an expression.
  const level = all.findLastIndex(
    (token, at) => at <= index && at > bracket && token.depth === all[first]?.depth,
  );
  const clauses = clausesAround(all, level);
  const select = clauses.get('SELECT');
  if (select === undefined) return undefined;
  const items = selectItems(all, select).map(itemOf);
  const item = items.find(({ alias }) => alias && nameOf(alias) === nameOf(all[index]));
  if (item === undefined || item.value.some((token) => token === all[index])) return undefined;
  const [clause] = [...clauses].find(([, { at, end }]) => at <= index && index < end) ?? [];
  const isAggregate = item.value.some((_, at) => isAggregateCall(item.value, at));
  if (
    clause === 'SELECT' ||
    (clause === 'WHERE' && !isAggregate && !hasWord(item.value, /^OVER$/i))
  ) {
    const [{ depth } = { depth: 0 }] = item.value;
    const isSum = item.value.some(
      (token) => token.depth === depth && /^[^\w.()[\]`'"@]/.test(token.text),
    );
    const value = textOf(sql, item.value);
    return `${isSum ? `(${value})` : value} in place of its alias`;
  }
  if (clause !== 'WHERE') return undefined;
  return hasWord(item.value, /^OVER$/i)
    ? 'this condition after QUALIFY, at the end of the query but before ORDER BY'
    : 'this condition after HAVING, which follows GROUP BY';
}
