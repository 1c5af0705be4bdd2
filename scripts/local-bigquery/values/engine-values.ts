// Converts values between JSON (`bq extract` rows, REST parameters) and the engine's encoding.
import { isJson } from '../../../functions/core/json.ts';
import { floorDivide } from './date-parts.ts';
import type { EngineType } from './table-schema.ts';

/** One value as the engine holds it (`zetasql.ValueProto`); SQL NULL has no field set. */
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
  intervalValue?: Uint8Array;
  /** A bound without a value is unbounded. */
  rangeValue?: { start?: EngineValue; end?: EngineValue };
}

/** A value that does not fit its declared type; `message` names the found and the expected. */
export class InvalidValueError extends Error {}

/** A number of JSON with more digits than JavaScript's numbers keep: a number in JSON, text elsewhere. */
export class LongNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** JSON.stringify writes it as it was. */
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
  const encode = encoders[kind];
  if (encode === undefined) throw new InvalidValueError(`${typeName(kind)} is not supported here`);
  const given = value instanceof LongNumber && kind !== 'TYPE_JSON' ? value.text : value;
  const encoded = encode(given);
  if (encoded === undefined) {
    throw new InvalidValueError(`expected ${typeName(kind)}, found ${shown(given)}`);
  }
  return encoded;
}

/** False for types of which the engine gets no values: GEOGRAPHY, INTERVAL, RANGE. */
export function isEncodable(kind: string): boolean {
  return Object.hasOwn(encoders, kind);
}

/**
 * Text of a scalar as BigQuery's REST API answers it: TIMESTAMP as int64 microseconds since 1970,
 * BYTES as base64, everything else as SQL shows it. NULL is `null`.
 */
export function decodeScalar(value: EngineValue, kind: string): string | null {
  const decode = decoders[kind];
  if (decode) return decode(value) ?? null;
  throw new InvalidValueError(`${typeName(kind)} results are not supported locally`);
}

const decoders: Readonly<Record<string, (value: EngineValue) => string | undefined>> = {
  TYPE_STRING: ({ stringValue }) => stringValue,
  TYPE_INT64: ({ int64Value }) => int64Value,
  TYPE_DOUBLE: ({ doubleValue }) => unlessNull(doubleValue, doubleText),
  TYPE_BOOL: ({ boolValue }) => unlessNull(boolValue, String),
  TYPE_BYTES: ({ bytesValue }) =>
    unlessNull(bytesValue, (bytes) => Buffer.from(bytes).toString('base64')),
  TYPE_TIMESTAMP: ({ timestampValue }) => unlessNull(timestampValue, microsText),
  TYPE_DATETIME: ({ datetimeValue }) => unlessNull(datetimeValue, datetimeText),
  TYPE_DATE: ({ dateValue }) => unlessNull(dateValue, dateText),
  TYPE_TIME: ({ timeValue }) => unlessNull(timeValue, timeText),
  TYPE_NUMERIC: ({ numericValue }) => unlessNull(numericValue, (bytes) => decimalText(bytes, 9)),
  TYPE_BIGNUMERIC: ({ bignumericValue }) =>
    unlessNull(bignumericValue, (bytes) => decimalText(bytes, 38)),
  TYPE_JSON: ({ jsonValue }) => jsonValue,
  TYPE_INTERVAL: ({ intervalValue }) => unlessNull(intervalValue, intervalText),
};

function unlessNull<Value>(value: Value | undefined, text: (value: Value) => string) {
  return value === undefined ? undefined : text(value);
}

/** True for SQL NULL, in any type. */
export function isNull(value: EngineValue): boolean {
  return Object.values(value).every((set) => set === undefined);
}

/** `[2020-01-01, UNBOUNDED)`, with the bounds as `decodeScalar` writes them. */
export function decodeRange({ rangeValue }: EngineValue, elementKind: string): string | null {
  if (rangeValue === undefined) return null;
  const bound = (value: EngineValue = {}) => decodeScalar(value, elementKind) ?? 'UNBOUNDED';
  return `[${bound(rangeValue.start)}, ${bound(rangeValue.end)})`;
}

/** Name of a type for messages, as SQL spells it. */
export function typeText(type: EngineType): string {
  return typeSpelling(type, (name) => name);
}

/** A type as SQL takes it, whatever the names of its fields are. */
export function typeSql(type: EngineType): string {
  return typeSpelling(type, (name) => `\`${name}\``);
}

