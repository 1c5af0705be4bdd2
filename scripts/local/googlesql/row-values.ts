// Converts rows: `bq extract` JSON for the engine, and the engine's results to REST rows.
import { decodeScalar, encodeScalar, InvalidValueError, isNull } from './engine-values.ts';
import type { EngineValue } from './engine-values.ts';
import { isRepeated, kindOf } from './table-schema.ts';
import type { EngineType, TableField } from './table-schema.ts';

/** A cell of the REST wire format: text, NULL, a nested record, or the elements of an array. */
export type Cell = string | null | Row | { v: Cell }[];

/** A row, or a nested record, of the REST wire format: one `{v}` per column, in schema order. */
export interface Row {
  f: { v: Cell }[];
}

/**
 * Encodes one row, an object by column name as `bq extract` writes it; absent means NULL or empty.
 * Throws `InvalidValueError` with the path of the faulty field: an unknown field, a value of
 * another type, a REQUIRED field without a value.
 */
export function encodeRow(row: unknown, fields: readonly TableField[], path = ''): EngineValue[] {
  if (typeof row !== 'object' || row === null || Array.isArray(row)) {
    throw new InvalidValueError(`${path || 'row'}: expected an object`);
  }
  const values = new Map(Object.entries(row));
  const cells = fields.map((field) => {
    const value: unknown = values.get(field.name);
    values.delete(field.name);
    return encodeField(value, field, path ? `${path}.${field.name}` : field.name);
  });
  const [unknownField] = values.keys();
  if (unknownField !== undefined) {
    throw new InvalidValueError(`${path ? `${path}.` : ''}${unknownField}: no such field`);
  }
  return cells;
}

/** REST row of one row of results; TIMESTAMP cells are int64 microseconds. */
export function decodeRow(cells: readonly EngineValue[], types: readonly EngineType[]): Row {
  return {
    f: types.map((type, index) => ({ v: decodeCell(cells[index] ?? {}, type) })),
  };
}

function encodeField(value: unknown, field: TableField, path: string): EngineValue {
  if (isRepeated(field)) {
    if (value === null || value === undefined) return { arrayValue: { element: [] } };
    if (!Array.isArray(value)) throw new InvalidValueError(`${path}: expected an array`);
    const element = value.map((item: unknown, index) =>
      encodeSingle(item, field, `${path}[${index}]`, true),
    );
    return { arrayValue: { element } };
  }
  return encodeSingle(value, field, path, field.mode?.toUpperCase() === 'REQUIRED');
}

function encodeSingle(value: unknown, field: TableField, path: string, required: boolean) {
  if (value === null || value === undefined) {
    if (required) throw new InvalidValueError(`${path}: a value is required`);
    return {};
  }
  const kind = kindOf(field.type) ?? field.type;
  if (kind === 'TYPE_STRUCT') {
    return { structValue: { field: encodeRow(value, field.fields ?? [], path) } };
  }
  try {
    return encodeScalar(value, kind);
  } catch (err) {
    if (err instanceof InvalidValueError) throw new InvalidValueError(`${path}: ${err.message}`);
    throw err;
  }
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
