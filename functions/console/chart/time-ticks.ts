// The ticks of an axis of time: uPlot finds and names them by the clock of the zone.
import type uPlot from 'uplot';
import type { Drawn } from './plan/chart-plan.ts';
import { DAY_MS, onWall } from './plan/zoned-time.ts';

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
  const isThisYear = starts.every((ms) => onWall(ms, timeZone).getUTCFullYear() === year);
  // The day of a time, and the year of a day: on a second line, where it is another one.
  const [newDay, newYear] = isThisYear ? ['\n{D} {MMM}', null] : ['\n{D} {MMM} {YYYY}', '\n{YYYY}'];
  const timed = (ms: number, text: string) => [
    ...[ms, text, newDay, null, '\n{D} {MMM}', null, null, null, 1],
  ];
  const dated = (ms: number, text: string) => [
    ...[ms, text, newYear, null, null, null, null, null, 1],
  ];
  return {
    // A mean month is a little longer than that of uPlot.
    incrs: INTERVALS.filter((ms) => ms >= stepMs * 0.95),
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
      timed(SECOND, '{HH}:{mm}:{ss}'),
      timed(1, '{HH}:{mm}:{ss}.{fff}'),
    ],
  };
}
