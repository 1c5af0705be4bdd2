// The ticks of an axis of time: uPlot finds where they are, and each is named by the clock of the zone.
import type uPlot from 'uplot';
import type { Drawn } from './plan/chart-plan.ts';
import { DAY_MS, dayOf, monthOf, onWall, timeOf } from './plan/zoned-time.ts';

/** As long as uPlot takes them to be. */
const [SECOND, MINUTE, HOUR, WEEK, MONTH, YEAR] = [
  ...[1000, 60_000, 3_600_000, 7 * DAY_MS, 30 * DAY_MS, 365 * DAY_MS],
] as [number, number, number, number, number, number];

/** How far apart ticks may be. */
const INTERVALS = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[SECOND, MINUTE].flatMap((unit) => [1, 5, 10, 15, 30].map((count) => count * unit)),
  ...[1, 2, 3, 4, 6, 12].map((count) => count * HOUR),
  ...[1, 2, 7, 14].map((count) => count * DAY_MS),
  ...[1, 3, 6].map((count) => count * MONTH),
  ...[1, 10, 100, 1000].flatMap((years) => [1, 2, 5].map((count) => years * count * YEAR)),
];

/** The options of the axis; a week begins on the day on which the weeks of the rows do. */
export function timeAxis({ time, moments }: Drawn): uPlot.Axis {
  const { timeZone, year, stepMs } = time ?? { timeZone: 'UTC', year: 0, stepMs: 1 };
  const starts = moments.flatMap((moment) => moment.starts ?? moment.startMs);
  return {
    // A mean month is a little longer than that of uPlot.
    incrs: INTERVALS.filter((ms) => ms >= stepMs * 0.95),
    ...(stepMs % WEEK === 0 && {
      splits: (_, __, min, max, interval) =>
        starts
          .filter((ms) => ms >= min && ms <= max)
          .filter((___, index) => index % Math.ceil(interval / stepMs) === 0),
    }),
    values: (_, ticks, __, ___, interval) => tickLabels(ticks, interval, { timeZone, year }),
  };
}

/** With a second line where the first alone would be ambiguous: the day of a time, the year of a day. */
function tickLabels(
  ticks: readonly number[],
  intervalMs: number,
  { timeZone, year }: { timeZone: string; year: number },
): string[] {
  const precision = intervalMs < SECOND ? 'millisecond' : intervalMs < MINUTE ? 'second' : 'minute';
  let before = '';
  return ticks.map((ms) => {
    const wall = onWall(ms, timeZone);
    const own = wall.getUTCFullYear();
    if (intervalMs >= YEAR) return String(own);
    const isTime = intervalMs < DAY_MS;
    const label = isTime
      ? timeOf(wall, precision)
      : intervalMs < MONTH
        ? dayOf(wall, own)
        : monthOf(wall);
    const context = isTime ? dayOf(wall, year) : String(own);
    // Days of this year need no year, unless days of another year precede them.
    const isPlain = !isTime && intervalMs < MONTH && own === year && before === '';
    const isNew = context !== before && !isPlain;
    if (!isPlain) before = context;
    return isNew ? `${label}\n${context}` : label;
  });
}
