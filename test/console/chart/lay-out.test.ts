// Tests of the positions of a chart's marks: ticks have distinct labels, and no text is cut off or covered.
import type { ChartInput, Drawn } from '../../../functions/console/chart/plan/chart-plan.ts';
import { layOut } from '../../../functions/console/chart/drawing/lay-out.ts';
import type { Mark } from '../../../functions/console/chart/drawing/drawing.ts';
import { placeLabels } from '../../../functions/console/chart/drawing/place-labels.ts';
import { timeTicks } from '../../../functions/console/chart/drawing/time-ticks.ts';
import { toSvg } from '../../../functions/console/chart/drawing/to-svg.ts';
import { valueTicks } from '../../../functions/console/chart/drawing/value-ticks.ts';
import { planChart } from '../../../functions/console/chart/plan/plan-chart.ts';
import { CLOCK_RESULTS } from './clock-results.ts';
import { RESULTS, each, fourHours, hourly, hours, result } from './results.ts';
import { SERIES_RESULTS } from './series-results.ts';
import { VALUE_RESULTS } from './value-results.ts';

const measure = (text: string): number => 6.5 * [...text].length;
const ALL = { ...RESULTS, ...VALUE_RESULTS, ...SERIES_RESULTS, ...CLOCK_RESULTS };
const drawn = Object.entries(ALL).flatMap(([name, input]) => {
  const plan = planChart(input);
  return plan.kind === 'drawn' ? [[name, plan] as const] : [];
});

type Text = Mark & { kind: 'text' };

function rangeOf({ x, text, align }: Text): [number, number] {
  const width = measure(text);
  const left = { left: x, center: x - width / 2, right: x - width }[align];
  return [left, left + width];
}

const laidOut = (plan: Drawn, width: number) =>
  layOut(plan, { width, hidden: new Set(), isNamed: true, measure });

describe.each([320, 700, 1100])('at %i px', (width) => {
  it.each(drawn)('no text is cut or alike, and no mark has no place: %s', (_, plan) => {
    const { panels, namesX = 0 } = laidOut(plan, width);
    expect(panels).toHaveLength(plan.panels.length);
    for (const [index, { marks, height, names = [] }] of panels.entries()) {
      const places = marks.flatMap((mark) =>
        Object.values(mark).flatMap((value) => (typeof value === 'number' ? value : [])),
      );
      expect(places.filter((place) => !Number.isFinite(place))).toEqual([]);
      const texts = marks.filter((mark) => mark.kind === 'text');
      for (const text of texts) {
        const [left, right] = rangeOf(text);
        expect([text.text, left >= -0.01, right <= width + 0.01]).toEqual([text.text, true, true]);
        expect(text.y).toBeLessThanOrEqual(height);
      }
      const apart = names
        .toSorted((a, b) => a - b)
        .slice(1)
        .map((y, before) => y - (names.toSorted((a, b) => a - b)[before] ?? 0));
      // As high as a button must be for a finger, and inside.
      expect(Math.min(...apart, Infinity)).toBeGreaterThanOrEqual(23.99);
      expect(Math.max(...names, 0)).toBeLessThanOrEqual(height - 12);
      const series = names.length === 0 ? [] : (plan.panels[index]?.series ?? []);
      for (const { label, texts: values } of series) {
        const widths = values.map(measure);
        const ofName = Math.min(measure(label), 140) + Math.max(...widths) + 28;
        expect([label, namesX + ofName <= width]).toEqual([label, true]);
      }
      const onLeft = texts.filter(({ align }) => align === 'right').map(({ text }) => text);
      expect(new Set(onLeft).size).toBe(onLeft.length);
    }
  });

  it.each(drawn.filter(([, { axis }]) => axis === 'time'))(
    'no two times are alike or touch: %s',
    (_, plan) => {
      const { panels } = laidOut(plan, width);
      const { marks = [], height = 0 } = panels[0] ?? {};
      const texts = marks.filter((mark) => mark.kind === 'text');
      const line = (y: number): Text[] => texts.filter((text) => text.y === height - y);
      // A second line, where there is one, is the last.
      const [labels, below] = line(23).length > 0 ? [line(23), line(9)] : [line(9), []];
      expect(labels.length).toBeGreaterThan(0);
      const whole = labels.map(
        ({ text, x }) => `${text} ${below.find((other) => other.x === x)?.text ?? ''}`,
      );
      expect(new Set(whole).size).toBe(whole.length);
      for (const [index, label] of labels.slice(1).entries()) {
        expect(rangeOf(label)[0]).toBeGreaterThan(rangeOf(labels[index] ?? label)[1]);
      }
    },
  );
});

