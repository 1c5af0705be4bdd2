// Chooses the ticks of an axis of time: round on the clock of the zone, at starts of buckets, and no two alike.
import { dayOf, monthOf, offWall, onWall, timeOf } from '../plan/zoned-time.ts';

export interface TimeTick {
  ms: number;
  label: string;
  /** A second line, if the label alone is ambiguous: the day of a time, the year of a day. */
  below: string;
}

interface Axis {
  fromMs: number;
  toMs: number;
  timeZone: string;
  /** Years other than this one are written. */
  year: number;
  /** The smallest interval. */
  stepMs: number;
  /** The only instants that may have a tick, in order; undefined for any. */
  startsMs: readonly number[] | undefined;
}

const [SECOND, MINUTE, HOUR, DAY] = [1000, 60_000, 3_600_000, 86_400_000];

/** Each as its unit, the number of them and about how long it is. */
const INTERVALS: readonly (readonly [
  unit: 'ms' | 'day' | 'month' | 'year',
  count: number,
  ms: number,
])[] = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500].map((ms) => ['ms', ms, ms] as const),
  ...[1, 2, 5, 10, 15, 30].map((n) => ['ms', n * SECOND, n * SECOND] as const),
  ...[1, 2, 5, 10, 15, 30].map((n) => ['ms', n * MINUTE, n * MINUTE] as const),
  ...[1, 2, 3, 4, 6, 12].map((n) => ['ms', n * HOUR, n * HOUR] as const),
  ...[1, 2, 7, 14].map((n) => ['day', n, n * DAY] as const),
  ...[1, 3, 6].map((n) => ['month', n, n * 30.4 * DAY] as const),
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000].map(
    (n) => ['year', n, n * 365.2 * DAY] as const,
  ),
];

/** More are never told apart, on the widest of screens. */
const TICKS_MAX = 60;

/** The most ticks that fit; if none do, the fewest, but at least two. */
export function timeTicks(axis: Axis, fit: (ticks: readonly TimeTick[]) => boolean): TimeTick[] {
  const { fromMs, toMs, stepMs, startsMs } = axis;
  let fewest: TimeTick[] = [];
  for (const [unit, count, ms] of INTERVALS) {
    // A mean month may be a little longer than the interval of months.
    if (ms < stepMs * 0.95 || (toMs - fromMs) / ms > TICKS_MAX) continue;
    const edges = unit === 'ms' ? evenEdges(axis, ms) : dateEdges(axis, unit, count);
    const at = startsMs === undefined ? edges : firstStarts(startsMs, edges, toMs);
    const ticks = withLabels(axis, at, unit, ms);
    if (fewest.length > 1 && ticks.length < 2) break;
    fewest = ticks;
    if (fit(ticks)) break;
  }
  return fewest;
}

/** Where the clock shows a multiple of the interval. */
function evenEdges({ fromMs, toMs, timeZone }: Axis, everyMs: number): number[] {
  const from = Math.ceil(onWall(fromMs, timeZone).getTime() / everyMs) * everyMs;
  const edges: number[] = [];
  for (let wall = from; edges.length < 1000; wall += everyMs) {
    const ms = offWall(wall, timeZone);
    if (ms > toMs) break;
    if (ms >= fromMs) edges.push(ms);
  }
  return edges;
}

function dateEdges(
  { fromMs, toMs, timeZone }: Axis,
  unit: 'day' | 'month' | 'year',
  count: number,
): number[] {
  const wall = onWall(fromMs, timeZone);
  const [year, month] = [wall.getUTCFullYear(), wall.getUTCMonth()];
  // Day 4 after the epoch was a Monday, the day on which weeks begin.
  const days = Math.floor((wall.getTime() / DAY - 4) / count) * count + 4;
  const wallOf = (index: number): number => {
    if (unit === 'day') return (days + index * count) * DAY;
    const [ofYear, ofMonth] =
      unit === 'month'
        ? [year, Math.floor(month / count) * count + index * count]
        : [Math.floor(year / count) * count + index * count, 0];
    return new Date(0).setUTCFullYear(ofYear, ofMonth, 1);
  };
  const edges: number[] = [];
  for (let index = 0; index < 1000; index += 1) {
    const ms = offWall(wallOf(index), timeZone);
    if (ms > toMs) break;
    if (ms >= fromMs) edges.push(ms);
  }
  return edges;
}

/** For each edge, the first start at or after it that is not beyond the next edge. */
function firstStarts(starts: readonly number[], edges: readonly number[], toMs: number): number[] {
  const found = edges.flatMap((edge, index) => {
    const next = edges[index + 1] ?? toMs;
    const start = starts.find((ms) => ms >= edge);
    return start === undefined || start >= next ? [] : [start];
  });
  const [first] = starts;
  return found.length === 0 && first !== undefined ? [first] : found;
}

function withLabels(
  { timeZone, year }: Axis,
  instants: readonly number[],
  unit: 'ms' | 'day' | 'month' | 'year',
  ms: number,
): TimeTick[] {
  const precision = ms < SECOND ? 'millisecond' : ms < MINUTE ? 'second' : 'minute';
  const seen = new Set<string>();
  let before = '';
  return instants.map((instant) => {
    const wall = onWall(instant, timeZone);
    const own = String(wall.getUTCFullYear());
    const label = {
      ms: () => timeOf(wall, precision),
      day: () => dayOf(wall, wall.getUTCFullYear()),
      month: () => monthOf(wall),
      year: () => own,
    }[unit]();
    const context = unit === 'ms' ? dayOf(wall, year) : unit === 'year' ? '' : own;
    // Days of this year need no year, unless days of another year precede them.
    const isNews =
      context !== before && (unit !== 'day' || context !== String(year) || before !== '');
    const below = isNews || seen.has(label) ? context : '';
    seen.add(label);
    before = context;
    return { ms: instant, label, below };
  });
}
