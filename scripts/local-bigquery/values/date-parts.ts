// Divides time into the periods of GoogleSQL's date parts, in UTC. Instants are microseconds since 1970.

/** WEEK begins on Sunday, ISOWEEK on Monday. */
export type DatePart =
  | 'MICROSECOND'
  | 'MILLISECOND'
  | 'SECOND'
  | 'MINUTE'
  | 'HOUR'
  | 'DAY'
  | 'WEEK'
  | 'ISOWEEK'
  | 'WEEK_TUESDAY'
  | 'WEEK_WEDNESDAY'
  | 'WEEK_THURSDAY'
  | 'WEEK_FRIDAY'
  | 'WEEK_SATURDAY'
  | 'MONTH'
  | 'QUARTER'
  | 'YEAR';

/** The instants that GoogleSQL has: from 0001-01-01 to before 10000-01-01. */
export const FIRST_INSTANT = -62_135_596_800_000_000n;
export const AFTER_LAST_INSTANT = 253_402_300_800_000_000n;

const DAY = 86_400_000_000n;

/** Periods of one length: in microseconds, and the start of one of them in days since 1970-01-01, a Thursday. */
const FIXED: Partial<Record<DatePart, { length: bigint; startDay?: bigint }>> = {
  MICROSECOND: { length: 1n },
  MILLISECOND: { length: 1000n },
  SECOND: { length: 1_000_000n },
  MINUTE: { length: 60_000_000n },
  HOUR: { length: 3_600_000_000n },
  DAY: { length: DAY },
  WEEK: { length: 7n * DAY, startDay: -4n },
  ISOWEEK: { length: 7n * DAY, startDay: -3n },
  WEEK_TUESDAY: { length: 7n * DAY, startDay: -2n },
  WEEK_WEDNESDAY: { length: 7n * DAY, startDay: -1n },
  WEEK_THURSDAY: { length: 7n * DAY },
  WEEK_FRIDAY: { length: 7n * DAY, startDay: 1n },
  WEEK_SATURDAY: { length: 7n * DAY, startDay: 2n },
};
const MONTHS: Partial<Record<DatePart, number>> = { MONTH: 1, QUARTER: 3, YEAR: 12 };

/** Length of a period in microseconds; undefined where periods differ. */
export function lengthOf(part: DatePart): bigint | undefined {
  return FIXED[part]?.length;
}

/** The number of the period that holds an instant; those that begin with or before 1970 have 0 and less. */
export function periodOf(part: DatePart, instant: bigint): bigint {
  const fixed = FIXED[part];
  if (fixed) return floorDivide(instant - (fixed.startDay ?? 0n) * DAY, fixed.length);
  const date = new Date(Number(floorDivide(within(instant), 1000n)));
  const months = (date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth();
  return BigInt(Math.floor(months / (MONTHS[part] ?? 1)));
}

/** The first instant of a period, at most that after the last. */
export function startOf(part: DatePart, period: bigint): bigint {
  const fixed = FIXED[part];
  if (fixed) return within(period * fixed.length + (fixed.startDay ?? 0n) * DAY);
  const months = period * BigInt(MONTHS[part] ?? 1);
  if (months < -2000n * 12n) return FIRST_INSTANT;
  if (months > 8030n * 12n) return AFTER_LAST_INSTANT;
  return within(BigInt(new Date(0).setUTCFullYear(1970, Number(months), 1)) * 1000n);
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
