// What a chart of each result must show: nothing that is not in the rows, and nothing that the definition does not mean.
import type {
  ChartPlan,
  Moment,
  Series,
} from '../../../functions/console/chart/plan/chart-plan.ts';
import { planChart } from '../../../functions/console/chart/plan/plan-chart.ts';
import { readExpectations } from '../../support/sql/read-expectations.ts';
import { RESULTS } from './results.ts';

const EXPECTED = new Map(readExpectations('test/console/chart/shown.txt')['shown']);

/**
 * A line for the moments: `(…)` has no rows, `[…]` has none and they mean zero, `~` is dashed. A line for each panel:
 * its mark, title, unit and the values of its series, where `·` is nothing and `|` a gap. A line for each note.
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
    ...panels.map(({ mark, title, unit, series }) => {
      const lines = series.map((one) => `${one.label}=${valuesOf(one, moments)}`);
      return `${mark} ${title}${unit === '' ? '' : ` [${unit}]`}: ${lines.join('; ')}`;
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

it.each(Object.entries(RESULTS))('shows %s', (name, input) => {
  expect(shown(planChart(input))).toEqual(EXPECTED.get(name)?.split('\n'));
});

it('draws nothing for values that are not finite numbers', () => {
  const plan = planChart(RESULTS['NaN, infinities and the ends of FLOAT64']);
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
  expect(planChart(RESULTS[name]).text).toBe(text);
});
