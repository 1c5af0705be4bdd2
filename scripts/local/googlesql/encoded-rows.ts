// Selects rows and columns in the engine's protobuf encoding without decoding the values.

/** `TableData` is a sequence of rows, a row a sequence of cells, each field 1 with a length. */
const memberTag = (1 << 3) | 2;

/** The rows with some of their columns: `keep` has one entry per column of `rows`. */
export function selectColumns(rows: Buffer, keep: readonly boolean[]): Buffer {
  if (keep.every(Boolean)) return rows;
  const selected: Buffer[] = [];
  for (let position = 0; position < rows.length;) {
    const row = member(rows, position);
    const cells: Buffer[] = [];
    for (let column = 0, cell = row.start; cell < row.end; column++) {
      const { end } = member(rows, cell);
      if (keep[column]) cells.push(rows.subarray(cell, end));
      cell = end;
    }
    selected.push(...field(1, cells));
    position = row.end;
  }
  return Buffer.concat(selected);
}

/** Each row by itself, encoded as before. */
export function splitRows(rows: Buffer): Buffer[] {
  const split: Buffer[] = [];
  for (let position = 0; position < rows.length;) {
    const { end } = member(rows, position);
    split.push(rows.subarray(position, end));
    position = end;
  }
  return split;
}

/** The last rows that take at most `bytesMax`, and their number. */
export function lastRows(rows: Buffer, bytesMax: number): { encoded: Buffer; rows: number } {
  const sizes = splitRows(rows).map(({ length }) => length);
  let bytes = 0;
  let count = 0;
  for (const size of sizes.reverse()) {
    if (bytes + size > bytesMax) break;
    bytes += size;
    count++;
  }
  return { encoded: rows.subarray(rows.length - bytes), rows: count };
}

/** A length-delimited field: tag and length, then the contents as they are. */
export function field(number: number, contents: readonly Buffer[]): Buffer[] {
  const length = contents.reduce((sum, part) => sum + part.length, 0);
  const prefix = [(number << 3) | 2];
  let rest = length;
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) prefix.push((rest & 0x7f) | 0x80);
  prefix.push(rest);
  return [Buffer.from(prefix), ...contents];
}

/** The contents of a message that consists of one embedded message. */
export function embedded(message: Buffer): Buffer {
  if (message.length === 0) return message;
  const { start, end } = member(message, 0);
  return message.subarray(start, end);
}

function member(bytes: Buffer, position: number): { start: number; end: number } {
  if (bytes[position] !== memberTag) throw new Error('rows in an unknown encoding');
  let length = 0;
  let start = position + 1;
  for (let scale = 1; ; scale *= 128) {
    const byte = bytes[start++] ?? 0;
    length += (byte & 0x7f) * scale;
    if (byte < 0x80) return { start, end: start + length };
  }
}
