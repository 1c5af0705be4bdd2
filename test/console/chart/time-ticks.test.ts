// Ticks of an axis of time are at starts of buckets, round on the clock of its zone, and no two are alike.
import { planChart } from '../../../functions/console/chart/plan/plan-chart.ts';
import {
  intervalsOf,
  tickLabels,
  ticksBetween,
} from '../../../functions/console/chart/time-ticks.ts';
import { CASES, result } from './results.ts';

const [MINUTE, HOUR] = [60_000, 3_600_000];
const DAY = 24 * HOUR;
const MONTH = 30.4 * DAY;

it.each([
  // From, how long, the zone, the step, how far apart ticks are; the second line of a label after a slash.
  [
    '2026-11-21T14:00Z',
    25,
    'UTC',
    HOUR,
    4 * HOUR,
    '16:00/21 Nov 20:00 00:00/22 Nov 04:00 08:00 12:00',
  ],
  ['2026-11-21T14:00Z', 27, 'UTC', HOUR, 6 * HOUR, '18:00/21 Nov 00:00/22 Nov 06:00 12:00'],
  ['2026-11-21T14:00Z', 25, 'UTC', HOUR, 12 * HOUR, '00:00/22 Nov 12:00'],
  // An hour comes twice where the clock is set back, and one is left out where it is set forward.
  ['2026-11-01T04:00Z', 5, 'America/New_York', HOUR, HOUR, '00:00/1 Nov 01:00 02:00 03:00'],
  ['2026-03-08T05:00Z', 4, 'America/New_York', HOUR, HOUR, '00:00/8 Mar 01:00 03:00 04:00'],
  ['2026-11-22T10:00Z', 12, 'Asia/Kolkata', HOUR, 3 * HOUR, '18:30/22 Nov 21:30 00:30/23 Nov'],
  ['2026-11-22T10:00Z', 1, 'UTC', MINUTE, 30 * MINUTE, '10:00/22 Nov 10:30'],
  ['2026-11-22T10:00Z', 1 / 600, 'UTC', 1000, 2000, '10:00:00/22 Nov 10:00:02 10:00:04'],
  ['2026-11-16T00:00Z', 72, 'UTC', DAY, DAY, '16 Nov 17 Nov 18 Nov'],
  ['2026-11-13T00:00Z', 300, 'UTC', DAY, 7 * DAY, '16 Nov 23 Nov'],
  ['2026-11-15T00:00Z', 504, 'UTC', 7 * DAY, 7 * DAY, '22 Nov 29 Nov'],
  ['2025-12-30T00:00Z', 96, 'UTC', DAY, DAY, '30 Dec/2025 31 Dec 1 Jan/2026 2 Jan'],
  ['2025-11-20T00:00Z', 2400, 'UTC', DAY, MONTH, 'Dec/2025 Jan/2026 Feb'],
  ['2025-11-20T00:00Z', 9999, 'UTC', DAY, 12 * MONTH, '2026 2027'],
] as const)('from %s for %s hours in %s', (from, hours, timeZone, stepMs, interval, expected) => {
  const fromMs = Date.parse(from);
  const axis = { timeZone, year: 2026, stepMs };
  const count = (hours * HOUR) / stepMs;
  const starts = Array.from({ length: count }, (_, index) => fromMs + index * stepMs);
  const range = [fromMs, fromMs + hours * HOUR] as const;
  const ticks = ticksBetween(axis, starts, range, interval);
  expect(tickLabels(axis, ticks, interval).join(' ').replaceAll('\n', '/')).toBe(expected);
  // Instants that are no buckets have ticks at any time: in the zone of half hours at others.
  if (!timeZone.startsWith('Asia') && interval < MONTH && stepMs < 7 * DAY)
    expect(ticksBetween(axis, undefined, [fromMs, fromMs + hours * HOUR - 1], interval)).toEqual(
      ticks,
    );
});

it.each([
  ['P1D', DAY, '2026-10-29T04:00Z 2026-10-30T04:00Z 2026-11-05T05:00Z 2026-11-06T05:00Z', 9],
  ['P1M', MONTH, '2026-01-01T05:00Z 2026-02-01T05:00Z 2026-11-01T04:00Z 2026-12-01T05:00Z', 12],
])(
  'are at each start of %s in a gap, over changes of clocks too',
  (step, interval, rows, count) => {
    const zones = 'zone=America/Toronto query=America/Toronto';
    const plan = planChart(result(`at TIMESTAMP, load FLOAT64 | ${step} ${zones} | at: ${rows}`));
    if (plan.kind !== 'drawn' || plan.time === undefined) throw new Error(plan.text);
    const starts = plan.moments.flatMap((moment) => moment.starts ?? moment.startMs);
    expect(ticksBetween(plan.time, starts, [0, Infinity], interval)).toHaveLength(count);
  },
);

it('no two labels of a result are alike, however far ticks are apart', () => {
  for (const [name, { input }] of CASES) {
    const plan = planChart(input);
    if (plan.kind !== 'drawn' || plan.axis !== 'time' || plan.time === undefined) continue;
    const { moments, time } = plan;
    const range = [moments[0]?.startMs ?? 0, moments.at(-1)?.endMs ?? 0] as const;
    const isInstants = range[1] === moments.at(-1)?.startMs;
    const starts = moments.flatMap((moment) => moment.starts ?? moment.startMs);
    const fitting = intervalsOf(time).filter((ms) => (range[1] - range[0]) / ms <= 20);
    for (const interval of fitting) {
      const ticks = ticksBetween(time, isInstants ? undefined : starts, range, interval);
      const labels = tickLabels(time, ticks, interval);
      expect([name, interval, new Set(labels).size]).toEqual([name, interval, ticks.length]);
    }
  }
});
