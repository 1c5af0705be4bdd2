// Divides time into the periods of GoogleSQL's date parts, in UTC. Instants are microseconds since 1970.
import periods from './periods.json' with { type: 'json' };

/** The instants that GoogleSQL has: from 0001-01-01 to before 10000-01-01. */
export const FIRST_INSTANT = -62_135_596_800_000_000n;
export const AFTER_LAST_INSTANT = 253_402_300_800_000_000n;

const DAY = 86_400_000_000n;

/** Of equal length in microseconds, with a day that starts one, counted from 1970-01-01, a Thursday; or some months. */
interface Period {
  length?: number;
  startDay?: number;
  months?: number;
}

export type DatePart = keyof typeof periods;

function read(part: DatePart) {
  const { length, startDay = 0, months = 1 }: Period = periods[part];
  const equal = length === undefined ? undefined : BigInt(length);
  return { length: equal, start: BigInt(startDay) * DAY, months };
}

/** Length of a period in microseconds; undefined where periods differ. */
export function lengthOf(part: DatePart): bigint | undefined {
  return read(part).length;
}

/** The number of the period that contains an instant; periods that begin at the start of 1970 or before have 0 or less. */
export function periodOf(part: DatePart, instant: bigint): bigint {
  const { length, start, months } = read(part);
  if (length !== undefined) return floorDivide(instant - start, length);
  const date = new Date(Number(floorDivide(within(instant), 1000n)));
  const month = (date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth();
  return BigInt(Math.floor(month / months));
}

/** The first instant of a period, at most that after the last. */
export function startOf(part: DatePart, period: bigint): bigint {
  const { length, start, months } = read(part);
  if (length !== undefined) return within(period * length + start);
  const month = period * BigInt(months);
  if (month < -2000n * 12n) return FIRST_INSTANT;
  if (month > 8030n * 12n) return AFTER_LAST_INSTANT;
  return within(BigInt(new Date(0).setUTCFullYear(1970, Number(month), 1)) * 1000n);
}

/** The start of the period that begins with the instant, or else of the one after it. */
export function nextStart(part: DatePart, instant: bigint): bigint {
  const known = within(instant);
  const period = periodOf(part, known);
  const start = startOf(part, period);
  return start === known ? known : startOf(part, period + 1n);
}

/** The nearest instant that GoogleSQL has. */
export function within(instant: bigint): bigint {
  if (instant < FIRST_INSTANT) return FIRST_INSTANT;
  return instant > AFTER_LAST_INSTANT ? AFTER_LAST_INSTANT : instant;
}

export function floorDivide(value: bigint, by: bigint): bigint {
  const quotient = value / by;
  return value % by < 0n ? quotient - 1n : quotient;
}
