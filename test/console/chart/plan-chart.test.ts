// What a chart of each result must show: nothing that is not in the rows, and nothing that the definition does not mean.
import type {
  ChartPlan,
  Moment,
  Series,
} from '../../../functions/console/chart/plan/chart-plan.ts';
import { planChart } from '../../../functions/console/chart/plan/plan-chart.ts';
import { CASES, inputOf } from './results.ts';

/**
 * A line for the moments: `(…)` has no rows, `[…]` has none and they mean zero, `~` is dashed. A line for each panel:
 * its mark, title, unit and the values of its series, where `·` is nothing and `|` a gap; `from zero` where the axis
 * must have the zero, which bars always need. A line for each note.
 */
function shown(plan: ChartPlan): string[] {
  if (plan.kind === 'none' || plan.kind === 'table') return [`${plan.kind}: ${plan.text}`];
  if (plan.kind === 'figures') {
    const figures = plan.figures.map(({ label, value, unit }) =>
      `${label}=${value} ${unit}`.trim(),
    );
    return [`figures${plan.when === '' ? '' : ` ${plan.when}`}: ${figures.join(', ')}`];
  }
  const { axis, moments, panels, notes } = plan;
  return [
    `${axis}: ${moments.map(momentText).join(', ')}`,
    ...panels.map(({ mark, title, unit, hasZero, series }) => {
      const lines = series.map((one) => `${one.label}=${valuesOf(one, moments)}`);
      const scale = hasZero === (mark === 'bars') ? '' : `, ${hasZero ? '' : 'not '}from zero`;
      return `${mark} ${title}${unit === '' ? '' : ` [${unit}]`}${scale}: ${lines.join('; ')}`;
    }),
    ...notes,
  ];
}

function momentText({ label, state }: Moment): string {
  if (state === 'missing') return `(${label})`;
  if (state === 'zero') return `[${label}]`;
  return state === 'whole' ? label : `${label}~`;
}

function valuesOf({ values, texts }: Series, moments: readonly Moment[]): string {
  return moments
    .map(({ state }, index) => {
      if (state === 'missing') return '|';
      const text = (texts[index] ?? '').replaceAll(',', '');
      return text === '' || text === 'no value' ? '·' : text || String(values[index]);
    })
    .join(' ');
}

it.each([...CASES])('shows %s', (_, { input, shown: expected }) => {
  expect(shown(planChart(input))).toEqual(expected.split('\n'));
});

it.each([
  [
    'three units of each severity',
    [
      ['critical 0', 'warning 1', 'info 2'],
      ['critical 0', 'warning 1', 'info 2'],
      ['critical 0', 'warning 1', 'info 2'],
    ],
  ],
  [
    'twelve countries with averages, which cannot be added up',
    [['DE 0', 'FR 1', 'GB 2', 'IT 3', 'CH 4', 'DK 5', 'FI 6']],
  ],
  [
    'twelve countries a day: the largest seven and the sum of the others',
    [['PL 0', 'NL 1', 'SE 2', 'AT 3', 'CH 4', 'DK 5', 'FI 6']],
  ],
  [
    'counts and temperatures of nine trucks: the temperatures choose, because they have no sum',
    [
      ['t1 0', 't2 1', 't3 2', 't6 3', 't7 4', 't8 5', 't9 6'],
      ['t1 0', 't2 1', 't3 2', 't6 3', 't7 4', 't8 5', 't9 6'],
    ],
  ],
] as const)('gives a name a colour of its own, the same in all panels: %s', (name, expected) => {
  const plan = planChart(inputOf(name));
  const panels = plan.kind === 'drawn' ? plan.panels.map(({ series }) => series) : [];
  const colours = panels.map((series) =>
    series.map(({ label, colour }) => `${label} ${String(colour)}`),
  );
  expect(colours.map((list) => list.filter((text) => !text.includes('others')))).toEqual(expected);
  // Whatever the sum of the others has, no name has it.
  const apart = panels.map((series) => new Set(series.map(({ colour }) => colour)).size);
  expect(apart).toEqual(panels.map((series) => series.length));
});

it('draws nothing for values that are not finite numbers', () => {
  const plan = planChart(inputOf('NaN, infinities and the ends of FLOAT64'));
  const values = plan.kind === 'drawn' && plan.panels[0]?.series[0]?.values;
  expect(values).toEqual([null, null, 1.7e308, 5e-324]);
});

it.each([
  [
    'hours without a row',
    'Latency in ms from 22 Nov 10:00 to 22 Nov 17:00. latency: lowest 1 at 22 Nov 10:00, highest 8 at 22 Nov 17:00, last 8. No rows: 22 Nov 12:00 – 22 Nov 13:00, 22 Nov 16:00.',
  ],
  [
    'an hour that is not over',
    'Count per hour from 22 Nov 10:00 to 22 Nov 13:00. count: lowest 1 at 22 Nov 13:00, highest 4 at 22 Nov 10:00, last 1. Dashed: the hour from 22 Nov 13:00 is not complete yet.',
  ],
  ['a number for each name', 'Orders of DE, FR and GB. orders: lowest 2 at FR, highest 3 at DE.'],
] as const)('describes %s in words', (name, text) => {
  expect(planChart(inputOf(name)).text).toBe(text);
});