function typeSpelling(type: EngineType, spell: (fieldName: string) => string): string {
  if (type.arrayType) return `ARRAY<${typeSpelling(type.arrayType.elementType, spell)}>`;
  if (type.rangeType) return `RANGE<${typeSpelling(type.rangeType.elementType, spell)}>`;
  if (type.structType) {
    const fields = (type.structType.field ?? []).map(
      ({ fieldName, fieldType }) =>
        `${fieldName ? `${spell(fieldName)} ` : ''}${typeSpelling(fieldType, spell)}`,
    );
    return `STRUCT<${fields.join(', ')}>`;
  }
  return typeName(type.typeKind);
}

const encoders: Readonly<Record<string, (value: unknown) => EngineValue | undefined>> = {
  TYPE_STRING: (value) => {
    // The engine refuses text that is not valid Unicode.
    if (typeof value === 'string') return { stringValue: value.toWellFormed() };
    const isScalar = typeof value === 'number' || typeof value === 'boolean';
    return isScalar ? { stringValue: String(value) } : undefined;
  },
  TYPE_INT64: (value) => {
    const int = integer(value, 64);
    return int === undefined ? undefined : { int64Value: int.toString() };
  },
  TYPE_DOUBLE: (value) => {
    const double = number(value);
    return double === undefined ? undefined : { doubleValue: double };
  },
  TYPE_BOOL: (value) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    if (/^(true|t|yes|y|1)$/i.test(text)) return { boolValue: true };
    return /^(false|f|no|n|0)$/i.test(text) ? { boolValue: false } : undefined;
  },
  TYPE_BYTES: (value) =>
    typeof value === 'string' && /^[A-Za-z0-9+/_-]*={0,2}$/.test(value)
      ? { bytesValue: Buffer.from(value, 'base64') }
      : undefined,
  TYPE_TIMESTAMP: (value) => {
    const micros = timestampMicros(value);
    if (micros === undefined) return undefined;
    const seconds = floorDivide(micros, 1_000_000n);
    const nanos = Number(micros - seconds * 1_000_000n) * 1000;
    return { timestampValue: { seconds: seconds.toString(), nanos } };
  },
  TYPE_DATETIME: (value) => {
    const match = typeof value === 'string' ? datetimePattern.exec(value) : null;
    const date = match && civilDate(match);
    const time = match && civilTime(match);
    if (!match || !date || !time) return undefined;
    const bits = (BigInt(date.year) << 26n) | BigInt((date.month << 22) | (date.day << 17));
    return {
      datetimeValue: {
        bitFieldDatetimeSeconds: (bits | BigInt(time.bits)).toString(),
        nanos: time.micros * 1000,
      },
    };
  },
  TYPE_DATE: (value) => {
    const match = typeof value === 'string' ? datePattern.exec(value) : null;
    const date = match && civilDate(match);
    return date ? { dateValue: date.days } : undefined;
  },
  TYPE_TIME: (value) => {
    const match = typeof value === 'string' ? timePattern.exec(value) : null;
    const time = match && civilTime(match);
    if (!time) return undefined;
    return { timeValue: ((BigInt(time.bits) << 30n) | BigInt(time.micros * 1000)).toString() };
  },
  TYPE_NUMERIC: (value) => {
    const bytes = decimalBytes(value, 9, 16);
    return bytes && { numericValue: bytes };
  },
  TYPE_BIGNUMERIC: (value) => {
    const bytes = decimalBytes(value, 38, 32);
    return bytes && { bignumericValue: bytes };
  },
  TYPE_JSON: (value) => ({
    jsonValue: typeof value === 'string' && isJson(value) ? value : JSON.stringify(value),
  }),
};

/** One more than the largest NUMERIC, scaled; the bytes could hold more. */
const NUMERIC_END = 10n ** 38n;

const civilDatePart = String.raw`(?<year>\d{4})-(?<month>\d{1,2})-(?<day>\d{1,2})`;
const secondPart = String.raw`:(?<second>\d{1,2})(?:\.(?<fraction>\d{1,9}))?`;
const minutePart = String.raw`(?<hour>\d{1,2}):(?<minute>\d{1,2})`;
const zonePart = String.raw`(?:\s*(?<zone>Z|UTC|[+-]\d{1,2}(?::?\d{2})?))?`;
const datePattern = new RegExp(`^${civilDatePart}$`);
const timePattern = new RegExp(`^${minutePart}${secondPart}$`);
const daytimePart = `(?:[ T]${minutePart}(?:${secondPart})?)?`;
const datetimePattern = new RegExp(`^${civilDatePart}${daytimePart}$`, 'i');
const timestampPattern = new RegExp(`^${civilDatePart}${daytimePart}${zonePart}$`, 'i');

