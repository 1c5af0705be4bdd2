// Counts the bytes of values as BigQuery bills them, and finds the partitions of rows.
import { timestampMicros } from '../values/civil-time.ts';
import { decodeScalar, isNull } from '../values/engine-values.ts';
import type { EngineValue } from '../values/engine-values.ts';
import { type TableField, isRepeated, kindOf } from '../values/table-schema.ts';
import { startOf } from '../values/date-parts.ts';
import { shardSuffix } from '../values/table-definition.ts';
import { partitionColumn, partitionOf, rowColumns } from '../analysis/reads/column-ranges.ts';
import type { Partition, PartitionedTable } from '../analysis/reads/column-ranges.ts';

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
export function logicalBytesOf(field: TableField): Size {
  const sizeOf = bytesOfOne(field);
  const size: Size = (value) => (value === undefined || isNull(value) ? 0 : sizeOf(value));
  return isRepeated(field) ? (value) => total(value?.arrayValue?.element ?? [], () => size) : size;
}

function total(values: readonly EngineValue[], sizeOf: (index: number) => Size | undefined) {
  let sum = 0;
  for (const [index, value] of values.entries()) sum += sizeOf(index)?.(value) ?? 0;
  return sum;
}

/** The bytes of a value that is not NULL. */
function bytesOfOne(field: TableField): (value: EngineValue) => number {
  const kind = kindOf(field.type) as string;
  const fixed = BYTES[kind] ?? 8;
  switch (kind) {
    case 'TYPE_STRUCT': {
      const sizes = (field.fields ?? []).map(logicalBytesOf);
      return ({ structValue }) => total(structValue?.field ?? [], (index) => sizes[index]);
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
