// Counts the bytes of encoded rows as BigQuery bills them: by column, and by partition.
import { type Part, contents, member, numbers } from '../values/encoded-rows.ts';
import { type EngineValue, decodeScalar, timestampMicros } from '../values/engine-values.ts';
import { type TableField, isRepeated, kindOf } from '../values/table-schema.ts';
import { partitionColumn, partitionOf, rowColumns } from '../analysis/reads/partitions.ts';
import type { Partition, PartitionedTable } from '../analysis/reads/partitions.ts';

export interface Read {
  /** Dotted names of columns and fields; a RECORD is read with all its fields. */
  columns: readonly string[];
  /** The rows of a table without partitions are all in partition null. */
  isRead(partition: Partition): boolean;
}

/** Bytes by partition, of each column and each field in a RECORD, in the order of `leafNames`. */
type StoredBytes = ReadonlyMap<Partition, readonly number[]>;

/** By encoded rows, which never change: they are counted once. */
const counted = new WeakMap<Buffer, StoredBytes>();

/** The bytes that are read of rows that are encoded with all columns of their table; pseudo columns are free. */
export function bytesRead(table: PartitionedTable, rows: Buffer, read: Read): number {
  const stored = counted.get(rows) ?? storedBytes(table, rows);
  counted.set(rows, stored);
  const isNeeded = leafNames(table.fields).map((leaf) =>
    read.columns.some((column) => leaf === column || leaf.startsWith(`${column}.`)),
  );
  return [...stored]
    .filter(([partition]) => read.isRead(partition))
    .flatMap(([, bytes]) => bytes.filter((_, index) => isNeeded[index]))
    .reduce((sum, bytes) => sum + bytes, 0);
}

function storedBytes(table: PartitionedTable, rows: Buffer): StoredBytes {
  const partitioning = table.definition?.partitioning;
  const column = partitionColumn(table);
  const partitionIndex = column ? rowColumns(table).indexOf(column) : -1;
  const kind = kindOf(column?.type ?? '') ?? '';
  const leafCount = leafNames(table.fields).length;
  const stored = new Map<Partition, number[]>();
  for (let position = 0; position < rows.length;) {
    const row = member(rows, position);
    const cells = membersOf(rows, row);
    const cell = cells[partitionIndex];
    const partition =
      partitioning && cell ? partitionOf(partitioning, instantOf(rows, cell, kind)) : null;
    const bytes = stored.get(partition) ?? new Array<number>(leafCount).fill(0);
    stored.set(partition, bytes);
    addCells(rows, cells, table.fields, bytes, 0);
    position = row.end;
  }
  return stored;
}

/** Dotted names of the columns and fields that hold values themselves. */
function leafNames(fields: readonly TableField[], prefix = ''): string[] {
  return fields.flatMap((field) =>
    isRecord(field)
      ? leafNames(field.fields ?? [], `${prefix}${field.name}.`)
      : `${prefix}${field.name}`,
  );
}

/** Adds to the bytes from the leaf `first` on; answers the leaf after the last. */
function addCells(
  rows: Buffer,
  cells: readonly Part[],
  fields: readonly TableField[],
  bytes: number[],
  first: number,
): number {
  let leaf = first;
  for (const [index, field] of fields.entries()) {
    const cell = cells[index] ?? NULL;
    const values = isRepeated(field) ? membersOf(rows, contents(rows, cell)) : [cell];
    if (isRecord(field)) {
      const inner = field.fields ?? [];
      const next = addCells(rows, [], inner, bytes, leaf);
      for (const value of values) {
        addCells(rows, membersOf(rows, contents(rows, value)), inner, bytes, leaf);
      }
      leaf = next;
    } else {
      const kind = kindOf(field.type) ?? '';
      for (const value of values)
        bytes[leaf] = (bytes[leaf] ?? 0) + logicalBytes(rows, value, kind);
      leaf++;
    }
  }
  return leaf;
}

const NULL: Part = { start: 0, end: 0 };

/** https://cloud.google.com/bigquery/docs/reference/standard-sql/data-types#data_type_sizes */
function logicalBytes(rows: Buffer, value: Part, kind: string): number {
  if (value.start === value.end) return 0;
  const { start, end } = contents(rows, value);
  switch (kind) {
    case 'TYPE_STRING':
    case 'TYPE_BYTES':
      return 2 + end - start;
    case 'TYPE_JSON':
      return end - start;
    case 'TYPE_BOOL':
      return 1;
    case 'TYPE_NUMERIC':
    case 'TYPE_INTERVAL':
      return 16;
    case 'TYPE_BIGNUMERIC':
      return 32;
    default:
      return 8;
  }
}

/** Microseconds since 1970 of a cell of type TIMESTAMP, DATETIME or DATE. */
function instantOf(rows: Buffer, cell: Part, kind: string): bigint | null {
  if (cell.start === cell.end) return null;
  const text = decodeScalar(temporalValue(rows, cell, kind), kind) ?? '';
  return kind === 'TYPE_TIMESTAMP' ? BigInt(text) : (timestampMicros(text) ?? null);
}

function temporalValue(rows: Buffer, cell: Part, kind: string): EngineValue {
  if (kind === 'TYPE_DATE') return { dateValue: Number(numbers(rows, cell)[DATE_FIELD]) };
  const [, first = 0n, second = 0n] = numbers(rows, contents(rows, cell));
  const [seconds, nanos] = [String(first), Number(second)];
  return kind === 'TYPE_TIMESTAMP'
    ? { timestampValue: { seconds, nanos } }
    : { datetimeValue: { bitFieldDatetimeSeconds: seconds, nanos } };
}

/** `date_value` in `zetasql.ValueProto`. */
const DATE_FIELD = 10;

function membersOf(rows: Buffer, { start, end }: Part): Part[] {
  const parts: Part[] = [];
  for (let position = start; position < end;) {
    const part = member(rows, position);
    parts.push(part);
    position = part.end;
  }
  return parts;
}

function isRecord({ type }: TableField): boolean {
  return kindOf(type) === 'TYPE_STRUCT';
}
