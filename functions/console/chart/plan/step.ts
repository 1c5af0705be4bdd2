// Reads the length of a time bucket, and finds where the next one starts.
import { DAY_MS, startWallMs, offWall } from './zoned-time.ts';

export interface Step {
  count: number;
  unit: Unit;
  /** For months and years, the mean length. */
  ms: number;
}

type Unit = 'second' | 'minute' | 'hour' | 'day' | 'week' | 'month' | 'year';

const UNITS: Record<string, readonly [Unit, number]> = {
  TS: ['second', 1000],
  TM: ['minute', 60_000],
  TH: ['hour', 3_600_000],
  D: ['day', DAY_MS],
  W: ['week', 7 * DAY_MS],
  M: ['month', 30.436_875 * DAY_MS],
  Y: ['year', 365.2425 * DAY_MS],
};

/** Parses a duration in ISO 8601 of one unit; undefined for any other text. */
export function parseStep(text: string): Step | undefined {
  const [, time = '', digits = '', letter = ''] = /^P(T?)(\d+)([SMHDWY])$/.exec(text) ?? [];
  const [unit, ms] = UNITS[time + letter] ?? [];
  const count = Number(digits);
  return unit === undefined || ms === undefined || count === 0
    ? undefined
    : { count, unit, ms: count * ms };
}

/** Whether a bucket is a day of the calendar or longer, so that its label has no time of day. */
export function isCalendar({ unit }: Step): boolean {
  return unit !== 'second' && unit !== 'minute' && unit !== 'hour';
}

/** The clock by which buckets follow each other; with `isWall` hours too, as of a DATETIME, which has 02:00 once a day. */
export interface Clock {
  zone: string;
  isWall: boolean;
}

/** The start of the bucket so many steps after this one: days have 23 to 25 hours, months 28 to 31 days. */
export function addSteps(startMs: number, step: Step, times: number, clock: Clock): number {
  const { count, unit, ms } = step;
  const { zone, isWall } = clock;
  if (!isWall && !isCalendar(step)) return startMs + ms * times;
  const wallMs = startWallMs(startMs, zone, isCalendar(step) ? DAY_MS : ms);
  if (unit !== 'month' && unit !== 'year') return offWall(wallMs + ms * times, zone);
  // Months of a zone that is not known start up to twelve hours before or after midnight.
  const midnight = Math.round(wallMs / DAY_MS) * DAY_MS;
  const date = new Date(midnight);
  const months = count * times * (unit === 'year' ? 12 : 1);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + months];
  const lastDay = new Date(new Date(0).setUTCFullYear(year, month + 1, 0)).getUTCDate();
  date.setUTCFullYear(year, month, Math.min(date.getUTCDate(), lastDay));
  return offWall(date.getTime() + (wallMs - midnight), zone);
}

/** `per hour`, `per 15 minutes`. */
export function perStep({ count, unit }: Step): string {
  return count === 1 ? `per ${unit}` : `per ${count} ${unit}s`;
}

/** `the hour from 22 Nov 13:00`, `the period of 15 minutes from …`; the label of a day, month or year names all of it. */
export function bucketAt(label: string, { count, unit }: Step): string {
  const isNamed = count === 1 && /^(?:day|month|year)$/.test(unit) && !label.includes(':');
  if (isNamed) return label;
  return `the ${count === 1 ? unit : `period of ${count} ${unit}s`} from ${label}`;
}
