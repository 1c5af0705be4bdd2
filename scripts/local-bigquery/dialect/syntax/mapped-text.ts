// Rewrites a text from parts of itself, and finds the places of the original for those of the result.
import { googleSqlPlace, offsetOfGoogleSql } from '../../../faults/text-place.ts';
import { GoogleSqlError } from '../../engine/error.ts';

/** A part of a new text: text of its own, or the original between two offsets. */
export type Piece = string | { start: number; end: number };

export interface MappedText {
  text: string;
  /** The offset in the original that an offset in `text` comes from; that after it for text of its own. */
  originOf(offset: number): number;
}

export interface PieceEdit {
  start: number;
  end: number;
  pieces: readonly Piece[];
}

/** The original with non-overlapping edits applied. */
export function rewritten(sql: string, edits: readonly PieceEdit[]): MappedText {
  const pieces: Piece[] = [];
  let from = 0;
  for (const edit of [...edits].sort((a, b) => a.start - b.start)) {
    pieces.push({ start: from, end: edit.start }, ...edit.pieces);
    from = edit.end;
  }
  pieces.push({ start: from, end: sql.length });
  let text = '';
  const parts: { at: number; origin: number; isOwn: boolean }[] = [];
  for (const [index, piece] of pieces.entries()) {
    const isOwn = typeof piece === 'string';
    const next = isOwn ? pieces.slice(index).find((later) => typeof later !== 'string') : piece;
    parts.push({ at: text.length, origin: next?.start ?? sql.length, isOwn });
    text += isOwn ? piece : sql.slice(piece.start, piece.end);
  }
  return {
    text,
    originOf(offset) {
      const part = parts.findLast(({ at }) => at <= offset);
      if (part === undefined) return offset;
      return part.isOwn ? part.origin : part.origin + offset - part.at;
    },
  };
}

/** One rewriting after another. */
export function chained(first: MappedText, then: (text: string) => MappedText): MappedText {
  const second = then(first.text);
  return {
    text: second.text,
    originOf: (offset) => first.originOf(second.originOf(offset)),
  };
}

/** An error of the text as one of the original: its first position is moved. */
export function atOrigin(err: unknown, mapped: MappedText, original: string): unknown {
  if (!(err instanceof GoogleSqlError)) return err;
  const message = err.message.replace(/ at \[(\d+):(\d+)\]/, (_, line: string, column: string) => {
    const place = { line: Number(line), column: Number(column) };
    const offset = mapped.originOf(offsetOfGoogleSql(mapped.text, place));
    return ` at [${googleSqlPlace(original, offset)}]`;
  });
  return new GoogleSqlError(err.kind, message, { cause: err });
}
