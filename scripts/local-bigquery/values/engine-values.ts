// Converts values between JSON (`bq extract` rows, REST parameters, rows of the REST API) and the engine's encoding.
import Big from 'big.js';
import { parseJson } from '../../../functions/core/json.ts';
import { civilTime, clockText, datePattern, datetimePattern, padded } from './civil-time.ts';
import { timePattern, timestampMicros } from './civil-time.ts';
import { floorDivide } from './date-parts.ts';
import type { EngineType } from './table-schema.ts';
import { GoogleSqlError } from '../engine/error.ts';

/** One value in the engine's form (`zetasql.ValueProto`); SQL NULL has no field set. */
export interface EngineValue {
  int64Value?: string;
  boolValue?: boolean;
  doubleValue?: number;
  stringValue?: string;
  bytesValue?: Uint8Array;
  dateValue?: number;
  arrayValue?: { element?: EngineValue[] };
  structValue?: { field?: EngineValue[] };
  timestampValue?: { seconds?: string; nanos?: number };
  datetimeValue?: { bitFieldDatetimeSeconds?: string; nanos?: number };
  timeValue?: string;
  numericValue?: Uint8Array;
  bignumericValue?: Uint8Array;
  jsonValue?: string;
}

/** A value that does not fit its declared type; `message` names the found and the expected. */
export class InvalidValueError extends Error {}

/** A number of JSON with more digits than JavaScript's numbers keep: a number in JSON, text elsewhere. */
export class LongNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toJSON(): unknown {
    return rawJSON(this.text);
  }
}

/** In Node 21 and later, and not yet in TypeScript's types. */
const { rawJSON } = JSON as unknown as { rawJSON: (text: string) => unknown };

/**
 * Encodes a JSON value of a scalar type. Accepts what `bq extract` writes, what a load job takes and
 * what the REST API takes as a parameter: numbers as JSON numbers or text, timestamps as text or as
 * `timestampMicros` reads numbers, BYTES as base64. `null` and `undefined` are NULL. Throws
 * `InvalidValueError`.
 */
export function encodeScalar(value: unknown, kind: string): EngineValue {
  if (value === null || value === undefined) return {};
  const encode = codecs.get(kind)?.encode;
  if (encode === undefined) throw new InvalidValueError(`${typeName(kind)} is not supported here`);
  const given = value instanceof LongNumber && kind !== 'TYPE_JSON' ? value.text : value;
  const encoded = encode(given);
  if (encoded !== undefined) return encoded;
  const text = JSON.stringify(given);
  const shown = text.length > 60 ? `${text.slice(0, 57)}...` : text;
  throw new InvalidValueError(`expected ${typeName(kind)}, found ${shown}`);
}

/** False for types of which the engine gets no values: GEOGRAPHY, INTERVAL, RANGE. */
export const isEncodable = (kind: string): boolean => codecs.get(kind)?.encode !== undefined;

/** A scalar as the REST API answers it: TIMESTAMP as microseconds since 1970, BYTES as base64, all else as SQL shows it. */
export function decodeScalar(value: EngineValue, kind: string): string | null {
  const decode = codecs.get(kind)?.decode;
  if (decode) return decode(value);
  throw new GoogleSqlError('unsupported', `${typeName(kind)} results are not supported locally`);
}

/** True for SQL NULL, in any type. */
export function isNull(value: EngineValue): boolean {
  // No list of the fields: this is asked of each value of each row.
  for (const name in value) if (value[name as keyof EngineValue] !== undefined) return false;
  return true;
}

export function typeText(type: EngineType, spell = (fieldName: string) => fieldName): string {
  if (type.arrayType) return `ARRAY<${typeText(type.arrayType.elementType, spell)}>`;
  if (type.rangeType) return `RANGE<${typeText(type.rangeType.elementType, spell)}>`;
  if (type.structType) {
    const fields = (type.structType.field ?? []).map(
      ({ fieldName, fieldType }) =>
        `${fieldName ? `${spell(fieldName)} ` : ''}${typeText(fieldType, spell)}`,
    );
    return `STRUCT<${fields.join(', ')}>`;
  }
  return typeName(type.typeKind);
}

/** A type as SQL takes it, whatever the names of its fields are. */
export const typeSql = (type: EngineType): string => typeText(type, (name) => `\`${name}\``);

/** For a type: the field of `EngineValue`, the text of its contents, and the contents from JSON, undefined for another type. */
function codec<Field extends keyof EngineValue>(
  field: Field,
  textOf: (contents: NonNullable<EngineValue[Field]>) => string,
  contentsOf?: (value: unknown) => EngineValue[Field],
) {
  return {
    decode: ({ [field]: contents }: EngineValue) =>
      contents === undefined ? null : textOf(contents),
    encode:
      contentsOf &&
      ((value: unknown): EngineValue | undefined => {
        const contents = contentsOf(value);
        return contents === undefined ? undefined : { [field]: contents };
      }),
  };
}

