// Rewrites ANY_VALUE, which takes any row in the reference engine, to what ignores NULL as in BigQuery.
import { closingBracket, sameLevel, textOf } from '../../../lexer/brackets.ts';
import { applyEdits, isSymbol, isWord, tokens } from '../../../lexer/sql-tokens.ts';
import type { Edit, Token } from '../../../lexer/sql-tokens.ts';

/**
 * Has `ANY_VALUE(x)` and `ANY_VALUE(x HAVING MAX y)` consider the rows whose `x` is not NULL, also as a
 * window function. In PIVOT nothing but a call of an aggregate function is allowed, and it is not changed.
 */
export function anyValueNotNull(sql: string): string {
  const all = tokens(sql);
  const edits: Edit[] = [];
  for (let index = 0; index < all.length; index++) {
    const [name, open] = [all[index], all[index + 1]];
    if (isWord(name, 'PIVOT') && isSymbol(open, '(')) {
      index = closingBracket(all, index + 1) ?? index;
    }
    if (!isWord(name, 'ANY_VALUE') || !isSymbol(open, '(') || isSymbol(all[index - 1], '.')) {
      continue;
    }
    const close = closingBracket(all, index + 1);
    if (name === undefined || close === undefined || close === index + 2) continue;
    const last = isWord(all[close + 1], 'OVER') ? endOfWindow(all, close + 2) : close;
    const over = textOf(sql, all.slice(close + 1, last + 1));
    const text = notNull(sql, all.slice(index + 2, close), over);
    edits.push({ start: name.start, end: all[last]?.end ?? name.end, text });
    index = last;
  }
  return applyEdits(sql, edits);
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
