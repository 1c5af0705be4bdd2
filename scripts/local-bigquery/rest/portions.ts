// Divides the rows of a table into portions of one partition each, as the engine and BigQuery's billing need them.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { selectColumns } from '../engine/encoded-rows.ts';
import type { GoogleSql } from '../analysis/google-sql.ts';
import type { NamedTable } from '../analysis/named-tables.ts';
import type { Partition } from '../analysis/reads/column-ranges.ts';
import type { EncodedRow } from '../values/row-encoder.ts';
import { TABLE_SUFFIX } from '../values/table-definition.ts';
import type { Portion } from './large-tables.ts';
import { UNPARTITIONED, logicalBytesOf, partitionId, partitionOfRows } from './stored-bytes.ts';
import type { DescribedTable, PartitionState } from './table-state.ts';

/** Rows of one partition, and the same rows with fewer columns, by the columns kept. */
export interface StoredPortion extends Portion {
  /** The shard that the rows are in; the cell of the suffix is left out. */
  suffix?: string | undefined;
  partition: Partition;
  /** By column. */
  bytes: readonly number[];
  modifiedMs: number;
  isStreaming: boolean;
  selected: Map<string, Buffer>;
}

export type Rows = Iterable<EncodedRow> | AsyncIterable<EncodedRow>;

/** Rows encoded between two turns of the event loop, about 10 ms of work. */
const PORTION_ROWS = 250;

/** How portions are made: with the engine's encoding, and so that several fit into what it takes. */
export function createPortions(engine: GoogleSql, bytesMax: number, nowMs: () => number) {
  /** Of rows that are in one partition of one shard. */
  function encoded(
    table: DescribedTable,
    rows: readonly EncodedRow[],
    { isStreaming = false, modifiedMs = nowMs() }: Partial<StoredPortion> = {},
  ): StoredPortion[] {
    const [row] = rows;
    if (row === undefined) return [];
    const { fields, definition } = table;
    const isSharded = definition?.shards !== undefined;
    const bytes = engine.encodeRows(isSharded ? rows.map((one) => one.slice(0, -1)) : rows);
    if (bytes.length > bytesMax / 8 && rows.length > 1) {
      const half = Math.ceil(rows.length / 2);
      const halves = [rows.slice(0, half), rows.slice(half)];
      return halves.flatMap((some) => encoded(table, some, { isStreaming, modifiedMs }));
    }
    const sizes = fields.map(logicalBytesOf);
    return [
      {
        ...{ rows: rows.length, encoded: bytes, isStreaming, modifiedMs, selected: new Map() },
        suffix: isSharded ? row.at(-1)?.stringValue : undefined,
        partition: partitionOfRows(table)(row),
        bytes: sizes.map((size, index) => rows.reduce((sum, one) => sum + size(one[index]), 0)),
      },
    ];
  }

  /** Rows by shard and partition, and in the given order within each. */
  async function read(table: DescribedTable, rows: Rows, isStreaming = false) {
    const partitionOf = partitionOfRows(table);
    const portions: StoredPortion[] = [];
    const batches = new Map<string, EncodedRow[]>();
    let count = 0;
    for await (const row of rows) {
      if (++count % PORTION_ROWS === 0) await nextTurn();
      const suffix = table.definition?.shards && row.at(-1)?.stringValue;
      const key = `${suffix}/${partitionOf(row)}`;
      const batch = batches.get(key) ?? [];
      batches.set(key, batch);
      if (batch.push(row) < PORTION_ROWS) continue;
      batches.delete(key);
      portions.push(...encoded(table, batch, { isStreaming }));
    }
    for (const batch of batches.values()) {
      portions.push(...encoded(table, batch, { isStreaming }));
      await nextTurn();
    }
    return portions;
  }

  return { encoded, read };
}

/** The partitions of a table, as BigQuery describes them. */
export function partitionStates(
  table: DescribedTable,
  portions: readonly StoredPortion[],
): PartitionState[] {
  const states = new Map<string, PartitionState>();
  for (const portion of portions) {
    const { suffix, isStreaming, modifiedMs } = portion;
    const own = partitionId(table, portion.partition);
    const id = isStreaming && own !== null ? UNPARTITIONED : own;
    const key = JSON.stringify([suffix, id, isStreaming]);
    const before = states.get(key);
    const bytes = portion.bytes.reduce((sum, size) => sum + size, before?.bytes ?? 0);
    const rows = portion.rows + (before?.rows ?? 0);
    const lastMs = Math.max(modifiedMs, before?.modifiedMs ?? 0);
    states.set(key, { suffix, id, rows, bytes, modifiedMs: lastMs, isStreaming });
  }
  return [...states.values()];
}

/** The oldest first; rows without a time are the oldest. */
export function byTime(a: StoredPortion, b: StoredPortion): number {
  const [one, other] = [a.suffix ?? '', b.suffix ?? ''];
  if (one !== other) return one < other ? -1 : 1;
  if (a.partition === b.partition) return 0;
  return a.partition === null || (b.partition !== null && a.partition < b.partition) ? -1 : 1;
}

/** With the columns of `keep` alone, which are those of the named table. */
export function* newestFirst(
  kept: readonly StoredPortion[],
  { fields, shards }: NamedTable,
  keep: readonly boolean[],
): Generator<Portion> {
  const hasSuffix = fields.some((field, index) => field === TABLE_SUFFIX && keep[index]);
  const key = keep.map(Number).join('') + (hasSuffix ? (shards?.suffix ?? '') : '');
  for (const { rows, encoded: all, selected, suffix = '' } of kept.toReversed()) {
    const shown = hasSuffix ? suffix.slice(shards?.suffix.length) : undefined;
    const encoded = selected.get(key) ?? selectColumns(all, keep, shown);
    selected.set(key, encoded);
    yield { rows, encoded };
  }
}

export const rowsOf = (kept: readonly Portion[]): number =>
  kept.reduce((sum, { rows }) => sum + rows, 0);