it.each([
  ['a rate', [0.005, 0.02], 4, false, ['0', '0.005', '0.010', '0.015', '0.020']],
  ['quarters', [0.3, 1], 4, false, ['0', '0.25', '0.50', '0.75', '1.00']],
  ['whole numbers', [0, 1], 4, true, ['0', '1']],
  ['whole numbers in steps that are none', [0, 10], 4, true, ['0', '5', '10']],
  ['thousands', [1999], 4, false, ['0', '500', '1,000', '1,500', '2,000']],
  ['many thousands', [9_999, 10_000], 4, true, ['0', '2.5K', '5.0K', '7.5K', '10.0K']],
  ['millions', [1_200_000], 3, true, ['0', '0.5M', '1.0M', '1.5M']],
  ['below zero', [-30, 25], 4, false, ['-40', '-20', '0', '20', '40']],
  ['zeros', [0, 0], 2, true, ['0', '1']],
  ['nothing', [], 2, false, ['0', '0.5', '1.0']],
  ['huge', [9.3e18], 2, false, ['0', '5e18', '1.0e19']],
  ['tiny', [2e-9], 2, false, ['0', '1e-9', '2e-9']],
])('ticks of %s have the digits of their step', (_, values, about, isWhole, expected) => {
  expect(valueTicks(values, about, isWhole).ticks.map(({ label }) => label)).toEqual(expected);
});

it.each([
  ['a strip far below zero', [-9, -11], 4, false, -11.1, -8.9, ['-11', '-10', '-9']],
  ['both sides of zero', [-3, 4], 4, false, -3.35, 4.35, ['-2', '0', '2', '4']],
  ['one value', [-20, -20], 4, false, -22, -18, ['-22', '-21', '-20', '-19', '-18']],
  ['one whole value', [5, 5], 4, true, 4, 6, ['4', '5', '6']],
  ['zero alone', [0, 0], 2, false, 0, 1, ['0', '0.5', '1.0']],
  ['nothing', [], 2, false, 0, 1, ['0', '0.5', '1.0']],
  ['zero near', [1, 40_000], 4, false, 0, 40_000, ['0', '10K', '20K', '30K', '40K']],
  [
    'a little of much',
    [1e9, 1e9 + 10],
    2,
    false,
    999_999_999.5,
    1e9 + 10.5,
    ['1,000,000,000', '1,000,000,010'],
  ],
  [
    'less than is told apart',
    [1e16, 1e16 + 2],
    2,
    false,
    9e15,
    1.1e16 + 2,
    ['9e15', '1.0e16', '1.1e16'],
  ],
])(
  'an axis that fits its values has a margin and round ticks: %s',
  (_, values, about, isWhole, min, max, expected) => {
    const axis = valueTicks(values, about, isWhole, false);
    expect([axis.min, axis.max]).toEqual([expect.closeTo(min, 3), expect.closeTo(max, 3)]);
    expect(axis.ticks.map(({ label }) => label)).toEqual(expected);
  },
);

it.each([
  ['temperatures below zero, which fit the axis', true],
  ['points of temperatures, which fit the axis', true],
  ['temperatures on both sides of zero', false],
  ['amounts below zero, as texts of NUMERIC', false],
  ['three temperatures, which are bars', false],
] as const)('the axis says if zero is not in it: %s', (name, expected) => {
  const texts = marksOf(VALUE_RESULTS[name]).map((mark) => (mark.kind === 'text' ? mark.text : ''));
  expect(texts.includes('not from 0')).toBe(expected);
});

it('has ticks for the whole range of FLOAT64', () => {
  const { min, max, ticks } = valueTicks([-1.7e308, 1.7e308], 2, false);
  expect([min, max].every(Number.isFinite)).toBe(true);
  expect(ticks.length).toBeGreaterThanOrEqual(3);
  expect(valueTicks([5e-324], 2, false).ticks.length).toBeGreaterThan(1);
  for (const values of [[-1.7e308, 1.7e308], [1.7e308], [5e-324], [1e308, 1.7e308]]) {
    const fitted = valueTicks(values, 2, false, false);
    expect([fitted.min, fitted.max].every(Number.isFinite)).toBe(true);
    expect(fitted.max).toBeGreaterThan(fitted.min);
    expect(fitted.ticks.length).toBeGreaterThan(1);
  }
});

