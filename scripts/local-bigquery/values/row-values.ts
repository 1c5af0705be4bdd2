// Converts the rows of a result to rows of BigQuery's REST API.
import { type EngineValue, decodeScalar, isNull } from './engine-values.ts';
import { GoogleSqlError } from '../engine/error.ts';
import type { EngineType } from './table-schema.ts';

/** A cell of the REST wire format: text, NULL, a nested record, or the elements of an array. */
export type Cell = string | null | Row | { v: Cell }[];

/** A row, or a nested record, of the REST wire format: one `{v}` per column, in schema order. */
export interface Row {
  f: { v: Cell }[];
}

/** A row of the REST API; TIMESTAMP is int64 microseconds. Throws `GoogleSqlError` for a NULL in an array. */
export function decodeRow(
  cells: readonly EngineValue[],
  columns: readonly { name: string; type: EngineType }[],
): Row {
  return {
    f: columns.map(({ name, type }, index) => ({ v: decodeCell(cells[index] ?? {}, type, name) })),
  };
}

function decodeCell(value: EngineValue, type: EngineType, name: string): Cell {
  if (type.arrayType) {
    // BigQuery answers a NULL array as an empty one: a column of mode REPEATED has no NULL.
    const { elementType } = type.arrayType;
    return (value.arrayValue?.element ?? []).map((item) => {
      if (!isNull(item)) return { v: decodeCell(item, elementType, name) };
      const message = `Array cannot have a null element; error in writing field ${name}`;
      throw new GoogleSqlError('runtime', message);
    });
  }
  if (type.structType) {
    if (isNull(value)) return null;
    const fields = type.structType.field ?? [];
    const columns = fields.map((one) => ({ name: one.fieldName ?? name, type: one.fieldType }));
    return decodeRow(value.structValue?.field ?? [], columns);
  }
  return decodeScalar(value, type.typeKind);
}
