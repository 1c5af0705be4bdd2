// The types of columns in the OpenAPI document: the JSON Schema of their values as `cache/encode.ts` writes them, and examples.
import type { ColumnDescription } from '../endpoints/description.ts';
import types from './column-types.json' with { type: 'json' };
import type { Json } from './parameter-schema.ts';

interface ColumnType {
  /** A type, a choice of types, or empty for any JSON. */
  schema: { type?: string; oneOf?: Json[] } & Json;
  example: unknown;
}

const TYPES = new Map<string, ColumnType>(Object.entries(types));
const TEXT: ColumnType = { schema: { type: 'string' }, example: 'text' };

/** A REPEATED column is never null and has no null elements. */
export function columnSchema({ type, mode, description, unit }: ColumnDescription): Json {
  const { schema } = TYPES.get(type) ?? TEXT;
  const said = { description, ...(unit !== undefined && { 'x-unit': unit }) };
  if (mode === 'REPEATED') return { type: 'array', items: schema, ...said };
  if (mode === 'REQUIRED') return { ...schema, ...said };
  if (schema.oneOf) return { oneOf: [...schema.oneOf, { type: 'null' }], ...said };
  if (schema.type) return { ...schema, type: [schema.type, 'null'], ...said };
  return { ...schema, ...said };
}

/** The same columns give the same row. */
export function exampleRow(row: readonly ColumnDescription[]): Json {
  const valueOf = ({ type, mode }: ColumnDescription): unknown => {
    const { example } = TYPES.get(type) ?? TEXT;
    return mode === 'REPEATED' ? [example] : example;
  };
  return Object.fromEntries(row.map((column) => [column.name, valueOf(column)]));
}
