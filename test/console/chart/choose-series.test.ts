// Of series that have no sum, both the far outlier and the lasting difference are drawn.
import { chooseSeries } from '../../../functions/console/chart/plan/choose-series.ts';
import { cpuMs } from '../../support/process.ts';

const LOAD = { name: 'load', type: 'FLOAT64', mode: 'NULLABLE' };

const always = Object.fromEntries(Array.from({ length: 12 }, (_, at) => [at, 2]));
it.each([
  ['far out once, where others are out thrice, and by more in all', { 11: 50 }, 20, 3],
  ['a little out always, where others are farther out once', always, 6, 1],
])('draws the series that is %s', (_, mine, size, count) => {
  /** A series that is zero but at some of twelve moments. */
  const series = (name: string, values: Record<number, number>) => ({
    name,
    rows: new Map(Array.from({ length: 12 }, (__, at) => [at, { load: values[at] ?? 0 }])),
  });
  // Eight series, each out at moments of its own: the even ones above, the odd ones below.
  const others = Array.from({ length: 8 }, (__, index) => {
    const from = Math.floor(index / 2) * count;
    const value = index % 2 === 0 ? size : -size;
    const out = Array.from({ length: count }, (___, at) => [from + at, value]);
    return series(`other-${index}`, Object.fromEntries(out) as Record<number, number>);
  });
  expect(chooseSeries([LOAD], [...others, series('mine', mine)]).has('mine')).toBe(true);
});

it('chooses of 10,000 series within the time of a glance', () => {
  const many = Array.from({ length: 10_000 }, (_, index) => ({
    name: `series-${index}`,
    rows: new Map([[index % 500, { load: index }]]),
  }));
  const startedMs = cpuMs();
  expect(chooseSeries([LOAD], many).size).toBe(7);
  expect(cpuMs() - startedMs).toBeLessThan(1000);
});
