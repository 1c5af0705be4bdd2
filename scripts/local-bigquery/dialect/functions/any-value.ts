// Rewrites ANY_VALUE, which takes any row in the reference engine, to what ignores NULL as in BigQuery.
import { closingBracket, sameLevel, textOf } from '../../../lexer/brackets.ts';
import { type Token, isSymbol, isWord, replaceTokens } from '../../../lexer/sql-tokens.ts';

/**
 * Has `ANY_VALUE(x)` and `ANY_VALUE(x HAVING MAX y)` consider the rows whose `x` is not NULL, also as a
 * window function. In PIVOT nothing but a call of an aggregate function is allowed, and it is not changed.
 */
export function anyValueNotNull(sql: string): string {
  return replaceTokens(sql, (name, index, all) => {
    const close = isSymbol(all[index + 1], '(') ? closingBracket(all, index + 1) : undefined;
    if (close === undefined) return undefined;
    if (isWord(name, 'PIVOT')) {
      return { last: close, text: textOf(sql, all.slice(index, close + 1)) };
    }
    const isEmpty = close === index + 2;
    if (!isWord(name, 'ANY_VALUE') || isSymbol(all[index - 1], '.') || isEmpty) return undefined;
    const last = isWord(all[close + 1], 'OVER') ? endOfWindow(all, close + 2) : close;
    const over = textOf(sql, all.slice(close + 1, last + 1));
    return { last, text: notNull(sql, all.slice(index + 2, close), over) };
  });
}

/** `over` is empty, or `OVER …`. */
function notNull(sql: string, given: readonly Token[], over: string): string {
  // It decides nothing, and may stand only once.
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

/** Index of the last token of `OVER window` or `OVER (…)`, whose specification begins at `start`. */
function endOfWindow(all: readonly Token[], start: number): number {
  return (isSymbol(all[start], '(') ? closingBracket(all, start) : undefined) ?? start;
}
