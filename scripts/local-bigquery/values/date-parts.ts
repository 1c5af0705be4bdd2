// Divides time into the periods of GoogleSQL's date parts, in UTC. Instants are microseconds since 1970.

/** The instants that GoogleSQL has: from 0001-01-01 to before 10000-01-01. */
export const FIRST_INSTANT = -62_135_596_800_000_000n;
export const AFTER_LAST_INSTANT = 253_402_300_800_000_000n;

const DAY = 86_400_000_000n;

/** For periods of equal length: `length` in microseconds, and a day that starts one, counted from 1970-01-01, a Thursday. */
interface Period {
  length?: bigint;
  startDay?: bigint;
  months?: number;
}

const PERIODS = {
  MICROSECOND: { length: 1n },
  MILLISECOND: { length: 1000n },
  SECOND: { length: 1_000_000n },
  MINUTE: { length: 60_000_000n },
  HOUR: { length: 3_600_000_000n },
  DAY: { length: DAY },
  /** Begins on Sunday, ISOWEEK on Monday. */
  WEEK: { length: 7n * DAY, startDay: -4n },
  ISOWEEK: { length: 7n * DAY, startDay: -3n },
  WEEK_TUESDAY: { length: 7n * DAY, startDay: -2n },
  WEEK_WEDNESDAY: { length: 7n * DAY, startDay: -1n },
  WEEK_THURSDAY: { length: 7n * DAY },
  WEEK_FRIDAY: { length: 7n * DAY, startDay: 1n },
  WEEK_SATURDAY: { length: 7n * DAY, startDay: 2n },
  MONTH: { months: 1 },
  QUARTER: { months: 3 },
  YEAR: { months: 12 },
} satisfies Record<string, Period>;

export type DatePart = keyof typeof PERIODS;

/** Length of a period in microseconds; undefined where periods differ. */
export function lengthOf(part: DatePart): bigint | undefined {
  const { length }: Period = PERIODS[part];
  return length;
}

/** The number of the period that contains an instant; periods that begin at the start of 1970 or before have 0 or less. */
export function periodOf(part: DatePart, instant: bigint): bigint {
  const { length, startDay = 0n, months = 1 }: Period = PERIODS[part];
  if (length !== undefined) return floorDivide(instant - startDay * DAY, length);
  const date = new Date(Number(floorDivide(within(instant), 1000n)));
  const month = (date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth();
  return BigInt(Math.floor(month / months));
}

/** The first instant of a period, at most that after the last. */
export function startOf(part: DatePart, period: bigint): bigint {
  const { length, startDay = 0n, months = 1 }: Period = PERIODS[part];
  if (length !== undefined) return within(period * length + startDay * DAY);
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