const HOUR = 3_600_000;
const ticksOf = (
  from: string,
  hours: number,
  timeZone: string,
  stepMs: number,
  countMax: number,
) => {
  const fromMs = Date.parse(from);
  const count = (hours * HOUR) / stepMs;
  const startsMs = Array.from({ length: count }, (_, index) => fromMs + index * stepMs);
  const axis = { fromMs, toMs: fromMs + hours * HOUR, timeZone, year: 2026, stepMs, startsMs };
  return timeTicks(axis, (ticks) => ticks.length <= countMax).map(({ label, below }) =>
    below === '' ? label : `${label} ${below}`,
  );
};

const TICKS: Record<string, [Parameters<typeof ticksOf>, string[]]> = {
  'two days of hours': [
    ['2026-11-21T14:00:00Z', 25, 'UTC', HOUR, 7],
    ['16:00 21 Nov', '20:00', '00:00 22 Nov', '04:00', '08:00', '12:00'],
  ],
  'hours of which some come again on the next day': [
    ['2026-11-21T14:00:00Z', 27, 'UTC', HOUR, 5],
    ['18:00 21 Nov', '00:00 22 Nov', '06:00', '12:00'],
  ],
  'hours of which all come again on the next day': [
    ['2026-11-21T14:00:00Z', 26, 'UTC', HOUR, 14],
    [
      ...['14:00 21 Nov', '16:00', '18:00', '20:00', '22:00', '00:00 22 Nov', '02:00', '04:00'],
      ...['06:00', '08:00', '10:00', '12:00', '14:00 22 Nov'],
    ],
  ],
  'an hour that comes twice when the clock is set back': [
    ['2026-11-01T04:00:00Z', 5, 'America/New_York', HOUR, 6],
    ['00:00 1 Nov', '01:00', '02:00', '03:00'],
  ],
  'hours that start half an hour beside those of the clock': [
    ['2026-11-22T10:00:00Z', 12, 'Asia/Kolkata', HOUR, 5],
    ['18:30 22 Nov', '21:30', '00:30 23 Nov'],
  ],
  minutes: [
    ['2026-11-22T10:00:00Z', 1, 'UTC', 60_000, 7],
    ['10:00 22 Nov', '10:10', '10:20', '10:30', '10:40', '10:50'],
  ],
  'a week of days': [
    ['2026-11-16T00:00:00Z', 168, 'UTC', 24 * HOUR, 10],
    ['16 Nov', '17 Nov', '18 Nov', '19 Nov', '20 Nov', '21 Nov', '22 Nov'],
  ],
  'days over the end of a year': [
    ['2025-12-30T00:00:00Z', 96, 'UTC', 24 * HOUR, 10],
    ['30 Dec 2025', '31 Dec', '1 Jan 2026', '2 Jan'],
  ],
};

it.each(Object.entries(TICKS))('ticks of %s are round and not alike', (_, [given, expected]) => {
  expect(ticksOf(...given)).toEqual(expected);
});

/** The marks of the only panel. */
function marksOf(input: ChartInput): readonly Mark[] {
  const plan = planChart(input);
  if (plan.kind !== 'drawn') throw new Error(plan.text);
  return laidOut(plan, 1000).panels[0]?.marks ?? [];
}

it('breaks lines at gaps, and dashes the way to a bucket that is not over', () => {
  const rows = hours(1, 2, undefined, undefined, 5, 6, undefined, 8, undefined, 10, 11, 12);
  const computedAtMs = Date.parse('2026-11-22T21:20:00Z');
  const marks = marksOf(hourly('latency FLOAT64 ms', rows, { computedAtMs })).flatMap((mark) => {
    if (mark.kind === 'path') return `${mark.points.length}${mark.isDashed ? ' dashed' : ''}`;
    return mark.kind === 'dot' ? 'dot' : [];
  });
  expect(marks).toEqual(['2', '2', 'dot', '2', '2 dashed']);
});

