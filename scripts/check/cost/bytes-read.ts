// Estimates the bytes that a query reads, from the partitions in its windows and what a day adds to each table.
import { ALL_VALUES, periodOf, shardPart, startOf } from '../../local-bigquery/index.ts';
import type { PartitionedTable, Partitioning, TableRead } from '../../local-bigquery/index.ts';

const DAY_MICROS = 86_400_000_000n;
/** A table with partitions is taken to have rows of so many days, up to the end of the newest partition. */
const HISTORY_MICROS = 365n * DAY_MICROS;

/**
 * For each table, the bytes of the partitions that are read at `nowMs`; with `asFull`, also those that the newest one has yet to
 * get. A table that is read twice counts twice. `gbPerDay` is for tables that do not state it.
 */
export function bytesRead(
  reads: readonly Pick<TableRead, 'table' | 'values'>[],
  nowMs: number,
  gbPerDay: number,
  { asFull = false } = {},
): number[] {
  const nowMicros = BigInt(nowMs) * 1000n;
  const tables = Map.groupBy(reads, ({ table }) => table.fullName);
  return [...tables.values()].map((some) => some.reduce((sum, read) => sum + bytesOf(read), 0));

  function bytesOf({ table: { source }, values = ALL_VALUES }: (typeof reads)[number]): number {
    const type = partitionType(source);
    const bytesOfDay = 1e9 * (source.definition?.gbPerDay ?? gbPerDay);
    if (type === undefined) return bytesOfDay;
    let micros = 0n;
    let counted = startOf(type, periodOf(type, nowMicros) + 1n) - HISTORY_MICROS;
    for (const { from, until } of values.ranges) {
      const first = from > counted ? from : counted;
      const last = until > nowMicros ? nowMicros : until - 1n;
      if (first > last) continue;
      const start = startOf(type, periodOf(type, first));
      const end = startOf(type, periodOf(type, last) + 1n);
      const begin = start > counted ? start : counted;
      counted = asFull || end < nowMicros ? end : nowMicros;
      micros += counted - begin;
    }
    return (Number(micros) / Number(DAY_MICROS)) * bytesOfDay;
  }
}

/** Undefined for a table that is always read as a whole. */
export function partitionType({ definition }: PartitionedTable): Partitioning['type'] | undefined {
  const { partitioning, shards } = definition ?? {};
  return partitioning?.type ?? (shards && shardPart(shards.format));
}
