// Puts the rows of a table in the order of its partition column, oldest first.
import { splitRows } from '../values/encoded-rows.ts';
import type { EngineValue } from '../values/engine-values.ts';
import type { EncodedRow } from '../values/row-encoder.ts';
import { partitionColumn, rowColumns } from '../analysis/reads/partitions.ts';
import type { PartitionedTable } from '../analysis/reads/partitions.ts';

/** The place of a row in time, to compare with others of its table; NULL is the oldest. */
type PlaceInTime = (row: EncodedRow) => number;

/** `undefined` for a table without partitions: its rows keep their order. */
export function placeInTime(table: PartitionedTable): PlaceInTime | undefined {
  const column = partitionColumn(table);
  if (column === undefined) return undefined;
  const index = rowColumns(table).indexOf(column);
  return (row) => placeOf(row[index] ?? {});
}

function placeOf({ timestampValue, datetimeValue, dateValue }: EngineValue): number {
  if (timestampValue) return Number(timestampValue.seconds) + (timestampValue.nanos ?? 0) / 1e9;
  if (datetimeValue) {
    return Number(datetimeValue.bitFieldDatetimeSeconds) + (datetimeValue.nanos ?? 0) / 1e9;
  }
  return dateValue ?? -Number.MAX_VALUE;
}

/** The encoded rows by their places; rows of the same place keep their order. */
export function sortRows(encoded: readonly Buffer[], places: readonly number[]): Buffer[] {
  const rows = encoded.flatMap(splitRows);
  return [...places.entries()]
    .sort(([, a], [, b]) => a - b)
    .flatMap(([index]) => rows[index] ?? []);
}
