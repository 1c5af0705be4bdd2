// Instants of columns, and how the clock on the wall of a time zone shows them.

export const DAY_MS = 86_400_000;

/** Whether values of a column type are instants or dates. */
export function isInstant(type: string): boolean {
  return type === 'TIMESTAMP' || type === 'DATETIME' || type === 'DATE';
}

/** Milliseconds since the epoch, as if a DATE or DATETIME were in UTC; NaN for any other value. */
export function parseInstant(type: string, value: unknown): number {
  if (typeof value !== 'string') return Number.NaN;
  if (type === 'TIMESTAMP') return Date.parse(value);
  return Date.parse(type === 'DATE' ? `${value}T00:00:00Z` : `${value}Z`);
}

const formats = new Map<string, Intl.DateTimeFormat>();
/** By zone, at each midnight of UTC that was asked for, in days since the epoch. */
const midnights = new Map<string, Map<number, number>>();

/**
 * How far the zone's clock is ahead of UTC at this instant, in milliseconds. Between two midnights with the same
 * offset no clock changes, so that thousands of rows need few of the slow conversions.
 */
function offsetMs(ms: number, timeZone: string): number {
  if (timeZone === 'UTC') return 0;
  const day = Math.floor(ms / DAY_MS);
  const offset = midnightOffsetMs(day, timeZone);
  return offset === midnightOffsetMs(day + 1, timeZone) ? offset : exactOffsetMs(ms, timeZone);
}

function midnightOffsetMs(day: number, timeZone: string): number {
  const known = midnights.get(timeZone) ?? new Map<number, number>();
  midnights.set(timeZone, known);
  const offset = known.get(day) ?? exactOffsetMs(day * DAY_MS, timeZone);
  known.set(day, offset);
  return offset;
}

function exactOffsetMs(ms: number, timeZone: string): number {
  const format =
    formats.get(timeZone) ??
    new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  formats.set(timeZone, format);
  // Old offsets have seconds: `GMT+09:18:59`.
  const [, sign, hours = 0, minutes = 0, seconds = 0] =
    /GMT([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(format.format(ms)) ?? [];
  const size = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds);
  return (sign === '-' ? -1000 : 1000) * size;
}

/** An instant whose UTC fields are what the clock in the zone shows. */
export function onWall(ms: number, timeZone: string): Date {
  return new Date(ms + offsetMs(ms, timeZone));
}

/**
 * The instant at which the clock in the zone shows these UTC fields: the first, if there are two. A time that the clock
 * leaves out has the offset from before, as in RFC 5545, section 3.3.5.
 */
export function offWall(wallMs: number, timeZone: string): number {
  const before = wallMs - offsetMs(wallMs - DAY_MS, timeZone);
  const after = wallMs - offsetMs(before, timeZone);
  return after + offsetMs(after, timeZone) === wallMs ? after : before;
}

/** As `onWall`; 00:00 for the first instant of a day whose midnight the clock leaves out, and so for buckets of another length. */
export function startWallMs(ms: number, timeZone: string, lengthMs = DAY_MS): number {
  const wallMs = onWall(ms, timeZone).getTime();
  const start = Math.floor(wallMs / lengthMs) * lengthMs;
  return offWall(start, timeZone) === ms ? start : wallMs;
}

const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

export function monthOf(wall: Date): string {
  return MONTHS[wall.getUTCMonth()] ?? '';
}

/** `22 Nov`, and the year where it is not the given one. */
export function dayOf(wall: Date, year: number): string {
  const own = wall.getUTCFullYear();
  return `${wall.getUTCDate()} ${monthOf(wall)}${own === year ? '' : ` ${own}`}`;
}

/** `07:00`, `07:00:05` or `07:00:05.250`. */
export function timeOf(wall: Date, precision: 'minute' | 'second' | 'millisecond'): string {
  const length = { minute: 16, second: 19, millisecond: 23 }[precision];
  const text = wall.toISOString();
  // Years beyond 9999 have a sign and two digits more.
  return text.slice(text.indexOf('T') + 1).slice(0, length - 11);
}