it('draws the smaller of two bars in front and narrower, and high enough to be seen', () => {
  const marks = marksOf(hourly('errors INT64, calls INT64', fourHours(1, 1_000_000)));
  const bars = marks.flatMap((mark) =>
    mark.kind === 'bar' ? [[mark.ink, mark.width, Math.round(mark.height)]] : [],
  );
  expect(bars.slice(0, 2)).toEqual([
    [1, 48, 250],
    [0, 24, 1],
  ]);
});

it('has one tick for a start, however long nothing starts after it', () => {
  const startsMs = [0, 20 * HOUR];
  const axis = { fromMs: 0, toMs: 21 * HOUR, timeZone: 'UTC', year: 1970, stepMs: HOUR, startsMs };
  expect(timeTicks(axis, () => true).map(({ label }) => label)).toEqual(['00:00', '20:00']);
});

it.each([
  ['P1D', '2026-10-29T04:00:00Z 2026-10-30T04:00:00Z 2026-11-05T05:00:00Z 2026-11-06T05:00:00Z'],
  ['P1M', '2026-01-01T05:00:00Z 2026-02-01T05:00:00Z 2026-11-01T04:00:00Z 2026-12-01T05:00:00Z'],
])('has a tick at each start of %s in a gap, over changes of clocks too', (step, starts) => {
  const bucket = { column: 'at', step, zone: 'America/Toronto' };
  const options = { bucket, timeZone: 'America/Toronto' };
  const marks = marksOf(result('at TIMESTAMP, load FLOAT64', each(starts), options));
  const texts = marks.flatMap((mark) => (mark.kind === 'text' ? mark.text : []));
  const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');
  const days = ['29 Oct', '30 Oct', '31 Oct', ...[1, 2, 3, 4, 5, 6].map((day) => `${day} Nov`)];
  const expected = step === 'P1M' ? months : days;
  expect(texts.filter((text) => expected.includes(text))).toEqual(expected);
});

it('draws of thousands of instants the lowest and the highest of each span, and says so', () => {
  const rows = Array.from({ length: 5000 }, (_, index) => [
    new Date(Date.UTC(2026, 10, 1) + index * 60_000).toISOString(),
    index === 1234 ? 99 : Math.sin(index),
  ]);
  const input = result('at TIMESTAMP, load FLOAT64', rows);
  const dots = marksOf(input).filter((mark) => mark.kind === 'dot');
  expect(dots.length).toBeGreaterThan(300);
  expect(dots.length).toBeLessThanOrEqual(503);
  expect(planChart(input).text).toMatch(
    /load: .*highest 99 at .*, last .*Of 5,000 times, only the lowest and the highest/,
  );
});

it.each([
  [[10, 10, 10], 10, 100, [10, 34, 58]],
  [[95, 99, 20], 10, 100, [76, 100, 20]],
  [[50], 10, 100, [50]],
  [[1, 2, 3], 0, 20, undefined],
])('places the labels %j apart, and inside', (wanted, top, bottom, expected) => {
  expect(placeLabels(wanted, top, bottom)).toEqual(expected);
});

it('a picture says what it does not show, in lines that fit', () => {
  const colours = { others: '#888', text: '#000', muted: '#666', line: '#ddd', edge: '#ccc' };
  const theme = { ...colours, sunken: '#eee', surface: '#fff', fontFamily: 'x', series: ['#00f'] };
  const plan = planChart({
    ...SERIES_RESULTS['a filter of a value: other rows are gaps, and names stay'],
  });
  if (plan.kind !== 'drawn') throw new Error('The chart is drawn.');
  const long = `Not drawn: ${Array.from({ length: 60 }, (_, index) => `truck-${index}`).join(', ')}.`;
  const noted = { ...plan, notes: [...plan.notes, long] };
  const svg = toSvg(noted, { title: 'fleet', theme, hidden: new Set(['t2']), measure });
  const texts = [...svg.matchAll(/<text[^>]*>([^<]*)/g)].map(([, text = '']) => text);
  expect(texts).toEqual(expect.arrayContaining(['Filtered: 4 of 12 rows.', 'Hidden: t2.']));
  // Nothing of it is cut, nor are the values of what is hidden in the description.
  expect(texts.join(' ')).toContain(long);
  expect(svg).toContain('<desc></desc>');
  expect(Math.max(...texts.map(measure))).toBeLessThanOrEqual(920);
});