/** Seconds since 1970 at the ends of the years 1 and 9999. */
const TIMESTAMP_SECONDS = { min: -62_135_596_800, max: 253_402_300_799 };

/**
 * Microseconds since 1970 of a timestamp in any of the forms that BigQuery exports or loads; `undefined`
 * outside of the years 1 to 9999. A number counts seconds if that gives a year up to 9999, else
 * milliseconds, else microseconds: the three cannot be confused from 1978 on.
 */
export function timestampMicros(value: unknown): bigint | undefined {
  const text = typeof value === 'string' ? value.trim() : value;
  const micros =
    typeof text === 'number'
      ? epochMicros(String(text))
      : typeof text === 'string'
        ? (epochMicros(text) ?? calendarMicros(text))
        : undefined;
  if (micros === undefined) return undefined;
  const seconds = floorDivide(micros, 1_000_000n);
  const isKnown = seconds >= TIMESTAMP_SECONDS.min && seconds <= TIMESTAMP_SECONDS.max;
  return isKnown ? micros : undefined;
}

function calendarMicros(text: string): bigint | undefined {
  const match = timestampPattern.exec(text.replace(/^(\d{4})\/(\d{1,2})\//, '$1-$2-'));
  const date = match && civilDate(match);
  const time = match && civilTime(match);
  if (!match || !date || !time) return undefined;
  const seconds = date.days * 86_400 + time.seconds - zoneSeconds(match.groups?.['zone']);
  return BigInt(seconds) * 1_000_000n + BigInt(time.micros);
}

function epochMicros(text: string): bigint | undefined {
  const isExponential = /^-?\d+(\.\d+)?e\+?\d{1,2}$/i.test(text);
  const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(isExponential ? String(Number(text)) : text);
  if (!match) return undefined;
  const [, minus, whole = '', fraction = ''] = match;
  const digits = [6, 3, 0].find(
    (places) => Number(whole) <= TIMESTAMP_SECONDS.max * 10 ** (6 - places),
  );
  if (digits === undefined) return undefined;
  const micros = BigInt(whole + fraction.padEnd(digits, '0').slice(0, digits));
  return minus ? -micros : micros;
}

function civilDate(match: RegExpExecArray) {
  const year = numberOf(match, 'year');
  const month = numberOf(match, 'month');
  const day = numberOf(match, 'day');
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  const real = date.getUTCMonth() === month - 1 && date.getUTCDate() === day && year > 0;
  return real ? { year, month, day, days: date.getTime() / 86_400_000 } : undefined;
}

/** 0 for a part that is not there. */
function numberOf(match: RegExpExecArray, part: string): number {
  return Number(match.groups?.[part] ?? 0);
}

function civilTime(match: RegExpExecArray) {
  const hour = numberOf(match, 'hour');
  const minute = numberOf(match, 'minute');
  const second = numberOf(match, 'second');
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const micros = Number((match.groups?.['fraction'] ?? '').padEnd(6, '0').slice(0, 6));
  const seconds = hour * 3600 + minute * 60 + second;
  return { bits: (hour << 12) | (minute << 6) | second, micros, seconds };
}

function zoneSeconds(zone: string | undefined): number {
  const match = /^([+-])(\d{1,2}):?(\d{2})?$/.exec(zone ?? '');
  if (!match) return 0;
  const seconds = Number(match[2]) * 3600 + Number(match[3] ?? 0) * 60;
  return match[1] === '-' ? -seconds : seconds;
}

function integer(value: unknown, bits: number): bigint | undefined {
  const text =
    typeof value === 'number' ? (Number.isSafeInteger(value) ? String(value) : '') : value;
  if (typeof text !== 'string' || !/^[+-]?\d+$/.test(text)) return undefined;
  const int = BigInt(text.replace(/^\+/, ''));
  return BigInt.asIntN(bits, int) === int ? int : undefined;
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
  const match =
    typeof text === 'string' ? /^([+-]?)(\d*)(?:\.(\d*))?(?:e([+-]?\d+))?$/i.exec(text) : null;
  if (!match || !(match[2] || match[3])) return undefined;
  const digits = `${match[2] ?? ''}${match[3] ?? ''}`;
  const shift = scale - (match[3] ?? '').length + Number(match[4] ?? 0);
  if (Math.abs(shift) > 120) return undefined;
  const scaled =
    shift >= 0
      ? BigInt(digits) * 10n ** BigInt(shift)
      : roundedDivide(BigInt(digits), 10n ** BigInt(-shift));
  if (scale === 9 && scaled >= NUMERIC_END) return undefined;
  const signed = match[1] === '-' ? -scaled : scaled;
  if (BigInt.asIntN(bytesMax * 8, signed) !== signed) return undefined;
  const bytes: number[] = [];
  for (let rest = signed; ; rest >>= 8n) {
    const byte = Number(BigInt.asUintN(8, rest));
    bytes.push(byte);
    if (BigInt.asIntN(8, rest) === rest) return Uint8Array.from(bytes);
  }
}

function decimalText(bytes: Uint8Array, scale: number): string {
  let scaled = 0n;
  for (let index = bytes.length - 1; index >= 0; index--) {
    scaled = (scaled << 8n) | BigInt(bytes[index] ?? 0);
  }
  scaled = BigInt.asIntN(bytes.length * 8, scaled);
  const digits = (scaled < 0n ? -scaled : scaled).toString().padStart(scale + 1, '0');
  const fraction = digits.slice(-scale).replace(/0+$/, '');
  return `${scaled < 0n ? '-' : ''}${digits.slice(0, -scale)}${fraction && `.${fraction}`}`;
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

function microsText(timestamp: { seconds?: string; nanos?: number }): string {
  const micros = BigInt(timestamp.seconds ?? 0) * 1_000_000n;
  return (micros + BigInt(Math.floor((timestamp.nanos ?? 0) / 1000))).toString();
}

function datetimeText(datetime: { bitFieldDatetimeSeconds?: string; nanos?: number }): string {
  const bits = BigInt(datetime.bitFieldDatetimeSeconds ?? 0);
  const part = (shift: bigint, width: bigint) => Number((bits >> shift) & ((1n << width) - 1n));
  const date = `${padded(part(26n, 14n), 4)}-${padded(part(22n, 4n))}-${padded(part(17n, 5n))}`;
  return `${date}T${clockText(part(12n, 5n), part(6n, 6n), part(0n, 6n), datetime.nanos ?? 0)}`;
}

function timeText(time: string): string {
  const bits = BigInt(time);
  const part = (shift: bigint, width: bigint) => Number((bits >> shift) & ((1n << width) - 1n));
  return clockText(part(42n, 5n), part(36n, 6n), part(30n, 6n), part(0n, 30n));
}

function clockText(hour: number, minute: number, second: number, nanos: number): string {
  const micros = Math.floor(nanos / 1000);
  const fraction = micros === 0 ? '' : `.${padded(micros, 6)}`;
  return `${padded(hour)}:${padded(minute)}:${padded(second)}${fraction}`;
}

function dateText(days: number): string {
  return new Date(days * 86_400_000).toISOString().slice(0, 10);
}

/** Layout: microseconds (8 bytes), days (4), then months in the upper bits of the last 4. */
function intervalText(bytes: Uint8Array): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const micros = view.getBigInt64(0, true);
  const days = view.getInt32(8, true);
  const months = intervalMonths(view.getUint32(12, true));
  const sign = (negative: boolean) => (negative ? '-' : '');
  const years = Math.abs(months);
  const clock = micros < 0n ? -micros : micros;
  const seconds = clock / 1_000_000n;
  const fraction = clock % 1_000_000n;
  const time = `${seconds / 3600n}:${(seconds / 60n) % 60n}:${seconds % 60n}`;
  const tail = fraction === 0n ? '' : `.${padded(Number(fraction), 6).replace(/0+$/, '')}`;
  return `${sign(months < 0)}${Math.floor(years / 12)}-${years % 12} ${days} ${sign(micros < 0n)}${time}${tail}`;
}

/** Bit 31 is the sign of the months, the next 18 bits their number; below are fractional nanoseconds. */
function intervalMonths(bits: number): number {
  const months = (bits >>> 13) & 0x3ffff;
  return bits >>> 31 ? -months : months;
}

function roundedDivide(value: bigint, by: bigint): bigint {
  return (value + by / 2n) / by;
}

function padded(value: number, width = 2): string {
  return String(value).padStart(width, '0');
}

function typeName(kind: string): string {
  const name = kind.replace(/^TYPE_/, '');
  return name === 'DOUBLE' ? 'FLOAT64' : name;
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}
