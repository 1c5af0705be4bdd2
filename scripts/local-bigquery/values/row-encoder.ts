// Encodes rows of a table, objects by column name as `bq extract` writes them, for the engine.
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

/**
 * Makes the encoder of a table. Columns are found in any letter case, as in BigQuery. A field that the
 * schema does not name is ignored, and `onUnknownField` gets its path (`metadata.request.method`) once. A
 * value of a type that the engine does not hold is NULL, and the path is followed by the type:
 * `place (GEOGRAPHY)`. Without `onUnknownField` both are errors.
 */
export function createRowEncoder(
  fields: readonly TableField[],
  onUnknownField?: (path: string) => void,
): RowEncoder {
  const positions = new Map(fields.map(({ name }, index) => [name.toLowerCase(), index]));
  const encoders = fields.map((field) => ({
    name: field.name,
    encode: fieldEncoder(field, onUnknownField),
  }));
  const ignored = new Set<string>();
  return (row) => {
    if (
      typeof row !== 'object' ||
      row === null ||
      Array.isArray(row) ||
      row instanceof LongNumber
    ) {
      throw new InvalidValueError('expected an object');
    }
    const values: unknown[] = [];
    for (const [name, value] of Object.entries(row)) {
      const position = positions.get(name) ?? positions.get(name.toLowerCase());
      if (position !== undefined) values[position] = value;
      else if (onUnknownField === undefined) throw new FieldError(name, 'no such field');
      else if (!ignored.has(name)) {
        ignored.add(name);
        onUnknownField(name);
      }
    }
    return encoders.map(({ name, encode }, position) => {
      try {
        return encode(values[position]);
      } catch (err) {
        throw FieldError.at(name, err);
      }
    });
  };
}

function fieldEncoder(
  field: TableField,
  onUnknownField: ((path: string) => void) | undefined,
): (value: unknown) => EngineValue {
  const encode = valueEncoder(field, onUnknownField);
  if (isRepeated(field)) {
    return (value) => {
      if (isAbsent(value)) return { arrayValue: { element: [] } };
      // A load job takes one value for a list of one.
      const items: unknown[] = Array.isArray(value) ? value : [value];
      const element = items.map((item, index) => {
        try {
          return present(item, encode);
        } catch (err) {
          throw FieldError.at(`[${index}]`, err);
        }
      });
      return { arrayValue: { element } };
    };
  }
  if (field.mode?.toUpperCase() === 'REQUIRED') return (value) => present(value, encode);
  return (value) => (isAbsent(value) ? {} : encode(value));
}

function valueEncoder(
  field: TableField,
  onUnknownField: ((path: string) => void) | undefined,
): (value: unknown) => EngineValue {
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

function present(value: unknown, encode: (value: unknown) => EngineValue): EngineValue {
  if (isAbsent(value)) throw new InvalidValueError('a value is required');
  return encode(value);
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

  /** The same fault, seen from the record or the list around it. */
  static at(place: string, err: unknown): unknown {
    if (!(err instanceof InvalidValueError)) return err;
    if (!(err instanceof FieldError)) return new FieldError(place, err.message);
    const separator = err.path.startsWith('[') ? '' : '.';
    return new FieldError(`${place}${separator}${err.path}`, err.fault);
  }
}
