// Rewrites a text from parts of itself, and finds the places of the original for those of the result.
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
    const offset = offsetOf(mapped.text, { line: Number(line), column: Number(column) });
    const place = placeOf(original, mapped.originOf(offset));
    return ` at [${place.line}:${place.column}]`;
  });
  return new GoogleSqlError(err.kind, message, { cause: err });
}

/** An error at an offset of a text. */
export function errorAt(
  sql: string,
  offset: number,
  message: string,
  kind: 'invalid' | 'unsupported' = 'invalid',
): GoogleSqlError {
  const { line, column } = placeOf(sql, offset);
  return new GoogleSqlError(kind, `${message} at [${line}:${column}]`);
}

/** One-based. Columns are characters, and a tab reaches to the next multiple of eight, as GoogleSQL counts. */
export interface Place {
  line: number;
  column: number;
}

const TAB = 8;

export function placeOf(text: string, offset: number): Place {
  const lines = text.slice(0, offset).split('\n');
  return { line: lines.length, column: widthOf(lines.at(-1) ?? '') + 1 };
}

export function offsetOf(text: string, { line, column }: Place): number {
  const lines = text.split('\n');
  const before = lines.slice(0, line - 1).reduce((sum, { length }) => sum + length + 1, 0);
  const characters = [...(lines[line - 1] ?? '')];
  let taken = '';
  for (const character of characters) {
    if (widthOf(taken) >= column - 1) break;
    taken += character;
  }
  return before + taken.length;
}

function widthOf(text: string): number {
  let width = 0;
  for (const character of text) {
    width = character === '\t' ? (Math.floor(width / TAB) + 1) * TAB : width + 1;
  }
  return width;
}
