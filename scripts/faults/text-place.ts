// Turns offsets into lines and columns, and the lines and columns of GoogleSQL into offsets.

/** Counted from 1; columns in UTF-16 code units, as editors count them. */
export interface TextPlace {
  line: number;
  column: number;
}

const TAB_WIDTH = 8;

export function lineAndColumn(text: string, offset: number): TextPlace {
  const before = text.slice(0, offset).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

/** GoogleSQL counts columns in code points, and a tab up to the next column after a multiple of 8. */
export function offsetOfGoogleSql(text: string, { line, column }: TextPlace): number {
  let offset = 0;
  for (let current = 1; current < line; current += 1) offset = text.indexOf('\n', offset) + 1;
  for (let at = 1; at < column && offset < text.length;) {
    const character = String.fromCodePoint(text.codePointAt(offset) ?? 0);
    at += character === '\t' ? TAB_WIDTH - ((at - 1) % TAB_WIDTH) : 1;
    offset += character.length;
  }
  return offset;
}

/** `line:column` as GoogleSQL counts them: the inverse of `offsetOfGoogleSql`. */
export function googleSqlPlace(text: string, offset: number): string {
  const before = text.slice(0, offset).split('\n');
  let column = 1;
  for (const character of before.at(-1) ?? '') {
    column += character === '\t' ? TAB_WIDTH - ((column - 1) % TAB_WIDTH) : 1;
  }
  return `${before.length}:${column}`;
}
