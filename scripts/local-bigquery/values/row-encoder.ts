// Encodes rows of a table, objects by column name as `bq extract` writes them, for the engine.
import { isObject } from '../../../functions/core/json.ts';
import { encodeScalar, InvalidValueError, isEncodable, LongNumber } from './engine-values.ts';
import type { EngineValue } from './engine-values.ts';
import { type TableField, isRepeated, kindOf } from './table-schema.ts';

/** One value per column, in the order of the schema. */
export type EncodedRow = EngineValue[];

/**
 * Encodes one row; an absent value is NULL or empty. Throws `InvalidValueError` with the path of the faulty
 * field: a value of another type, a REQUIRED field without a value.
 */
export type RowEncoder = (row: unknown) => EncodedRow;

type Encode = (value: unknown) => EngineValue;
type Report = (path: string) => void;

/**
 * Makes the encoder of a table. Columns are found in any letter case, as in BigQuery. A field that the
 * schema does not name is ignored, and `onUnknownField` gets its path (`metadata.request.method`) once. A
 * value of a type that the engine does not hold is NULL, and the path is followed by the type:
 * `place (GEOGRAPHY)`. Without `onUnknownField` both are errors.
 */
export function createRowEncoder(
  fields: readonly TableField[],
  onUnknownField?: Report,
): RowEncoder {
  const positions = new Map(fields.map(({ name }, index) => [name.toLowerCase(), index]));
  const encoders = fields.map((field) => ({
    name: field.name,
    encode: fieldEncoder(field, onUnknownField),
  }));
  const ignored = new Set<string>();
  return (row) => {
    if (!isObject(row) || row instanceof LongNumber) {
      throw new InvalidValueError('expected an object');
    }
    const values: unknown[] = encoders.map(() => undefined);
    for (const name of Object.keys(row)) {
      const position = positions.get(name) ?? positions.get(name.toLowerCase());
      if (position !== undefined) values[position] = row[name];
      else if (onUnknownField === undefined) throw new FieldError(name, 'no such field');
      else if (!ignored.has(name)) {
        ignored.add(name);
        onUnknownField(name);
      }
    }
    return encoders.map(({ name, encode }, position) => at(name, encode, values[position]));
  };
}

function fieldEncoder(field: TableField, onUnknownField: Report | undefined): Encode {
  const encode = valueEncoder(field, onUnknownField);
  const present: Encode = (value) => {
    if (isAbsent(value)) throw new InvalidValueError('a value is required');
    return encode(value);
  };
  if (isRepeated(field)) {
    return (value) => {
      // A load job takes one value for a list of one.
      const items: unknown[] = Array.isArray(value) ? value : isAbsent(value) ? [] : [value];
      return {
        arrayValue: { element: items.map((item, index) => at(`[${index}]`, present, item)) },
      };
    };
  }
  if (field.mode?.toUpperCase() === 'REQUIRED') return present;
  return (value) => (isAbsent(value) ? {} : encode(value));
}

function valueEncoder(field: TableField, onUnknownField: Report | undefined): Encode {
  const kind = kindOf(field.type) ?? field.type;
  if (kind !== 'TYPE_STRUCT' && !isEncodable(kind) && onUnknownField !== undefined) {
    let isReported = false;
    return () => {
      if (!isReported) onUnknownField(`${field.name} (${field.type})`);
      isReported = true;
      return {};
    };
  }
  if (kind !== 'TYPE_STRUCT') return (value) => encodeScalar(value, kind);
  const encodeRecord = createRowEncoder(
    field.fields ?? [],
    onUnknownField && ((path) => onUnknownField(`${field.name}.${path}`)),
  );
  return (value) => ({ structValue: { field: encodeRecord(value) } });
}

function isAbsent(value: unknown): boolean {
  return value === null || value === undefined;
}

/** A fault of a field; its message begins with the path, such as `metadata[0].request[0].url: …`. */
class FieldError extends InvalidValueError {
  readonly path: string;
  readonly fault: string;

  constructor(path: string, fault: string) {
    super(`${path}: ${fault}`);
    this.path = path;
    this.fault = fault;
  }
}

/** Encodes a value at a place; its fault is one of the record or the list around it. */
function at(place: string, encode: Encode, value: unknown): EngineValue {
  try {
    return encode(value);
  } catch (err) {
    if (!(err instanceof InvalidValueError)) throw err;
    if (!(err instanceof FieldError)) throw new FieldError(place, err.message);
    const separator = err.path.startsWith('[') ? '' : '.';
    throw new FieldError(`${place}${separator}${err.path}`, err.fault);
  }
}
