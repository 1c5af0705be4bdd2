// Normalises the text of a value to the canonical spelling of its type, so that equal values share a cache entry.
// https://cloud.google.com/bigquery/docs/reference/standard-sql/data-types
import Big from 'big.js';
import type { ScalarType } from '../core/parameter-type.ts';

/** The canonical spelling, or what completes "<parameter> …" where the text is not of the type. */
type Canonical = { text: string } | { fault: string };

const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;
const INT64_DIGITS_MAX = 19;
const NUMERIC_WHOLE_DIGITS = 29;
const NUMERIC_FRACTION_DIGITS = 9;
const SECOND_FRACTION_DIGITS = 6;
const MINUTE_MS = 60_000;

const TIME_OF_DAY = /^(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,6})?$/;
const CIVIL = String.raw`(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d)(?::(\d\d)(?:\.(\d+))?)?`;
const DATETIME = new RegExp(`^${CIVIL}$`);
const TIMESTAMP = new RegExp(`^${CIVIL}(?:[Zz]| ?UTC|([+-])([01]\\d|2[0-3])(?::?([0-5]\\d))?)$`);
/** What is left of an offset whose `+` was not written as `%2B`. */
const LOST_PLUS = new RegExp(`^${CIVIL} \\d\\d(?::?\\d\\d)?$`);

const NO_DATETIME =
  'must be a date and a time of day without a zone (DATETIME), such as 2026-11-20T10:00:00';
const NO_TIMESTAMP =
  'must be a date, a time of day and a zone (TIMESTAMP), such as 2026-11-20T10:00:00Z or 2026-11-20T11:00:00+01:00';

const SPELLINGS: Readonly<Record<ScalarType, (text: string) => Canonical>> = {
  STRING: canonicalString,
  INT64: canonicalInt64,
  FLOAT64: canonicalFloat64,
  NUMERIC: canonicalNumeric,
  BOOL: (text) =>
    text === 'true' || text === 'false' ? { text } : { fault: 'must be true or false (BOOL)' },
  DATE: (text) =>
    isDate(text) ? { text } : { fault: 'must be a day of the calendar (DATE), such as 2026-11-20' },
  DATETIME: canonicalDatetime,
  TIMESTAMP: canonicalTimestamp,
};

/** Takes time in proportion to the length of the text. The canonical spelling of a canonical text is itself. */
export function canonicalScalar(type: ScalarType, text: string): Canonical {
  return SPELLINGS[type](text);
}

function canonicalString(text: string): Canonical {
  // NUL occurs in no log value, and not every store keeps it.
  if (text.includes('\0')) return { fault: 'must not contain a NUL character' };
  return text.isWellFormed() ? { text } : { fault: 'must not contain half a surrogate pair' };
}

function canonicalInt64(text: string): Canonical {
  if (!/^[+-]?\d+$/.test(text)) return { fault: 'must be a whole number (INT64), such as 42' };
  const digits = text.replace(/^[+-]?0*/, '') || '0';
  // Converting takes more than linear time, so a long text is refused first.
  const magnitude = digits.length > INT64_DIGITS_MAX ? undefined : BigInt(digits);
  const value = magnitude === undefined || !text.startsWith('-') ? magnitude : -magnitude;
  if (value === undefined || value < INT64_MIN || value > INT64_MAX) {
    return { fault: `must be from ${INT64_MIN} to ${INT64_MAX} (INT64)` };
  }
  return { text: value.toString() };
}

function canonicalFloat64(text: string): Canonical {
  if (parseDecimal(text) === undefined) {
    return { fault: 'must be a number (FLOAT64), such as 1.5 or 2e3' };
  }
  const value = Number(text);
  if (!Number.isFinite(value)) return { fault: 'is beyond the range of FLOAT64' };
  // This is `0` for -0 too, which equals 0.
  return { text: String(value) };
}

function canonicalNumeric(text: string): Canonical {
  const value = parseDecimal(text);
  if (value === undefined) return { fault: 'must be a decimal number (NUMERIC), such as 12.5' };
  if (value.e >= NUMERIC_WHOLE_DIGITS) {
    return { fault: `must have at most ${NUMERIC_WHOLE_DIGITS} digits before the point (NUMERIC)` };
  }
  if (value.c.length - 1 - value.e > NUMERIC_FRACTION_DIGITS) {
    const fault = `must have at most ${NUMERIC_FRACTION_DIGITS} digits after the point (NUMERIC)`;
    return { fault };
  }
  return { text: value.eq(0) ? '0' : value.toFixed() };
}

/** A decimal number of any size, exactly; undefined for another text. Takes time in proportion to the length of the text. */
export function parseDecimal(text: string): Big | undefined {
  try {
    return new Big(text.replace(/^\+(?=[\d.])/, ''));
  } catch {
    return undefined;
  }
}

function canonicalDatetime(text: string): Canonical {
  const [, date, minutes, seconds = '00', digits = ''] = DATETIME.exec(text) ?? [];
  if (!isCivil(date, minutes, seconds)) return { fault: NO_DATETIME };
  return withFraction(`${date}T${minutes}:${seconds}`, digits);
}

function canonicalTimestamp(text: string): Canonical {
  const [, date, minutes, seconds = '00', digits = '', sign, hoursOff = '0', minutesOff = '0'] =
    TIMESTAMP.exec(text) ?? [];
  if (!isCivil(date, minutes, seconds)) {
    const hint = LOST_PLUS.test(text) ? '; write + as %2B in a URL' : '';
    return { fault: NO_TIMESTAMP + hint };
  }
  const aheadMs = (Number(hoursOff) * 60 + Number(minutesOff)) * MINUTE_MS;
  const localMs = Date.parse(`${date}T${minutes}:${seconds}Z`);
  const utc = new Date(localMs - (sign === '-' ? -aheadMs : aheadMs)).toISOString();
  // A year before 0 or after 9999 is written with a sign, which sorts before digits.
  if (utc < '0001') return { fault: 'must be in the years 1 to 9999 in UTC (TIMESTAMP)' };
  return withFraction(utc.slice(0, '2026-11-20T10:00:00'.length), digits, 'Z');
}

function isCivil(date: string | undefined, minutes: string | undefined, seconds: string): boolean {
  return date !== undefined && isDate(date) && isTimeOfDay(`${minutes}:${seconds}`);
}

/** A fault if there are more digits than BigQuery keeps. */
function withFraction(seconds: string, digits: string, zone = ''): Canonical {
  let length = digits.length;
  // A pattern would try each run of zeros.
  while (digits[length - 1] === '0') length -= 1;
  const kept = digits.slice(0, length);
  if (kept.length <= SECOND_FRACTION_DIGITS) {
    return { text: `${seconds}${kept === '' ? '' : `.${kept}`}${zone}` };
  }
  return { fault: `must have at most ${SECOND_FRACTION_DIGITS} digits of a second's fraction` };
}

/** `YYYY-MM-DD`, an existing day in the years 1 to 9999. */
export function isDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const date = new Date(`${text}T00:00:00Z`);
  // `Date` turns a day that the month does not have into one of the next month.
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text) && text >= '0001';
}

/** `HH:MM:SS`, with up to six digits of a fraction. */
export function isTimeOfDay(text: string): boolean {
  return TIME_OF_DAY.test(text);
}
