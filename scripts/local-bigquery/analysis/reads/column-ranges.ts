// Computes the values of a column that fulfil a condition, and the partitions of a table that these lie in.
import type { ColumnCondition } from './column-conditions.ts';
import { type Range, type ValueOf, compared, truncated } from './column-functions.ts';
import { AFTER_LAST_INSTANT, FIRST_INSTANT, within, periodOf } from '../../values/date-parts.ts';
import { PARTITION_TIME, pseudoColumns } from '../../values/table-definition.ts';
import type { Partitioning, TableDefinition } from '../../values/table-definition.ts';
import type { TableField } from '../../values/table-schema.ts';

/** Values of a column of type TIMESTAMP, DATETIME or DATE. */
export interface ColumnValues {
  /** In order, without empty ones, and with a gap between one and the next. */
  ranges: readonly Range[];
  hasNull: boolean;
}

/** Every value that is not NULL: a comparison is never true of NULL. */
const EVERY: Range = { from: FIRST_INSTANT, until: AFTER_LAST_INSTANT };
export const ALL_VALUES: ColumnValues = { ranges: [EVERY], hasNull: true };

/** The values for which a condition is, or with an unknown constant may be, true. A DATE has the values at which days start. */
export function valuesOf(condition: ColumnCondition, type: string, valueOf: ValueOf): ColumnValues {
  switch (condition.kind) {
    case 'null':
      return { ranges: [], hasNull: true };
    case 'comparison': {
      const ofColumn = type.toUpperCase() === 'DATE' ? [truncated('DAY')] : [];
      const functions = [...condition.functions, ...ofColumn];
      return { ranges: comparisonRanges({ ...condition, functions }, valueOf), hasNull: false };
    }
    case 'all':
    case 'any': {
      const parts = condition.conditions.map((part) => valuesOf(part, type, valueOf));
      if (condition.kind === 'all') return parts.reduce(intersection, ALL_VALUES);
      return union(parts);
    }
  }
}

export function includesInstant({ ranges }: ColumnValues, instant: bigint): boolean {
  return ranges.some(({ from, until }) => from <= instant && instant < until);
}

export function intersection(a: ColumnValues, b: ColumnValues): ColumnValues {
  const ranges = a.ranges.flatMap((one) =>
    b.ranges.map((other) => ({
      from: one.from > other.from ? one.from : other.from,
      until: one.until < other.until ? one.until : other.until,
    })),
  );
  return { ranges: joined(ranges), hasNull: a.hasNull && b.hasNull };
}

export function union(all: readonly ColumnValues[]): ColumnValues {
  const ranges = joined(all.flatMap((part) => part.ranges));
  return { ranges, hasNull: all.some(({ hasNull }) => hasNull) };
}

/** In order, and none touches the next. */
function joined(ranges: readonly Range[]): Range[] {
  const ordered = ranges
    .filter(({ from, until }) => from < until)
    .sort((a, b) => (a.from < b.from ? -1 : 1));
  const found: Range[] = [];
  for (const range of ordered) {
    const last = found.at(-1);
    if (last === undefined || range.from > last.until) found.push({ ...range });
    else if (range.until > last.until) last.until = range.until;
  }
  return found;
}

function comparisonRanges(
  { functions, operator, constant }: Extract<ColumnCondition, { kind: 'comparison' }>,
  valueOf: ValueOf,
): readonly Range[] {
  const value = valueOf(constant);
  if (value === undefined) return [EVERY];
  if (value === null) return [];
  const [outermost, ...inner] = functions;
  let range =
    typeof value === 'bigint'
      ? compared(operator, value, 1n)
      : outermost?.textRange?.(operator, value);
  for (const { preimage } of typeof value === 'bigint' ? functions : inner) {
    range = range && preimage?.(range);
  }
  if (range === undefined) return [EVERY];
  return joined([{ from: within(range.from), until: within(range.until) }]);
}

export interface PartitionedTable {
  name: string;
  fields: readonly TableField[];
  /** Absent for a table without partitions. */
  definition?: Omit<TableDefinition, 'clustering'>;
}

/** The number of the hour, day, month or year, 0 in 1970; null for rows without a value. */
export type Partition = bigint | null;

/** The partition of a value, in microseconds since 1970. */
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
