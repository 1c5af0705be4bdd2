// Rewrites chained function calls, which the engine's parser lacks, to nested ones.
import { callArguments } from '../../../lexer/brackets.ts';
import { type Token, isSymbol, tokens } from '../../../lexer/sql-tokens.ts';
import { type MappedText, type PieceEdit, rewrittenInSteps } from '../../analysis/mapped-text.ts';

/** `(x).UPPER().REPLACE('A', 'b')` as `REPLACE(UPPER((x)), 'A', 'b')`. */
export function withoutChainedFunctions(sql: string): MappedText {
  return rewrittenInSteps(sql, firstChained);
}

function firstChained(sql: string): [PieceEdit] | undefined {
  const all = tokens(sql);
  for (let index = 1; index < all.length; index++) {
    const [dot, name, open] = all.slice(index, index + 3);
    if (!isSymbol(all[index - 1], ')') || !isSymbol(dot, '.') || !isSymbol(open, '(')) continue;
    const first = all[startOf(all, index - 1)];
    const call = callArguments(all, index + 2);
    const close = call && all[call.close];
    if (!dot || !name || name.kind === 'symbol' || !open || !first || !close) continue;
    const pieces = [
      { start: name.start, end: name.end },
      '(',
      { start: first.start, end: dot.start },
      call.list.length === 0 ? '' : ', ',
      { start: open.end, end: close.end },
    ];
    return [{ start: first.start, end: close.end, pieces }];
  }
  return undefined;
}

/** Index of the first token of the expression in brackets, or of the call, that ends at `close`. */
function startOf(all: readonly Token[], close: number): number {
  const depth = all[close]?.depth ?? 0;
  let index = all.findLastIndex((token, at) => at < close && token.depth <= depth);
  if (!isFunctionName(all[index - 1])) return index;
  index--;
  while (isSymbol(all[index - 1], '.') && isFunctionName(all[index - 2])) index -= 2;
  return index;
}

/** Words that may stand before an expression in brackets. */
const NO_FUNCTIONS = new Set(
  (
    'ALL AND AS BETWEEN BY CASE DISTINCT ELSE FROM HAVING IN IS LIKE LIMIT NOT ON OR QUALIFY SELECT THEN UNNEST ' +
    'WHEN WHERE'
  ).split(' '),
);

function isFunctionName(token: Token | undefined): boolean {
  if (token?.kind === 'quoted') return true;
  return token?.kind === 'word' && !NO_FUNCTIONS.has(token.text.toUpperCase());
}
