// Puts the rows of a table in the order of its partition column, oldest first.
import { splitRows } from '../googlesql/encoded-rows.ts';
import type { EngineValue } from '../googlesql/engine-values.ts';
import type { EncodedRow } from '../googlesql/row-encoder.ts';
import type { TableField } from '../googlesql/table-schema.ts';
import type { TableDefinition } from '../../sources/source.ts';

/** The place of a row in time, to compare with others of its table; NULL is the oldest. */
export type PlaceInTime = (row: EncodedRow) => number;

/** `undefined` for a table without partitions: its rows keep their order. */
export function placeInTime(
  fields: readonly TableField[],
  definition: Pick<TableDefinition, 'partitioning'> | undefined,
): PlaceInTime | undefined {
  const column = definition?.partitioning?.field.toLowerCase();
  const index = fields.findIndex(({ name }) => name.toLowerCase() === column);
  return index === -1 ? undefined : (row) => placeOf(row[index] ?? {});
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
