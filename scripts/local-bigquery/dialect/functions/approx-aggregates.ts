// Rewrites aggregates that the reference engine lacks, or that differ in it: approximate ones, and ANY_VALUE.
import { callArguments, closingBracket, sameLevel, textOf } from '../../../lexer/brackets.ts';
import { isSymbol, isWord, replaceTokens } from '../../../lexer/sql-tokens.ts';
import type { Token, Tokens } from '../../../lexer/sql-tokens.ts';

export const QUANTILES = 'local_quantiles_of_sorted_array';

/**
 * Rewrites `APPROX_QUANTILES([DISTINCT] x, n [{IGNORE | RESPECT} NULLS])` to a function of `parts.sql`
 * over a sorted `ARRAY_AGG`, and `APPROX_COUNT_DISTINCT(x)` to `COUNT(DISTINCT x)`, at any depth. Text
 * that the engine's parser would refuse is not changed, so that the engine reports the error.
 */
export function exactAggregates(sql: string): string {
  return replaceTokens(sql, (name, index, all) => {
    if (!isSymbol(all[index + 1], '(') || isSymbol(all[index - 1], '.')) return undefined;
    if (isWord(name, 'APPROX_COUNT_DISTINCT')) return { last: index + 1, text: 'COUNT(DISTINCT ' };
    const call = isWord(name, 'APPROX_QUANTILES') ? callArguments(all, index + 1) : undefined;
    const text = call && quantiles(sql, call.list);
    return text === undefined ? undefined : { last: call?.close ?? index, text };
  });
}

function quantiles(sql: string, [values = [], rest]: readonly Token[][]): string | undefined {
  if (rest === undefined) return undefined;
  const distinct = isWord(values[0], 'DISTINCT');
  const nulls = isWord(rest.at(-1), 'NULLS') ? (rest.at(-2)?.text ?? '') : '';
  const value = exactAggregates(textOf(sql, distinct ? values.slice(1) : values));
  const number = textOf(sql, nulls === '' ? rest : rest.slice(0, -2));
  if (!value || !number) return undefined;
  const list = `ARRAY_AGG(${distinct ? 'DISTINCT ' : ''}${value} ${nulls || 'IGNORE'} NULLS ORDER BY ${value})`;
  return `${QUANTILES}(${list}, ${number})`;
}

/**
 * Has `ANY_VALUE(x)` and `ANY_VALUE(x HAVING MAX y)` consider the rows whose `x` is not NULL, also as a
 * window function. In PIVOT nothing but a call of an aggregate function is allowed, and it is not changed.
 */
export function anyValueNotNull(sql: string): string {
  return replaceTokens(sql, (name, index, all) => {
    const close = isSymbol(all[index + 1], '(') ? closingBracket(all, index + 1) : undefined;
    if (close === undefined) return undefined;
    if (isWord(name, 'PIVOT'))
      return { last: close, text: textOf(sql, all.slice(index, close + 1)) };
    const isEmpty = close === index + 2;
    if (!isWord(name, 'ANY_VALUE') || isSymbol(all[index - 1], '.') || isEmpty) return undefined;
    const window = isSymbol(all[close + 2], '(') ? closingBracket(all, close + 2) : close + 2;
    const last = isWord(all[close + 1], 'OVER') ? (window ?? close + 2) : close;
    const over = textOf(sql, all.slice(close + 1, last + 1));
    return { last, text: notNull(sql, all.slice(index + 2, close), over) };
  });
}

/** `over` is empty, or `OVER …`. */
function notNull(sql: string, given: Tokens, over: string): string {
  // DISTINCT changes nothing here, and may occur only once.
  const inside = isWord(given[0], 'DISTINCT') ? given.slice(1) : given;
  const having = sameLevel(inside).find((index) => isWord(inside[index], 'HAVING')) ?? -1;
  const value = anyValueNotNull(textOf(sql, having < 0 ? inside : inside.slice(0, having)));
  if (having >= 0) {
    const [kind] = inside.slice(having + 1);
    const by = anyValueNotNull(textOf(sql, inside.slice(having + 2)));
    return `ANY_VALUE(${value} HAVING ${kind?.text ?? ''} IF((${value}) IS NULL, NULL, ${by}))`;
  }
  if (over === '') return `ANY_VALUE(${value} HAVING MAX (${value}) IS NOT NULL)`;
  const item = `IF((${value}) IS NULL, NULL, STRUCT(${value} AS item))`;
  return `(ARRAY_AGG(${item} IGNORE NULLS) ${over})[SAFE_OFFSET(0)].item`;
}
