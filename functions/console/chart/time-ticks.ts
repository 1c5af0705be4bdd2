// The ticks of an axis of time: round on the clock of the zone, at starts of buckets, and no two alike.
import type { Drawn } from './plan/chart-plan.ts';
import { DAY_MS, dayOf, monthOf, offWall, onWall, timeOf } from './plan/zoned-time.ts';

type Axis = NonNullable<Drawn['time']>;

const [SECOND, MINUTE, HOUR, MONTH] = [1000, 60_000, 3_600_000, 30.4 * DAY_MS];

/** About how long each is: from a day on they are counted in days, from a month on in months. */
const INTERVALS = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[SECOND, MINUTE].flatMap((unit) => [1, 2, 5, 10, 15, 30].map((count) => count * unit)),
  ...[1, 2, 3, 4, 6, 12].map((count) => count * HOUR),
  ...[1, 2, 7, 14].map((count) => count * DAY_MS),
  ...[1, 3, 6].map((count) => count * MONTH),
  ...[1, 10, 100, 1000].flatMap((years) => [1, 2, 5].map((count) => years * count * 12 * MONTH)),
];

/** How far apart ticks may be; a mean month is a little longer than the interval of months. */
export function intervalsOf({ stepMs }: Axis): number[] {
  return INTERVALS.filter((ms) => ms >= stepMs * 0.95);
}

/** The first of these starts, or of all instants, in each interval that begins in the range. */
export function ticksBetween(
  { timeZone }: Axis,
  starts: readonly number[] | undefined,
  [fromMs, toMs]: readonly [number, number],
  intervalMs: number,
): number[] {
  let before: number | undefined;
  const all = starts ?? instantsOf(timeZone, fromMs, toMs, Math.min(intervalMs, DAY_MS));
  const isInRange = (ms: number): boolean => ms >= fromMs && ms <= toMs;
  const ticks = all.filter((ms) => {
    const at = countIntervals(onWall(ms, timeZone), intervalMs);
    const interval = Math.floor(at);
    const isFirst = before === undefined ? at === interval : interval > before;
    before = Math.max(interval, before ?? interval);
    return isFirst && isInRange(ms);
  });
  return ticks.length > 0 ? ticks : all.filter(isInRange).slice(0, 1);
}

/** How many intervals the calendar counts up to this time of its clock; whole where one begins. */
function countIntervals(wall: Date, intervalMs: number): number {
  if (intervalMs < DAY_MS) return wall.getTime() / intervalMs;
  const days = wall.getTime() / DAY_MS;
  // Day 4 after the epoch was a Monday, the day on which weeks begin.
  if (intervalMs < MONTH) return (days - 4) / (intervalMs / DAY_MS);
  const months = wall.getUTCFullYear() * 12 + wall.getUTCMonth();
  const ofMonth = (wall.getUTCDate() - 1 + days - Math.floor(days)) / 31;
  return (months + ofMonth) / Math.round(intervalMs / MONTH);
}

/** The times at which the clock shows multiples of a length. */
function instantsOf(timeZone: string, fromMs: number, toMs: number, everyMs: number): number[] {
  const [from = 0, to = 0] = [fromMs, toMs].map((ms) => onWall(ms, timeZone).getTime() / everyMs);
  const first = Math.ceil(from);
  return Array.from({ length: Math.max(Math.floor(to) - first + 1, 0) }, (_, index) =>
    offWall((first + index) * everyMs, timeZone),
  );
}

/** With a second line where the first alone would be ambiguous: the day of a time, the year of a day. */
export function tickLabels(
  { timeZone, year }: Axis,
  ticks: readonly number[],
  intervalMs: number,
): string[] {
  const precision = intervalMs < SECOND ? 'millisecond' : intervalMs < MINUTE ? 'second' : 'minute';
  const [isTime, isDay] = [intervalMs < DAY_MS, intervalMs < MONTH];
  const seen = new Set<string>();
  let before = '';
  return ticks.map((ms) => {
    const wall = onWall(ms, timeZone);
    const own = wall.getUTCFullYear();
    if (intervalMs >= 12 * MONTH) return String(own);
    const label = isTime ? timeOf(wall, precision) : isDay ? dayOf(wall, own) : monthOf(wall);
    const context = isTime ? dayOf(wall, year) : String(own);
    // Days of this year need no year, unless days of another year precede them.
    const needsNone = isDay && !isTime && context === String(year) && before === '';
    const isAmbiguous = seen.has(label) || (context !== before && !needsNone);
    seen.add(label);
    before = context;
    return isAmbiguous ? `${label}\n${context}` : label;
  });
}
