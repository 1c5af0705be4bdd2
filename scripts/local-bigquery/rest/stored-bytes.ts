// Counts the bytes of rows as BigQuery bills them: by column, and by partition.
import { decodeScalar, isNull, timestampMicros } from '../values/engine-values.ts';
import type { EngineValue } from '../values/engine-values.ts';
import { type TableField, isRepeated, kindOf } from '../values/table-schema.ts';
import { startOf } from '../values/date-parts.ts';
import { shardSuffix } from '../values/table-definition.ts';
import { partitionColumn, partitionOf, rowColumns } from '../analysis/reads/column-ranges.ts';
import type { Partition, PartitionedTable } from '../analysis/reads/column-ranges.ts';

export interface Read {
  columns: readonly string[];
  /** The rows of a table without partitions are all in partition null. */
  isRead: (partition: Partition) => boolean;
}

interface StoredRows {
  rows: number;
  bytes: number[];
}

type StoredPartitions = ReadonlyMap<Partition, StoredRows>;

/** By encoded rows, which never change: they are counted once. */
const counted = new WeakMap<Buffer, StoredPartitions>();

/** The bytes that are read of rows with all columns of their table; pseudo columns are free. `decode` gives their values. */
export function bytesRead(
  table: PartitionedTable,
  encoded: Buffer,
  { columns, isRead }: Read,
  decode: (encoded: Buffer) => EngineValue[][],
): number {
  let sum = 0;
  for (const [partition, { bytes }] of storedPartitions(table, encoded, decode)) {
    for (const [index, { name }] of isRead(partition) ? table.fields.entries() : []) {
      if (columns.includes(name)) sum += bytes[index] ?? 0;
    }
  }
  return sum;
}

export function storedPartitions(
  table: PartitionedTable,
  encoded: Buffer,
  decode: (encoded: Buffer) => EngineValue[][],
): StoredPartitions {
  return counted.get(encoded) ?? countBytes(table, encoded, decode(encoded));
}

/** For `bytesRead`, which otherwise decodes the rows. */
export function countBytes(
  table: PartitionedTable,
  encoded: Buffer,
  rows: readonly (readonly EngineValue[])[],
): StoredPartitions {
  const partitionOfRow = partitionOfRows(table);
  const sizes = table.fields.map(logicalBytesOf);
  const stored = new Map<Partition, StoredRows>();
  for (const row of rows) {
    const partition = partitionOfRow(row);
    const of = stored.get(partition) ?? { rows: 0, bytes: sizes.map(() => 0) };
    of.rows += 1;
    for (const [index, size] of sizes.entries()) {
      of.bytes[index] = (of.bytes[index] ?? 0) + size(row[index]);
    }
    stored.set(partition, of);
  }
  counted.set(encoded, stored);
  return stored;
}

/** Tells the partition of a row; the rows of a table without partitions are all in partition null. */
export function partitionOfRows(table: PartitionedTable) {
  const partitioning = table.definition?.partitioning;
  const column = partitionColumn(table);
  const index = column ? rowColumns(table).indexOf(column) : -1;
  return (row: readonly EngineValue[]): Partition => {
    const value = row[index];
    if (!partitioning || !column || !value) return null;
    return partitionOf(partitioning, instantOf(value, kindOf(column.type)));
  };
}

/** BigQuery's name of a partition; null in a table without partitions. */
export function partitionId({ definition }: PartitionedTable, partition: Partition): string | null {
  const { type, field } = definition?.partitioning ?? {};
  if (type === undefined) return null;
  // Rows without a time of ingestion are those that have not left the streaming buffer.
  if (partition === null) return field === undefined ? UNPARTITIONED : '__NULL__';
  return shardSuffix(FORMATS[type], startOf(type, partition));
}

export const UNPARTITIONED = '__UNPARTITIONED__';
const FORMATS = { YEAR: 'YYYY', MONTH: 'YYYYMM', DAY: 'YYYYMMDD', HOUR: 'YYYYMMDDHH' } as const;

type Size = (value: EngineValue | undefined) => number;

/** https://cloud.google.com/bigquery/docs/reference/standard-sql/data-types#data_type_sizes */
function logicalBytesOf(field: TableField): Size {
  const size = bytesOfOne(field);
  if (!isRepeated(field))
    return (value) => (value === undefined || isNull(value) ? 0 : size(value));
  return (value) => {
    let sum = 0;
    for (const item of value?.arrayValue?.element ?? []) if (!isNull(item)) sum += size(item);
    return sum;
  };
}

/** The bytes of a value that is not NULL. */
function bytesOfOne(field: TableField): (value: EngineValue) => number {
  const kind = kindOf(field.type) as string;
  const fixed = BYTES[kind] ?? 8;
  switch (kind) {
    case 'TYPE_STRUCT': {
      const sizes = (field.fields ?? []).map(logicalBytesOf);
      return ({ structValue }) => {
        let sum = 0;
        for (let at = 0; at < sizes.length; at++) sum += sizes[at]?.(structValue?.field?.[at]) ?? 0;
        return sum;
      };
    }
    case 'TYPE_STRING':
      return ({ stringValue = '' }) => 2 + Buffer.byteLength(stringValue);
    case 'TYPE_BYTES':
      return ({ bytesValue }) => 2 + (bytesValue?.length ?? 0);
    case 'TYPE_JSON':
      return ({ jsonValue = '' }) => Buffer.byteLength(jsonValue);
    default:
      return () => fixed;
  }
}

const BYTES: Readonly<Record<string, number>> = {
  TYPE_BOOL: 1,
  TYPE_NUMERIC: 16,
  TYPE_BIGNUMERIC: 32,
};

/** Microseconds since 1970 of a TIMESTAMP, DATETIME or DATE. */
function instantOf(value: EngineValue, kind = ''): bigint | null {
  const text = decodeScalar(value, kind);
  if (text === null) return null;
  return kind === 'TYPE_TIMESTAMP' ? BigInt(text) : (timestampMicros(text) ?? null);
}
