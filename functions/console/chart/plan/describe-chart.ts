// Describes in words what a chart shows, for people who do not see it.
import type { Drawn, Moment, Series } from './chart-plan.ts';

const NAMES_MAX = 8;

export function describeChart({ axis, moments, panels, notes }: Omit<Drawn, 'text'>): string {
  const withRows = moments.filter(({ rows }) => rows.length > 0);
  const [first, last] = [withRows[0]?.label ?? '', withRows.at(-1)?.label ?? ''];
  const range =
    axis === 'names'
      ? `of ${listed(moments.map(({ label }) => label))}`
      : `from ${first} to ${last}`;
  const titles = panels.map(({ title, unit }) =>
    unit === '' ? title : unit.startsWith('per ') ? `${title} ${unit}` : `${title} in ${unit}`,
  );
  const gaps = moments.filter(({ state }) => state === 'missing').map(({ label }) => label);
  return [
    `${titles.join('; ')} ${range}.`,
    ...panels.flatMap(({ series }) =>
      series.map((one) => `${one.label}: ${summaryOf(one, moments, axis !== 'names')}.`),
    ),
    ...(gaps.length === 0 ? [] : [`No rows: ${listed(gaps)}.`]),
    ...notes,
  ].join(' ');
}

function summaryOf(series: Series, moments: readonly Moment[], hasLast: boolean): string {
  const { values, textAt } = series;
  let [low, high, last] = [-1, -1, -1];
  values.forEach((value, index) => {
    if (value === null) return;
    last = index;
    if (low === -1 || value < (values[low] ?? 0)) low = index;
    if (high === -1 || value > (values[high] ?? 0)) high = index;
  });
  if (last === -1) return 'no values';
  const at = (index: number): string => `${textAt(index)} at ${moments[index]?.label}`;
  return `lowest ${at(low)}, highest ${at(high)}${hasLast ? `, last ${textAt(last)}` : ''}`;
}

/** With how many are not named. */
function listed(names: readonly string[]): string {
  const [shown, more] = [names.slice(0, NAMES_MAX), names.length - NAMES_MAX];
  return new Intl.ListFormat('en-GB').format(more > 0 ? [...shown, `${more} more`] : shown);
}
