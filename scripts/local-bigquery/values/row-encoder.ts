// Encodes rows of a table, objects by column name as `bq extract` writes them, for the engine.
import { isObject } from '../../../functions/core/json.ts';
import { timestampMicros } from './civil-time.ts';
import { encodeScalar, InvalidValueError, isEncodable, LongNumber } from './engine-values.ts';
import type { EngineValue } from './engine-values.ts';
import { type TableField, isRepeated, kindOf } from './table-schema.ts';
import { FIRST_INSTANT, periodOf, startOf } from './date-parts.ts';
import {
  PARTITION_DATE,
  PARTITION_TIME,
  TABLE_SUFFIX,
  pseudoColumns,
  shardStart,
} from './table-definition.ts';
import type { Partitioning, TableDefinition } from './table-definition.ts';

/** One value per column, in the order of the schema. */
export type EncodedRow = EngineValue[];

/** An absent value is NULL or empty. Throws `InvalidValueError` with the path of a value that is wrong or missing. */
type RowEncoder = (row: unknown) => EncodedRow;

type Encode = (value: unknown, path: string) => EngineValue;
type Report = (path: string) => void;

/** Of the fields of a table or of a RECORD, in any letter case, as in BigQuery. */
function recordEncoder(fields: readonly TableField[], onUnknownField: Report | undefined) {
  const positions = new Map(fields.map(({ name }, index) => [name.toLowerCase(), index]));
  const encoders = fields.map((field) => {
    return { name: field.name, encode: fieldEncoder(field, onUnknownField) };
  });
  return (row: unknown, path: string): EncodedRow => {
    if (!isObject(row) || row instanceof LongNumber) {
      throw new InvalidValueError(
        path === '' ? 'expected an object' : `${path}: expected an object`,
      );
    }
    const before = path === '' ? '' : `${path}.`;
    const values: unknown[] = encoders.map(() => undefined);
    for (const name of Object.keys(row)) {
      const position = positions.get(name) ?? positions.get(name.toLowerCase());
      if (position !== undefined) values[position] = row[name];
      else if (onUnknownField === undefined) {
        throw new InvalidValueError(`${before}${name}: no such field`);
      } else onUnknownField(name);
    }
    return encoders.map(({ name, encode }, position) => encode(values[position], before + name));
  };
}

function fieldEncoder(field: TableField, onUnknownField: Report | undefined): Encode {
  const encode = valueEncoder(field, onUnknownField);
  const isAbsent = (value: unknown): boolean => value === null || value === undefined;
  const present: Encode = (value, path) => {
    if (isAbsent(value)) throw new InvalidValueError(`${path}: a value is required`);
    return encode(value, path);
  };
  if (isRepeated(field)) {
    return (value, path) => {
      // A load job accepts a single value as a list of one.
      const items: unknown[] = Array.isArray(value) ? value : isAbsent(value) ? [] : [value];
      const element = items.map((item, index) => present(item, `${path}[${index}]`));
      return { arrayValue: { element } };
    };
  }
  if (field.mode?.toUpperCase() === 'REQUIRED') return present;
  return (value, path) => (isAbsent(value) ? {} : encode(value, path));
}

function valueEncoder(field: TableField, onUnknownField: Report | undefined): Encode {
  const kind = kindOf(field.type) ?? field.type;
  if (kind !== 'TYPE_STRUCT' && !isEncodable(kind) && onUnknownField !== undefined) {
    return () => {
      onUnknownField(`${field.name} (${field.type})`);
      return {};
    };
  }
  if (kind !== 'TYPE_STRUCT') {
    return (value, path) => {
      try {
        return encodeScalar(value, kind);
      } catch (err) {
        if (!(err instanceof InvalidValueError)) throw err;
        throw new InvalidValueError(`${path}: ${err.message}`, { cause: err });
      }
    };
  }
  const encodeRecord = recordEncoder(
    field.fields ?? [],
    onUnknownField && ((path) => onUnknownField(`${field.name}.${path}`)),
  );
  return (value, path) => ({ structValue: { field: encodeRecord(value, path) } });
}

/** A table with its columns; without a definition it has neither partitions nor shards. */
export interface RowTable {
  fields: readonly TableField[];
  definition?: Pick<TableDefinition, 'partitioning' | 'shards'>;
}

/**
 * A row has the cells of its columns, then those of the pseudo columns. A field that the schema does not name is
 * ignored, and `onUnknownField` gets its path (`metadata.request.method`). A value of a type that the engine
 * does not support is NULL, and the path is followed by the type: `place (GEOGRAPHY)`. Without `onUnknownField`
 * both are errors.
 */
export function createTableRowEncoder(
  { fields, definition }: RowTable,
  onUnknownField?: (path: string) => void,
): RowEncoder {
  const pseudo = pseudoColumns(definition);
  const encodeRecord = recordEncoder([...fields, ...pseudo], onUnknownField);
  const encode: RowEncoder = (row) => encodeRecord(row, '');
  if (pseudo.length === 0) return encode;
  const { shards, partitioning } = definition ?? {};
  return (row) => {
    if (!isObject(row)) return encode(row);
    if (shards) {
      const suffix = row[TABLE_SUFFIX.name];
      if (typeof suffix !== 'string' || shardStart(shards.format, suffix) === undefined) {
        const found = suffix === undefined ? 'is missing' : `is ${JSON.stringify(suffix)}`;
        const expected = `the shard of the row as ${shards.format}`;
        throw new InvalidValueError(`${TABLE_SUFFIX.name} ${found}; expected ${expected}`);
      }
    }
    return encode(partitioning ? { ...row, ...partitionOf(row, partitioning) } : row);
  };
}

/** The pseudo columns of a row that states the time of its ingestion, or the day. */
function partitionOf(row: Readonly<Record<string, unknown>>, { type }: Partitioning) {
  const given = row[PARTITION_TIME.name] ?? row[PARTITION_DATE.name];
  if (given === undefined || given === null) return {};
  const instant = typeof given === 'string' ? timestampMicros(given) : undefined;
  if (instant === undefined || instant < FIRST_INSTANT) {
    const message = `${PARTITION_TIME.name} is ${JSON.stringify(given)}; expected a time such as "2026-11-20T10:00:00Z"`;
    throw new InvalidValueError(message);
  }
  const start = new Date(Number(startOf(type, periodOf(type, instant)) / 1000n)).toISOString();
  return {
    [PARTITION_TIME.name]: start,
    ...(type === 'DAY' ? { [PARTITION_DATE.name]: start.slice(0, 10) } : {}),
  };
}
