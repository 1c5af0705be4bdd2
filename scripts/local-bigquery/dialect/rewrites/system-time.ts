// Takes FOR SYSTEM_TIME AS OF out of a query: the tables have their present rows alone.
import { closingBracket } from '../../../lexer/brackets.ts';
import { type Token, isSymbol, isWord, replaceTokens } from '../../../lexer/sql-tokens.ts';

/** Words that may follow the time. */
const AFTER = new Set(
  (
    'CROSS EXCEPT FULL GROUP HAVING INNER INTERSECT JOIN LEFT LIMIT ON ORDER PIVOT QUALIFY RIGHT TABLESAMPLE ' +
    'UNION UNPIVOT USING WHERE WINDOW'
  ).split(' '),
);

export function withoutSystemTime(sql: string): string {
  return replaceTokens(sql, (_, index, all) => {
    const isClause = ['FOR', 'SYSTEM_TIME', 'AS', 'OF'].every((word, place) =>
      isWord(all[index + place], word),
    );
    return isClause ? { last: lastOf(all, index + 4), text: '' } : undefined;
  });
}

/** Index of the last token of the expression that begins at `start`. */
function lastOf(all: readonly Token[], start: number): number {
  let index = start;
  for (; index < all.length; index++) {
    const token = all[index];
    if (isSymbol(token, '(') || isSymbol(token, '[')) {
      index = closingBracket(all, index) ?? all.length;
      continue;
    }
    const isAfter = token?.kind === 'word' && AFTER.has(token.text.toUpperCase());
    if (isAfter || [')', ',', ';'].some((symbol) => isSymbol(token, symbol))) break;
  }
  return index - 1;
}
