// Selects rows and columns in the engine's protobuf encoding without decoding the values.
import protobuf from 'protobufjs';

/** `TableData` is a sequence of rows, a row a sequence of cells, each field 1 with a length. */
const memberTag = (1 << 3) | 2;
/** `string_value` in `zetasql.ValueProto`. */
const STRING_VALUE = 8;

/** The rows with some of their columns: `keep` has one entry per column of `rows`. */
export function selectColumns(rows: Buffer, keep: readonly boolean[]): Buffer {
  if (keep.every(Boolean)) return rows;
  const reader = protobuf.Reader.create(rows);
  // One buffer, in which all fits: bytes of each row are only removed. A buffer for each cell would take longer.
  const selected = Buffer.allocUnsafe(rows.length);
  let length = 0;
  while (reader.pos < reader.len) {
    const end = endOfMember(reader);
    const kept: [start: number, end: number][] = [];
    let bytes = 0;
    for (let column = 0; reader.pos < end; column++) {
      const start = reader.pos;
      reader.pos = endOfMember(reader);
      if (!keep[column]) continue;
      kept.push([start, reader.pos]);
      bytes += reader.pos - start;
    }
    length = writeVarint(selected, writeVarint(selected, length, memberTag), bytes);
    for (const range of kept) length += rows.copy(selected, length, ...range);
  }
  return selected.subarray(0, length);
}

/** Reads the tag and the length of a member. */
function endOfMember(reader: protobuf.Reader): number {
  if (reader.uint32() !== memberTag) throw new Error('rows in an unknown encoding');
  const length = reader.uint32();
  return reader.pos + length;
}

/** Returns where it ends. */
function writeVarint(into: Buffer, at: number, value: number): number {
  let left = value;
  let end = at;
  for (; left > 0x7f; left >>>= 7) into[end++] = (left & 0x7f) | 0x80;
  into[end++] = left;
  return end;
}

export function appendCell(rows: Buffer, value: string): Buffer {
  const cell = Buffer.concat(field(1, field(STRING_VALUE, [Buffer.from(value)])));
  const contentsOf = (row: Buffer) => row.subarray(protobuf.Reader.create(row).skip().skip().pos);
  return Buffer.concat(splitRows(rows).flatMap((row) => field(1, [contentsOf(row), cell])));
}

/** Each row by itself, still encoded; for the contents of a row, each cell. */
export function splitRows(rows: Buffer): Buffer[] {
  const reader = protobuf.Reader.create(rows);
  const split: Buffer[] = [];
  while (reader.pos < reader.len) {
    const start = reader.pos;
    reader.pos = endOfMember(reader);
    split.push(rows.subarray(start, reader.pos));
  }
  return split;
}

/** Encoded rows in portions of at most so many rows and bytes; a larger row is one by itself. */
export function inPortions(split: readonly Buffer[], rowsMax: number, bytesMax: number) {
  const portions: Buffer[][] = [];
  let bytes = Infinity;
  for (const row of split) {
    const last = portions.at(-1);
    const isFull = !last || last.length === rowsMax || bytes + row.length > bytesMax;
    if (isFull) portions.push([row]);
    else last.push(row);
    bytes = (isFull ? 0 : bytes) + row.length;
  }
  return portions.map((rows) => ({ rows: rows.length, encoded: Buffer.concat(rows) }));
}

/** A length-delimited field: tag and length, then the contents as they are. */
export function field(number: number, contents: readonly Buffer[]): Buffer[] {
  const length = contents.reduce((sum, part) => sum + part.length, 0);
  const prefix = protobuf.Writer.create().uint32((number << 3) | 2);
  return [Buffer.from(prefix.uint32(length).finish()), ...contents];
}
