// Rewrites a text from parts of itself, and maps places of the result to those of the original.
import { googleSqlPlace, offsetOfGoogleSql } from '../../faults/text-place.ts';
import { GoogleSqlError } from '../engine/error.ts';

export interface MappedText {
  original: string;
  text: string;
  /** The parts of the text of each rewriting, in order. */
  steps: readonly (readonly MappedPart[])[];
}

interface MappedPart {
  at: number;
  /** Its place in the original; for text that the rewriting added, the next place in the text that it replaces. */
  origin: number;
  isOwn: boolean;
}

export function originOf({ steps }: MappedText, offset: number): number {
  return steps.reduceRight((place, parts) => {
    const part = parts.findLast(({ at }) => at <= place);
    if (part === undefined) return place;
    return part.isOwn ? part.origin : part.origin + place - part.at;
  }, offset);
}

/** A part of a new text: text of its own, or the original between two offsets. */
export type Piece = string | { start: number; end: number };

export interface PieceEdit {
  start: number;
  end: number;
  pieces: readonly Piece[];
}

export function textOfPieces(sql: string, pieces: readonly Piece[]): string {
  const texts = pieces.map((one) =>
    typeof one === 'string' ? one : sql.slice(one.start, one.end),
  );
  return texts.join('');
}

/** The original with non-overlapping edits applied. */
export function rewritten(sql: string, edits: readonly PieceEdit[]): MappedText {
  const parts: MappedPart[] = [];
  let text = '';
  let from = 0;
  const add = (written: string, origin: number, isOwn: boolean): void => {
    parts.push({ at: text.length, origin, isOwn });
    text += written;
  };
  for (const { start, end, pieces } of [...edits].sort((a, b) => a.start - b.start)) {
    add(sql.slice(from, start), from, false);
    let last = start;
    for (const [index, piece] of pieces.entries()) {
      if (typeof piece === 'string') {
        const next = pieces.slice(index).find((later) => typeof later !== 'string');
        add(piece, next?.start ?? last, true);
      } else {
        add(sql.slice(piece.start, piece.end), piece.start, false);
        last = piece.end;
      }
    }
    from = end;
  }
  add(sql.slice(from), from, false);
  return { original: sql, text, steps: [parts] };
}

export function chained(first: MappedText, then: (text: string) => MappedText): MappedText {
  try {
    const { text, steps } = then(first.text);
    return { original: first.original, text, steps: [...first.steps, ...steps] };
  } catch (err) {
    throw atOrigin(err, first);
  }
}

/** Rewrites the result again until there are no more edits. */
export function rewrittenInSteps(
  sql: string,
  editsOf: (text: string) => readonly PieceEdit[] | undefined,
): MappedText {
  let mapped: MappedText = { original: sql, text: sql, steps: [] };
  for (let isDone = false; !isDone;) {
    mapped = chained(mapped, (text) => {
      const edits = editsOf(text);
      isDone = edits === undefined;
      return rewritten(text, edits ?? []);
    });
  }
  return mapped;
}

export function atOrigin(err: unknown, mapped: MappedText): unknown {
  if (!(err instanceof GoogleSqlError)) return err;
  const message = err.message.replaceAll(/ at \[(\d+):(\d+)\]/g, (_, line, column) => {
    const place = { line: Number(line), column: Number(column) };
    const offset = originOf(mapped, offsetOfGoogleSql(mapped.text, place));
    return ` at [${googleSqlPlace(mapped.original, offset)}]`;
  });
  return new GoogleSqlError(err.kind, message, { cause: err });
}

export function errorAt(
  sql: string,
  offset: number,
  message: string,
  kind: 'invalid' | 'unsupported' = 'invalid',
): GoogleSqlError {
  return new GoogleSqlError(kind, `${message} at [${googleSqlPlace(sql, offset)}]`);
}
