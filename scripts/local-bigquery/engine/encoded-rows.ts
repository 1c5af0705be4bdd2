// Selects columns of rows in the engine's protobuf encoding without decoding the values.
import protobuf from 'protobufjs';

/** `TableData` is a sequence of rows, a row a sequence of cells, each field 1 with a length. */
const memberTag = (1 << 3) | 2;
/** `string_value` in `zetasql.ValueProto`. */
const STRING_VALUE = 8;

/** The rows with some of their columns: `keep` has an entry for each; and with a last column that has one text, if it is given. */
export function selectColumns(rows: Buffer, keep: readonly boolean[], text?: string): Buffer {
  if (text === undefined && keep.every(Boolean)) return rows;
  const added = text === undefined ? [] : field(1, field(STRING_VALUE, [Buffer.from(text)]));
  const reader = protobuf.Reader.create(rows);
  const writer = protobuf.Writer.create();
  while (reader.pos < reader.len) {
    const end = endOfMember(reader);
    const cells: Buffer[] = [];
    for (let column = 0; reader.pos < end; column++) {
      const start = reader.pos;
      reader.pos = endOfMember(reader);
      if (keep[column]) cells.push(rows.subarray(start, reader.pos));
    }
    writer.uint32(memberTag).bytes(Buffer.concat([...cells, ...added]));
  }
  return Buffer.from(writer.finish());
}

/** Reads the tag and the length of a member. */
function endOfMember(reader: protobuf.Reader): number {
  if (reader.uint32() !== memberTag) throw new Error('rows in an unknown encoding');
  const length = reader.uint32();
  return reader.pos + length;
}

/** A length-delimited field: tag and length, then the contents as they are. */
export function field(number: number, contents: readonly Buffer[]): Buffer[] {
  const length = contents.reduce((sum, part) => sum + part.length, 0);
  const prefix = protobuf.Writer.create().uint32((number << 3) | 2);
  return [Buffer.from(prefix.uint32(length).finish()), ...contents];
}
