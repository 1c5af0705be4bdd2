// Reads and writes times of day, days and instants as BigQuery exports and loads them.
import { AFTER_LAST_INSTANT, FIRST_INSTANT } from './date-parts.ts';

const civilDatePart = String.raw`(?<year>\d{4})-(?<month>\d{1,2})-(?<day>\d{1,2})`;
const secondPart = String.raw`:(?<second>\d{1,2})(?:\.(?<fraction>\d{1,9}))?`;
const minutePart = String.raw`(?<hour>\d{1,2}):(?<minute>\d{1,2})`;
const zonePart = String.raw`(?:\s*(?<zone>Z|UTC|[+-]\d{1,2}(?::?\d{2})?))?`;
export const datePattern = new RegExp(`^${civilDatePart}$`);
export const timePattern = new RegExp(`^${minutePart}${secondPart}$`);
const daytimePart = `(?:[ T]${minutePart}(?:${secondPart})?)?`;
export const datetimePattern = new RegExp(`^${civilDatePart}${daytimePart}$`, 'i');
const timestampPattern = new RegExp(`^${civilDatePart}${daytimePart}${zonePart}$`, 'i');

/** Since 1970, at the end of the year 9999. */
const SECONDS_MAX = 253_402_300_799;

/**
 * Microseconds since 1970 of a timestamp in any of the forms that BigQuery exports or loads; `undefined`
 * outside of the years 1 to 9999. A number counts seconds if that gives a year up to 9999, else
 * milliseconds, else microseconds: the three cannot be confused from 1978 on.
 */
export function timestampMicros(value: unknown): bigint | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const text = String(value).trim();
  // After the year of a civil time, and in no number.
  const isCivil = text[4] === '-';
  const ofDay = isCivil ? text : text.replace(/^(\d{4})\/(\d{1,2})\//, '$1-$2-');
  const micros =
    (isCivil ? undefined : epochMicros(text)) ?? civilTime(timestampPattern, ofDay)?.instant;
  if (micros === undefined) return undefined;
  return micros >= FIRST_INSTANT && micros < AFTER_LAST_INSTANT ? micros : undefined;
}

function epochMicros(text: string): bigint | undefined {
  const isExponential = /^-?\d+(\.\d+)?e\+?\d{1,2}$/i.test(text);
  const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(isExponential ? String(Number(text)) : text);
  if (!match) return undefined;
  const [, minus, whole = '', fraction = ''] = match;
  const digits = [6, 3, 0].find((places) => Number(whole) <= SECONDS_MAX * 10 ** (6 - places));
  if (digits === undefined) return undefined;
  const micros = BigInt(whole + fraction.padEnd(digits, '0').slice(0, digits));
  return minus ? -micros : micros;
}

/** A time in one of the patterns above; what a pattern lacks is that of 1970-01-01, midnight. */
export function civilTime(pattern: RegExp, value: unknown) {
  const groups = typeof value === 'string' ? pattern.exec(value)?.groups : undefined;
  if (groups === undefined) return undefined;
  const part = (name: string, absent = 0): number => Number(groups[name] ?? absent);
  const [year, month, day] = [part('year', 1970), part('month', 1), part('day', 1)];
  const [hour, minute, second] = [part('hour'), part('minute'), part('second')];
  const ms = new Date(0).setUTCFullYear(year, month - 1, day);
  const date = new Date(ms);
  const isDay = date.getUTCMonth() === month - 1 && date.getUTCDate() === day && year > 0;
  if (!isDay || hour > 23 || minute > 59 || second > 59) return undefined;
  const micros = Number((groups['fraction'] ?? '').padEnd(6, '0').slice(0, 6));
  const [, sign, hours = 0, minutes = 0] =
    /^([+-])(\d{1,2}):?(\d{2})?$/.exec(groups['zone'] ?? '') ?? [];
  const zoneSeconds = (Number(hours) * 3600 + Number(minutes) * 60) * (sign === '-' ? -1 : 1);
  const seconds = ms / 1000 + hour * 3600 + minute * 60 + second - zoneSeconds;
  return {
    days: ms / 86_400_000,
    micros,
    instant: BigInt(seconds) * 1_000_000n + BigInt(micros),
    dateBits: (BigInt(year) << 26n) | BigInt((month << 22) | (day << 17)),
    timeBits: BigInt((hour << 12) | (minute << 6) | second),
  };
}

/** The lowest bits: five of the hour, and six each of the minute and the second. */
export function clockText(bits: bigint, nanos: number): string {
  const parts = [(bits >> 12n) & 31n, (bits >> 6n) & 63n, bits & 63n];
  const micros = Math.floor(nanos / 1000);
  const fraction = micros === 0 ? '' : `.${padded(micros, 6)}`;
  return `${parts.map((part) => padded(part)).join(':')}${fraction}`;
}

export const padded = (value: number | bigint, width = 2): string =>
  String(value).padStart(width, '0');
