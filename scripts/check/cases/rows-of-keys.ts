// Makes rows for several keys of a batch, with several rows each, from those of a test that may have one key alone.
import type { ScalarType } from '../../../functions/core/parameter-type.ts';
import {
  decodeScalar,
  encodeScalar,
  isNull,
  isRepeated,
  kindOf,
} from '../../local-bigquery/index.ts';
import type { EncodedRow, EngineValue, TableField } from '../../local-bigquery/index.ts';
import type { Source } from '../../sources/source.ts';
import type { EndpointCase } from './read-cases.ts';
import { TYPES_IN_ROWS } from './values-in-rows.ts';

/** The value of a parameter that the rows hold, and that of another key. */
export interface KeySwap {
  type: ScalarType;
  own: string;
  other: string;
}

type Change = (value: EngineValue, kind: string) => EngineValue;

/** Of larger tables the first rows alone are varied. */
const VARIED_ROWS_MAX = 100;

/** Every row as it is, with each swap, and each of these with other numbers and earlier times. */
export function rowsOfKeys(
  rows: EndpointCase['rows'],
  sources: readonly Source[],
  swaps: readonly KeySwap[],
): Map<string, EncodedRow[]> {
  const isKey: (text: string) => boolean = (text) =>
    swaps.some(({ own, other }) => text === own || text === other);
  const shifts = [1, 2].map((steps): Change => (value, kind) => {
    const text = decodeScalar(value, kind);
    return text === null || isKey(text) ? value : shifted(value, steps);
  });
  const made = new Map<string, EncodedRow[]>();
  for (const { name, fields } of sources) {
    const own = rows.get(name) ?? [];
    const varied = own.slice(0, VARIED_ROWS_MAX);
    const swapped = swaps.flatMap(({ type, own: from, other }) => {
      const swap: Change = (value, kind) =>
        TYPES_IN_ROWS.get(kind) === type && decodeScalar(value, kind) === from
          ? encodeScalar(other, kind)
          : value;
      return varied.map((row) => changed(row, fields, swap));
    });
    const all = [...own, ...swapped];
    const shiftable = [...varied, ...swapped];
    const later = shifts.flatMap((shift) => shiftable.map((row) => changed(row, fields, shift)));
    made.set(name, [...all, ...later]);
  }
  return made;
}

function changed(values: EncodedRow, fields: readonly TableField[], change: Change): EncodedRow {
  return values.map((value, index) => {
    const field = fields[index];
    if (field === undefined || isNull(value)) return value;
    if (!isRepeated(field)) return changedValue(value, field, change);
    const elements = value.arrayValue?.element ?? [];
    const element = elements.map((each) => changedValue(each, field, change));
    return { arrayValue: { element } };
  });
}

function changedValue(value: EngineValue, field: TableField, change: Change): EngineValue {
  const inner = value.structValue?.field;
  if (inner !== undefined) {
    return { structValue: { field: changed(inner, field.fields ?? [], change) } };
  }
  const kind = kindOf(field.type);
  return kind === undefined || !TYPES_IN_ROWS.has(kind) ? value : change(value, kind);
}

function shifted(value: EngineValue, steps: number): EngineValue {
  const { int64Value, doubleValue, dateValue, timestampValue } = value;
  if (int64Value !== undefined) return { int64Value: String(BigInt(int64Value) + BigInt(steps)) };
  if (doubleValue !== undefined) return { doubleValue: doubleValue + steps };
  if (dateValue !== undefined) return { dateValue: dateValue - steps };
  if (timestampValue?.seconds === undefined) return value;
  const seconds = String(BigInt(timestampValue.seconds) - BigInt(steps * 3600));
  return { timestampValue: { ...timestampValue, seconds } };
}
