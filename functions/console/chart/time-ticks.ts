// The ticks of an axis of time: uPlot finds and names them by the clock of the zone.
import type uPlot from 'uplot';
import type { Drawn } from './plan/chart-plan.ts';
import { DAY_MS, onWall } from './plan/zoned-time.ts';

/** As long as uPlot takes them to be. */
const [MINUTE, WEEK, MONTH, YEAR] = [60_000, 7 * DAY_MS, 30 * DAY_MS, 365 * DAY_MS] as const;
const SPACE = 74;

/** The options of the axis; a week begins on the day on which the weeks of the rows do. */
export function timeAxis({ time, moments }: Drawn): uPlot.Axis {
  const { timeZone, year, stepMs } = time ?? { timeZone: 'UTC', year: 0, stepMs: 1 };
  const starts = moments.flatMap((moment) => moment.starts ?? moment.startMs);
  const isThisYear = [starts[0], starts.at(-1)].every(
    (ms = 0) => onWall(ms, timeZone).getUTCFullYear() === year,
  );
  // The day of a time, and the year of a day: on a second line, where it is another one.
  const [newDay, newYear] = isThisYear ? ['\n{D} {MMM}', null] : ['\n{D} {MMM} {YYYY}', '\n{YYYY}'];
  const timed = (ms: number, text: string) => [
    ...[ms, text, newDay, null, '\n{D} {MMM}', null, null, null, 1],
  ];
  const dated = (ms: number, text: string) => [
    ...[ms, text, newYear, null, null, null, null, null, 1],
  ];
  return {
    // No nearer than buckets are. A mean month is a little longer than that of uPlot.
    space: (_, __, min, max, width) => Math.max(SPACE, (stepMs * 0.95 * width) / (max - min)),
    ...(stepMs % WEEK === 0 && {
      splits: (_, __, min, max, interval) =>
        starts
          .filter((ms) => ms >= min && ms <= max)
          .filter((___, index) => index % Math.ceil(interval / stepMs) === 0),
    }),
    values: [
      [YEAR, '{YYYY}', null, null, null, null, null, null, 1],
      dated(MONTH, '{MMM}'),
      dated(DAY_MS, '{D} {MMM}'),
      timed(MINUTE, '{HH}:{mm}'),
      timed(1000, '{HH}:{mm}:{ss}'),
      timed(1, '{HH}:{mm}:{ss}.{fff}'),
    ],
  };
}
