// Finds the parts of a query by its brackets: what is inside them, and what is at the same level.
import { type Token, type Tokens, isSymbol } from './sql-tokens.ts';

/** Index of the bracket that closes the one at `open`; `undefined` if it is never closed. */
export function closingBracket(all: Tokens, open: number): number | undefined {
  const depth = all[open]?.depth ?? 0;
  for (let index = open + 1; index < all.length; index++) {
    if ((all[index]?.depth ?? 0) <= depth) return index;
  }
  return undefined;
}

/** Indexes of the tokens from `start` to the end of its brackets; of inner brackets the opening one alone. */
export function sameLevel(all: Tokens, start = 0): number[] {
  const found: number[] = [];
  const end = levelEnd(all, start);
  for (let index = start; index < end; index++) {
    if (all[index]?.depth === all[start]?.depth && !isClosing(all[index])) found.push(index);
  }
  return found;
}

/** Index after the last token that is in the same brackets as that at `start`. */
export function levelEnd(all: Tokens, start: number): number {
  const depth = all[start]?.depth ?? 0;
  for (let index = start; index < all.length; index++) {
    const token = all[index];
    // A closing bracket is outside the part that it closes.
    if (token && (token.depth < depth || (index === start && isClosing(token)))) return index;
  }
  return all.length;
}

/** Index of the bracket that is open at a token; -1 if there is none. */
export function openingBracket(all: Tokens, index: number): number {
  const depth = all[index]?.depth ?? 0;
  return all.findLastIndex((token, at) => at < index && token.depth < depth);
}

function isClosing(token: Token | undefined): boolean {
  return isSymbol(token, ')') || isSymbol(token, ']');
}

/** The index of the bracket that closes the one at `open`, and the tokens of each argument; undefined if it is never closed. */
export function callArguments(all: Tokens, open: number) {
  const close = closingBracket(all, open);
  if (close === undefined) return undefined;
  const inside = all.slice(open + 1, close);
  return { close, list: inside.length === 0 ? [] : separated(inside) };
}

/** The parts between the commas that are in no brackets, those of `STRUCT<a INT64, b STRING>` too. */
export function separated(part: Tokens): Token[][] {
  const parts: Token[][] = [];
  let start = 0;
  let angles = 0;
  for (const index of sameLevel(part)) {
    const token = part[index];
    const isType = /^(?:STRUCT|ARRAY|RANGE)$/i.test(part[index - 1]?.text ?? '');
    if (isSymbol(token, '<') && (angles > 0 || isType)) angles++;
    else if (isSymbol(token, '>') && angles > 0) angles--;
    else if (isSymbol(token, ',') && angles === 0) {
      parts.push(part.slice(start, index));
      start = index + 1;
    }
  }
  return [...parts, part.slice(start)];
}

export function placeOf(part: Tokens): { start: number; end: number } {
  return { start: part[0]?.start ?? 0, end: part.at(-1)?.end ?? 0 };
}

export function textOf(sql: string, part: Tokens): string {
  const { start, end } = placeOf(part);
  return sql.slice(start, end);
}
