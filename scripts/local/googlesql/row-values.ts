// Converts the rows of a result to rows of BigQuery's REST API.
import { decodeScalar, isNull } from './engine-values.ts';
import type { EngineValue } from './engine-values.ts';
import type { EngineType } from './table-schema.ts';

/** A cell of the REST wire format: text, NULL, a nested record, or the elements of an array. */
export type Cell = string | null | Row | { v: Cell }[];

/** A row, or a nested record, of the REST wire format: one `{v}` per column, in schema order. */
export interface Row {
  f: { v: Cell }[];
}

/** REST row of one row of results; TIMESTAMP cells are int64 microseconds. */
export function decodeRow(cells: readonly EngineValue[], types: readonly EngineType[]): Row {
  return {
    f: types.map((type, index) => ({ v: decodeCell(cells[index] ?? {}, type) })),
  };
}

function decodeCell(value: EngineValue, type: EngineType): Cell {
  if (type.arrayType) {
    // BigQuery answers a NULL array as an empty one: a column of mode REPEATED has no NULL.
    const { elementType } = type.arrayType;
    return (value.arrayValue?.element ?? []).map((item) => ({ v: decodeCell(item, elementType) }));
  }
  if (type.structType) {
    if (isNull(value)) return null;
    const types = (type.structType.field ?? []).map((field) => field.fieldType);
    return decodeRow(value.structValue?.field ?? [], types);
  }
  return decodeScalar(value, type.typeKind);
}
