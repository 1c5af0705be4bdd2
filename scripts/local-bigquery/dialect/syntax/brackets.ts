// Tells which tokens of a query are inside of which brackets.
import { closingBracket } from '../../../lexer/sql-tokens.ts';
import type { Token } from '../../../lexer/sql-tokens.ts';

/**
 * Indexes of the tokens from `start` that are in no further brackets, to the bracket that closes around them or the
 * end. An opening bracket is one of them; what is inside, and the closing one, are not.
 */
export function topLevel(all: readonly Token[], start = 0): number[] {
  const found: number[] = [];
  for (let index = start; index < all.length; index++) {
    if (isBracket(all[index], ')', ']')) break;
    found.push(index);
    if (isBracket(all[index], '(', '[')) index = closingBracket(all, index) ?? all.length;
  }
  return found;
}

/** Indexes of the tokens before `index` that are in the same brackets, the nearest first, and at last of the bracket that opens these. */
export function levelBefore(all: readonly Token[], index: number): number[] {
  const found: number[] = [];
  let depth = 0;
  for (let at = index - 1; at >= 0 && depth >= 0; at--) {
    if (isBracket(all[at], '(', '[')) depth--;
    if (depth <= 0) found.push(at);
    if (isBracket(all[at], ')', ']')) depth++;
  }
  return found;
}

function isBracket(token: Token | undefined, ...texts: string[]): boolean {
  return token?.kind === 'symbol' && texts.includes(token.text);
}
