// The types of columns in BigQuery's REST API: one name for each, and whether a value has the form of its type.
import { isDate, isTimeOfDay } from '../core/civil-time.ts';
import { parseJson } from '../core/json.ts';

// https://cloud.google.com/bigquery/docs/reference/rest/v2/jobs/getQueryResults
const DIGITS = /^-?(?:0|[1-9]\d*)$/;
const FLOAT = /^-?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
const NOT_FINITE = /^(?:NaN|[+-]?inf(?:inity)?)$/i;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;
/** 0001-01-01 and the end of 9999-12-31, in microseconds since the epoch. */
const TIMESTAMP_MIN = -62_135_596_800_000_000n;
const TIMESTAMP_MAX = 253_402_300_799_999_999n;

const FORMS = new Map<string, (text: string) => boolean>([
  ['INT64', (text) => isInteger(text, INT64_MIN, INT64_MAX)],
  // Written with useInt64Timestamp.
  ['TIMESTAMP', (text) => isInteger(text, TIMESTAMP_MIN, TIMESTAMP_MAX)],
  ['FLOAT64', (text) => (FLOAT.test(text) ? Number.isFinite(Number(text)) : NOT_FINITE.test(text))],
  ['BOOL', (text) => text === 'true' || text === 'false'],
  // Kept as text, with or without an exponent.
  ['NUMERIC', (text) => FLOAT.test(text)],
  ['BIGNUMERIC', (text) => FLOAT.test(text)],
  // A repeated group would overflow the stack of the regular-expression engine on a long value.
  ['BYTES', (text) => text.length % 4 === 0 && BASE64.test(text)],
  ['DATE', isDate],
  ['TIME', isTimeOfDay],
  ['DATETIME', isDatetime],
  ['JSON', (text) => parseJson(text) !== undefined],
]);

/** `type` is a name of `columnType`; for a type that is not listed any text is valid. */
export function hasFormOf(type: string, value: unknown): boolean {
  return typeof value === 'string' && (FORMS.get(type)?.(value) ?? true);
}

function isInteger(text: string, min: bigint, max: bigint): boolean {
  if (!DIGITS.test(text)) return false;
  if (text.length < 16) return true;
  // The limits have at most 20 characters, so a longer text need not be converted.
  return text.length <= 20 && BigInt(text) >= min && BigInt(text) <= max;
}

function isDatetime(text: string): boolean {
  const [date = '', time = '', ...more] = text.split('T');
  return isDate(date) && isTimeOfDay(time) && more.length === 0;
}

// https://cloud.google.com/bigquery/docs/reference/rest/v2/tables#TableFieldSchema
const SAME_TYPES = new Map([
  ['INTEGER', 'INT64'],
  ['FLOAT', 'FLOAT64'],
  ['BOOLEAN', 'BOOL'],
  ['STRUCT', 'RECORD'],
  ['DECIMAL', 'NUMERIC'],
  ['BIGDECIMAL', 'BIGNUMERIC'],
]);

/** The name that `row` in endpoint.json uses. */
export function columnType(name: string): string {
  return SAME_TYPES.get(name) ?? name;
}
