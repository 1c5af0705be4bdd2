// Of series that have no sum, both the far outlier and the lasting difference are drawn.
import { chooseSeries } from '../../../functions/console/chart/plan/choose-series.ts';
import { cpuMs } from '../../support/process.ts';

const LOAD = { name: 'load', type: 'FLOAT64', mode: 'NULLABLE' };
const MOMENTS = 12;

/** A series that is zero but at some moments. */
const series = (name: string, values: Record<number, number>) => ({
  name,
  rows: new Map(Array.from({ length: MOMENTS }, (_, at) => [at, { load: values[at] ?? 0 }])),
});
/** Eight series, each out at moments of its own: the even ones above, the odd ones below. */
const others = (size: number, count: number) =>
  Array.from({ length: 8 }, (_, index) => {
    const from = Math.floor(index / 2) * count;
    const value = index % 2 === 0 ? size : -size;
    return series(
      `other-${index}`,
      Object.fromEntries(Array.from({ length: count }, (_, at) => [from + at, value])),
    );
  });
const always = Object.fromEntries(Array.from({ length: MOMENTS }, (_, at) => [at, 2]));

it.each([
  ['far out once, where others are out thrice, and by more in all', { 11: 50 }, others(20, 3)],
  ['a little out always, where others are farther out once', always, others(6, 1)],
])('draws the series that is %s', (_, values, rest) => {
  expect(chooseSeries([LOAD], [...rest, series('mine', values)]).has('mine')).toBe(true);
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
