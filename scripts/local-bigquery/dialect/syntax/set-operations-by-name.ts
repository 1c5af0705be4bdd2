// Rewrites UNION ALL BY NAME and its kin to CORRESPONDING, the name that the engine knows.
import { type Token, isWord, tokens } from '../../../lexer/sql-tokens.ts';
import { type MappedText, type PieceEdit, rewritten } from './mapped-text.ts';

/** Leaves out INNER, which CORRESPONDING is by itself. */
export function withoutByName(sql: string): MappedText {
  const all = tokens(sql);
  const edits = all.flatMap((token, index): PieceEdit[] => {
    if (!isQuantifier(token) || !isOperation(all[index - 1])) return [];
    const [first, second] = all.slice(index + 1);
    const isByName = isWord(first, 'BY') && isWord(second, 'NAME');
    if (!first || !second || !isByName) return [];
    const inner = all[index - 2];
    const name = { start: first.start, end: second.end, pieces: ['CORRESPONDING'] };
    if (!inner || !isWord(inner, 'INNER')) return [name];
    return [{ start: inner.start, end: inner.end, pieces: [] }, name];
  });
  return rewritten(sql, edits);
}

function isQuantifier(token: Token): boolean {
  return isWord(token, 'ALL') || isWord(token, 'DISTINCT');
}

function isOperation(token: Token | undefined): boolean {
  return isWord(token, 'UNION') || isWord(token, 'INTERSECT') || isWord(token, 'EXCEPT');
}