const codecs = new Map(
  Object.entries({
    TYPE_STRING: codec('stringValue', String, (value) => {
      const isText = ['string', 'number', 'boolean'].includes(typeof value);
      // The engine refuses text that is not valid Unicode.
      return isText ? String(value).toWellFormed() : undefined;
    }),
    TYPE_INT64: codec('int64Value', String, integerText),
    TYPE_DOUBLE: codec('doubleValue', doubleText, number),
    TYPE_BOOL: codec('boolValue', String, (value) => {
      const text = typeof value === 'string' ? value : JSON.stringify(value);
      if (/^(true|t|yes|y|1)$/i.test(text)) return true;
      return /^(false|f|no|n|0)$/i.test(text) ? false : undefined;
    }),
    TYPE_BYTES: codec(
      'bytesValue',
      (bytes) => Buffer.from(bytes).toString('base64'),
      (value) =>
        typeof value === 'string' && /^[A-Za-z0-9+/_-]*={0,2}$/.test(value)
          ? Buffer.from(value, 'base64')
          : undefined,
    ),
    TYPE_TIMESTAMP: codec(
      'timestampValue',
      ({ seconds = 0, nanos = 0 }) =>
        (BigInt(seconds) * 1_000_000n + BigInt(Math.floor(nanos / 1000))).toString(),
      (value) => {
        const micros = timestampMicros(value);
        if (micros === undefined) return undefined;
        const seconds = floorDivide(micros, 1_000_000n);
        const nanos = Number(micros - seconds * 1_000_000n) * 1000;
        return { seconds: seconds.toString(), nanos };
      },
    ),
    TYPE_DATETIME: codec(
      'datetimeValue',
      ({ bitFieldDatetimeSeconds = 0, nanos = 0 }) => {
        const bits = BigInt(bitFieldDatetimeSeconds);
        const date = [
          padded(bits >> 26n, 4),
          padded((bits >> 22n) & 15n),
          padded((bits >> 17n) & 31n),
        ];
        return `${date.join('-')}T${clockText(bits, nanos)}`;
      },
      (value) => {
        const civil = civilTime(datetimePattern, value);
        if (civil === undefined) return undefined;
        const { dateBits, timeBits, micros } = civil;
        return { bitFieldDatetimeSeconds: (dateBits | timeBits).toString(), nanos: micros * 1000 };
      },
    ),
    TYPE_DATE: codec(
      'dateValue',
      (days) => new Date(days * 86_400_000).toISOString().slice(0, 10),
      (value) => civilTime(datePattern, value)?.days,
    ),
    TYPE_TIME: codec(
      'timeValue',
      (time) => clockText(BigInt(time) >> 30n, Number(BigInt.asUintN(30, BigInt(time)))),
      (value) => {
        const time = civilTime(timePattern, value);
        return time && ((time.timeBits << 30n) | BigInt(time.micros * 1000)).toString();
      },
    ),
    TYPE_NUMERIC: codec(
      'numericValue',
      (bytes) => decimalText(bytes, 9),
      (value) => decimalBytes(value, 9, 16),
    ),
    TYPE_BIGNUMERIC: codec(
      'bignumericValue',
      (bytes) => decimalText(bytes, 38),
      (value) => decimalBytes(value, 38, 32),
    ),
    TYPE_JSON: codec('jsonValue', String, (value) =>
      typeof value === 'string' && parseJson(value) !== undefined ? value : JSON.stringify(value),
    ),
  }),
);

/** One more than the largest NUMERIC, scaled; the bytes have room for more. */
const NUMERIC_END = 10n ** 38n;

function integerText(value: unknown): string | undefined {
  const text = Number.isSafeInteger(value) ? String(value) : value;
  if (typeof text !== 'string' || !/^[+-]?\d+$/.test(text)) return undefined;
  const int = BigInt(text);
  return BigInt.asIntN(64, int) === int ? int.toString() : undefined;
}

function number(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string') return undefined;
  const special = /^([+-])?(?:(inf|infinity)|nan)$/i.exec(value);
  if (special) return special[2] ? (special[1] === '-' ? -Infinity : Infinity) : NaN;
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(value) ? Number(value) : undefined;
}

/** The engine's decimals: a scaled integer, little-endian two's complement, no superfluous bytes. */
function decimalBytes(value: unknown, scale: number, bytesMax: number): Uint8Array | undefined {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string' || !/^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text))
    return undefined;
  const number = Big(text.replace(/^\+/, ''));
  // Larger ones would take long to write out.
  if (number.e > 120) return undefined;
  const signed = BigInt(number.times(`1e${scale}`).toFixed(0, Big.roundHalfUp));
  if (scale === 9 && (signed >= NUMERIC_END || signed <= -NUMERIC_END)) return undefined;
  if (BigInt.asIntN(bytesMax * 8, signed) !== signed) return undefined;
  const bytes: number[] = [];
  for (let rest = signed; ; rest >>= 8n) {
    bytes.push(Number(BigInt.asUintN(8, rest)));
    if (BigInt.asIntN(8, rest) === rest) return Uint8Array.from(bytes);
  }
}

function decimalText(bytes: Uint8Array, scale: number): string {
  const unsigned = BigInt(`0x0${Buffer.from(bytes).reverse().toString('hex')}`);
  const scaled = BigInt.asIntN(bytes.length * 8, unsigned);
  return Big(scaled.toString()).times(`1e-${scale}`).toFixed();
}

/** The shortest text that reads back as the same FLOAT64, in BigQuery's form: `1.0`, `1.5E10`, `NaN`. */
function doubleText(double: number): string {
  if (!Number.isFinite(double)) return String(double);
  if (Object.is(double, -0)) return '-0.0';
  const magnitude = Math.abs(double);
  if (magnitude === 0 || (magnitude >= 1e-3 && magnitude < 1e7)) {
    return Number.isInteger(double) ? `${double}.0` : String(double);
  }
  const [mantissa = '', exponent = '0'] = double.toExponential().split('e');
  return `${mantissa.includes('.') ? mantissa : `${mantissa}.0`}E${Number(exponent)}`;
}

function typeName(kind: string): string {
  const name = kind.replace(/^TYPE_/, '');
  return name === 'DOUBLE' ? 'FLOAT64' : name;
}

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
