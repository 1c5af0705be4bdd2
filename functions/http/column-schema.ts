// The types of columns in the OpenAPI document: the JSON Schema of their values as `results/encode.ts` writes them, and examples.
import type { ColumnDescription } from '../endpoints/description.ts';
import type { Json } from './parameter-schema.ts';

interface ColumnType {
  /** A type, a choice of types, or empty for any JSON. */
  schema: { type?: string; oneOf?: Json[] } & Json;
  example: unknown;
}

const TIME = String.raw`[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?`;
const DIGITS = String.raw`^-?[0-9]+(\.[0-9]+)?$`;
const DECIMAL: ColumnType = { schema: { type: 'string', pattern: DIGITS }, example: '12.50' };
const WIDE_INTEGER = {
  type: 'string',
  pattern: '^-?[0-9]+$',
  description: 'An integer beyond 2^53, with all digits.',
};
const NOT_FINITE = { type: 'string', enum: ['NaN', 'Infinity', '-Infinity'] };

const TYPES = new Map(
  Object.entries<ColumnType>({
    BIGNUMERIC: DECIMAL,
    BOOL: { schema: { type: 'boolean' }, example: true },
    BYTES: { schema: { type: 'string', contentEncoding: 'base64' }, example: 'aGVsbG8=' },
    DATE: { schema: { type: 'string', format: 'date' }, example: '2026-11-20' },
    DATETIME: {
      // Without an offset, so not a date-time of RFC 3339.
      schema: { type: 'string', pattern: `^[0-9]{4}-[0-9]{2}-[0-9]{2}T${TIME}$` },
      example: '2026-11-20T10:00:00',
    },
    FLOAT64: {
      schema: { oneOf: [{ type: 'number', format: 'double' }, NOT_FINITE] },
      example: 12.5,
    },
    INT64: { schema: { oneOf: [{ type: 'integer', format: 'int64' }, WIDE_INTEGER] }, example: 42 },
    JSON: { schema: {}, example: { name: 'value' } },
    NUMERIC: DECIMAL,
    RECORD: { schema: { type: 'object', additionalProperties: true }, example: { name: 'value' } },
    TIME: { schema: { type: 'string', pattern: `^${TIME}$` }, example: '10:00:00' },
    TIMESTAMP: { schema: { type: 'string', format: 'date-time' }, example: '2026-11-20T10:00:00Z' },
  }),
);
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

/** The types that the JSON of a value can have if it is neither null nor a list; none if it can be any JSON. */
export function valueTypes(type: string): readonly unknown[] {
  const { schema } = TYPES.get(type) ?? TEXT;
  return schema.oneOf?.map((choice) => choice.type) ?? (schema.type ? [schema.type] : []);
}

/** The same columns give the same row. */
export function exampleRow(row: readonly ColumnDescription[]): Json {
  const valueOf = ({ type, mode }: ColumnDescription): unknown => {
    const { example } = TYPES.get(type) ?? TEXT;
    return mode === 'REPEATED' ? [example] : example;
  };
  return Object.fromEntries(row.map((column) => [column.name, valueOf(column)]));
}
