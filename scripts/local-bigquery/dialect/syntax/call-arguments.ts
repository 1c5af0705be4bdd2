// Finds the arguments of a function call in the tokens of a query.
import { closingBracket, isSymbol, isWord } from '../../../lexer/sql-tokens.ts';
import type { Token } from '../../../lexer/sql-tokens.ts';

interface CallArguments {
  /** Index of the closing bracket. */
  close: number;
  /** The tokens of each argument; none for an empty list. */
  list: Token[][];
}

/** The arguments in the brackets that open at `open`; `undefined` if they are never closed. */
export function callArguments(all: readonly Token[], open: number): CallArguments | undefined {
  const close = closingBracket(all, open);
  if (close === undefined) return undefined;
  const inside = all.slice(open + 1, close);
  return { close, list: inside.length === 0 ? [] : separated(inside) };
}

/** The parts between the commas that are in no brackets, those of `STRUCT<a INT64, b STRING>` too. */
export function separated(tokens: readonly Token[]): Token[][] {
  const parts: Token[][] = [];
  let start = 0;
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index];
    if (isSymbol(token, '(') || isSymbol(token, '[')) {
      index = closingBracket(tokens, index) ?? tokens.length;
    } else if (isSymbol(token, '<') && isType(tokens[index - 1])) {
      index = closingAngle(tokens, index);
    } else if (isSymbol(token, ',')) {
      parts.push(tokens.slice(start, index));
      start = index + 1;
    }
  }
  return [...parts, tokens.slice(start)];
}

/** The text that tokens were taken from, from the first to the last. */
export function textOf(sql: string, part: readonly Token[]): string {
  return sql.slice(part[0]?.start ?? 0, part.at(-1)?.end ?? 0);
}

/** The place of tokens in their text, from the first to the last. */
export function sliceOf(part: readonly Token[]): { start: number; end: number } {
  return { start: part[0]?.start ?? 0, end: part.at(-1)?.end ?? 0 };
}

function isType(token: Token | undefined): boolean {
  return isWord(token, 'STRUCT') || isWord(token, 'ARRAY') || isWord(token, 'RANGE');
}

function closingAngle(tokens: readonly Token[], open: number): number {
  let depth = 0;
  for (let index = open; index < tokens.length; index++) {
    if (isSymbol(tokens[index], '<')) depth++;
    if (isSymbol(tokens[index], '>')) depth--;
    if (depth === 0) return index;
  }
  return tokens.length;
}
