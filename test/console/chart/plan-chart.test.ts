// What a chart of each result must show: nothing that is not in the rows, and nothing that the definition does not mean.
import type {
  ChartPlan,
  Moment,
  Series,
} from '../../../functions/console/chart/plan/chart-plan.ts';
import { planChart } from '../../../functions/console/chart/plan/plan-chart.ts';
import { casesBeside } from '../../support/cases.ts';
import { CASES, inputOf } from './results.ts';

const cases = casesBeside(import.meta.filename);

it.each([...CASES])('shows %s', (_, { input, shown: expected }) => {
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

  function valuesOf({ values, textAt }: Series, moments: readonly Moment[]): string {
    return moments
      .map(({ state }, index) => {
        if (state === 'missing') return '|';
        const text = textAt(index).replaceAll(',', '');
        return text === '' || text === 'no value' ? '·' : text || String(values[index]);
      })
      .join(' ');
  }

  expect(shown(planChart(input))).toEqual(expected.split('\n'));
});

it.each(cases<[string, string, number]>('colours'))(
  'gives a name a colour of its own, the same in all panels: %s',
  (name, expected, count) => {
    const plan = planChart(inputOf(name));
    const panels = plan.kind === 'drawn' ? plan.panels.map(({ series }) => series) : [];
    const colours = panels.map((series) =>
      series
        .filter(({ label }) => !label.includes('others'))
        .map(({ label, colour }) => `${label} ${String(colour)}`)
        .join(', '),
    );
    expect(colours).toEqual(Array<string>(count).fill(expected));
    // Whatever the sum of the others has, no name has it.
    const apart = panels.map((series) => new Set(series.map(({ colour }) => colour)).size);
    expect(apart).toEqual(panels.map((series) => series.length));
  },
);

it('draws nothing for values that are not finite numbers', () => {
  const plan = planChart(inputOf('NaN, infinities and the ends of FLOAT64'));
  const values = plan.kind === 'drawn' && plan.panels[0]?.series[0]?.values;
  expect(values).toEqual([null, null, 1.7e308, 5e-324]);
});

it.each(cases<[string, string]>('words'))('describes %s in words', (name, text) => {
  expect(planChart(inputOf(name))).toMatchObject({ text });
});
