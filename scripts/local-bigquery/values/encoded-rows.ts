// Selects rows and columns in the engine's protobuf encoding without decoding the values.

/** `TableData` is a sequence of rows, a row a sequence of cells, each field 1 with a length. */
const memberTag = (1 << 3) | 2;
/** `string_value` in `zetasql.ValueProto`. */
const STRING_VALUE = 8;

/** The rows with some of their columns: `keep` has one entry per column of `rows`. */
export function selectColumns(rows: Buffer, keep: readonly boolean[]): Buffer {
  if (keep.every(Boolean)) return rows;
  const isKept = (_: Buffer, column: number): boolean => keep[column] === true;
  const selected = splitRows(rows).flatMap((row) =>
    field(1, splitRows(contentsOf(row)).filter(isKept)),
  );
  return Buffer.concat(selected);
}

/** Each row with one more cell, a STRING. */
export function appendCell(rows: Buffer, value: string): Buffer {
  const cell = Buffer.concat(field(1, field(STRING_VALUE, [Buffer.from(value)])));
  return Buffer.concat(splitRows(rows).flatMap((row) => field(1, [contentsOf(row), cell])));
}

/** Each row by itself, encoded as before; of the contents of a row each cell. */
export function splitRows(rows: Buffer): Buffer[] {
  const split: Buffer[] = [];
  for (let position = 0; position < rows.length;) {
    const { end } = member(rows, position);
    split.push(rows.subarray(position, end));
    position = end;
  }
  return split;
}

function contentsOf(row: Buffer): Buffer {
  return row.subarray(member(row, 0).start);
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

/** Where the contents of the member at a position are, `end` exclusive: those of a row, or of a cell of a row. */
function member(bytes: Buffer, position: number): { start: number; end: number } {
  if (bytes[position] !== memberTag) throw new Error('rows in an unknown encoding');
  let start = position + 1;
  let length = 0;
  for (let scale = 1; ; scale *= 128) {
    const byte = bytes[start++] ?? 0;
    length += (byte & 0x7f) * scale;
    if (byte <= 0x7f) return { start, end: start + length };
  }
}
