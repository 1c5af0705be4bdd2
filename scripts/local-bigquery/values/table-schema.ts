// BigQuery table schemas, and their types in the engine's spelling.
import types from './types.json' with { type: 'json' };

/** One column, or one field of a RECORD, as `bq`, Terraform and the REST API write it. */
export interface TableField {
  name: string;
  /** `INTEGER` and `INT64`, `FLOAT` and `FLOAT64`, `BOOLEAN` and `BOOL`, `RECORD` and `STRUCT` are the same. */
  type: string;
  mode?: string;
  description?: string;
  fields?: TableField[];
  /** Only for a RANGE: DATE, DATETIME or TIMESTAMP. */
  rangeElementType?: { type: string };
}

/** The engine's own spelling of a type (`zetasql.TypeProto`). */
export interface EngineType {
  typeKind: string;
  arrayType?: { elementType: EngineType };
  structType?: { field?: { fieldName?: string; fieldType: EngineType }[] };
  rangeType?: { elementType: EngineType };
}

/** For each type, by the engine's kind: the name in the REST API, then its other names in SQL. */
const TYPES: Readonly<Record<string, readonly string[]>> = types;
const kinds = new Map(
  Object.entries(TYPES).flatMap(([kind, names]) => names.map((name) => [name, kind])),
);

/** The names of types that SQL has in BigQuery and the engine does not know. */
export const typeAliases = ['INT', 'INTEGER', 'BIGINT', 'SMALLINT', 'TINYINT', 'BYTEINT'].map(
  (name) => ({ name, type: { typeKind: 'TYPE_INT64' } }),
);

/** Engine kind of a BigQuery type name in any letter case; `undefined` when there is no such type. */
export const kindOf = (type: string): string | undefined => kinds.get(type.toUpperCase());

/** Engine type of a column; throws on a type the engine does not have. */
export function engineType(field: TableField): EngineType {
  const kind = kindOf(field.type);
  if (kind === undefined) {
    throw new Error(`column ${field.name}: type ${field.type} is not supported locally`);
  }
  const type: EngineType = { typeKind: kind };
  if (kind === 'TYPE_STRUCT') {
    const fields = field.fields ?? [];
    const ofFields = fields.map((one) => ({ fieldName: one.name, fieldType: engineType(one) }));
    type.structType = { field: ofFields };
  }
  if (kind === 'TYPE_RANGE') {
    const element = kindOf(field.rangeElementType?.type ?? '');
    if (element === undefined) throw new Error(`column ${field.name}: rangeElementType is missing`);
    type.rangeType = { elementType: { typeKind: element } };
  }
  return isRepeated(field) ? arrayOf(type) : type;
}

/** Columns of a result; those without a name are `f0_`, `f1_`… in BigQuery and `$col1` in the engine. */
export function resultFields(columns: readonly { name?: string; type: EngineType }[]) {
  let nameless = 0;
  const nameOf = (name: string): string => (/^(\$.*)?$/.test(name) ? `f${nameless++}_` : name);
  return columns.map(({ name = '', type }) => resultField(nameOf(name), type));
}

/** Column of a result, spelled as BigQuery answers it: modes are NULLABLE and REPEATED only. */
function resultField(name: string, type: EngineType): TableField {
  const element = type.arrayType?.elementType ?? type;
  const field: TableField = {
    name,
    type: TYPES[element.typeKind]?.[0] ?? element.typeKind.replace(/^TYPE_/, ''),
    mode: type.arrayType === undefined ? 'NULLABLE' : 'REPEATED',
  };
  if (element.rangeType !== undefined) {
    const { typeKind } = element.rangeType.elementType;
    field.rangeElementType = { type: typeKind.replace(/^TYPE_/, '') };
  }
  if (element.structType !== undefined) {
    field.fields = (element.structType.field ?? []).map((child, index) =>
      resultField(child.fieldName || `_field_${index + 1}`, child.fieldType),
    );
  }
  return field;
}

export const isRepeated = (field: TableField): boolean => field.mode?.toUpperCase() === 'REPEATED';

export function arrayOf(elementType: EngineType): EngineType {
  return { typeKind: 'TYPE_ARRAY', arrayType: { elementType } };
}
