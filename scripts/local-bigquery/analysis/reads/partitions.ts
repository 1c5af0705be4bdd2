// Divides a table into partitions by the values of a column.
import { PARTITION_TIME, pseudoColumns } from '../../values/table-definition.ts';
import type { Partitioning, TableDefinition } from '../../values/table-definition.ts';
import { FIRST_INSTANT, periodOf } from '../../values/date-parts.ts';
import type { TableField } from '../../values/table-schema.ts';
import type { Range } from './column-functions.ts';
import type { ColumnValues } from './column-ranges.ts';

export interface PartitionedTable {
  name: string;
  fields: readonly TableField[];
  /** Absent for a table without partitions. */
  definition?: Omit<TableDefinition, 'clustering'>;
}

/** The number of the hour, day, month or year, 0 in 1970; null for rows without a value. */
export type Partition = bigint | null;

export function partitionOf({ type }: Partitioning, value: bigint | null): Partition {
  return value === null ? null : periodOf(type, value);
}

/** The column whose values decide the partition; it may be a pseudo column. */
export function partitionColumn({ fields, definition }: PartitionedTable): TableField | undefined {
  if (!definition?.partitioning) return undefined;
  const name = definition.partitioning.field?.toLowerCase();
  if (name === undefined) return PARTITION_TIME;
  return fields.find((field) => field.name.toLowerCase() === name);
}

/** The columns of a row of the table, in their order: those of the schema, then the pseudo columns. */
export function rowColumns({ fields, definition }: PartitionedTable): readonly TableField[] {
  return [...fields, ...pseudoColumns(definition)];
}

export function partitionsRead(
  { type }: Partitioning,
  { ranges, hasNull }: ColumnValues,
): (partition: Partition) => boolean {
  const periods = ranges.map((range) => periodsOf(type, range));
  return (partition) =>
    partition === null
      ? hasNull
      : periods.some(({ first, last }) => first <= partition && partition <= last);
}

/** The number of partitions that values lie in, the one of NULL included. */
export function partitionCount(
  { type }: Pick<Partitioning, 'type'>,
  { ranges, hasNull }: ColumnValues,
): bigint {
  let count = hasNull ? 1n : 0n;
  let counted = periodOf(type, FIRST_INSTANT) - 1n;
  for (const { first, last } of ranges.map((range) => periodsOf(type, range))) {
    count += last - (first > counted ? first - 1n : counted);
    counted = last;
  }
  return count;
}

function periodsOf(type: Partitioning['type'], { from, until }: Range) {
  return { first: periodOf(type, from), last: periodOf(type, until - 1n) };
}
