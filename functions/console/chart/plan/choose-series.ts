// Chooses the series to draw where there are many: those that a reader would miss most.
import type { ChartColumn, ChartRow } from './chart-plan.ts';
import { toNumber } from './format-value.ts';
import { mayAddUp } from './may-add-up.ts';

export interface NamedRows {
  name: string;
  /** By the position of their moment. */
  rows: ReadonlyMap<number, ChartRow>;
}

/** Up to this many all are drawn; with more, one fewer, because the others are one more line. */
export const SERIES_MAX = 8;
export const CHOSEN_MAX = 20;

/** The numbers of a series, each with the position of its moment. */
type Values = readonly (readonly [at: number, value: number])[];

/** Names, by the values of this column. `asked` are names that the reader chose; unknown ones are left out. */
export function chooseSeries(
  column: ChartColumn,
  all: readonly NamedRows[],
  asked: readonly string[] = [],
): Set<string> {
  const names = new Set(all.map(({ name }) => name));
  const chosen = [...new Set(asked)].filter((name) => names.has(name)).slice(0, CHOSEN_MAX);
  if (chosen.length > 0) return new Set(chosen);
  if (all.length <= SERIES_MAX) return names;
  const values = all.map(({ rows }): Values =>
    [...rows].flatMap(([at, row]) => {
      const value = toNumber(row[column.name]);
      return value === null ? [] : [[at, value] as const];
    }),
  );
  const order = mayAddUp(column) ? byTotal(values) : byExtension(values);
  return new Set(order.slice(0, SERIES_MAX - 1).map((index) => all[index]?.name ?? ''));
}

/** The largest first: of losses and gains too, however they cancel out. */
function byTotal(all: readonly Values[]): number[] {
  const totals = all.map((values) => values.reduce((sum, [, value]) => sum + Math.abs(value), 0));
  return [...all.keys()].sort((a, b) => (totals[b] ?? 0) - (totals[a] ?? 0));
}

/**
 * First the series that is farthest out of the range of those before it, which begins as the median of each moment.
 * Distances are squared, so that one value far out is not outdone by many that are hardly out.
 */
function byExtension(all: readonly Values[]): number[] {
  const ofMoment = new Map<number, number[]>();
  for (const [at, value] of all.flat()) {
    const values = ofMoment.get(at);
    if (values === undefined) ofMoment.set(at, [value]);
    else values.push(value);
  }
  const ranges = new Map(
    [...ofMoment].map(([at, values]) => {
      const middle = median(values);
      return [at, [middle, middle] as const];
    }),
  );
  const extension = (values: Values): number =>
    values.reduce((sum, [at, value]) => {
      const [low, high] = ranges.get(at) ?? [value, value];
      return sum + Math.max(low - value, value - high, 0) ** 2;
    }, 0);
  const left = new Map(all.map((values, index) => [index, { values, range: rangeOf(values) }]));
  const order: number[] = [];
  while (order.length < SERIES_MAX - 1) {
    let best = { index: -1, added: -1, range: -1 };
    for (const [index, { values, range }] of left) {
      const added = extension(values);
      const isBetter = added === best.added ? range > best.range : added > best.added;
      if (isBetter || best.index === -1) best = { index, added, range };
    }
    order.push(best.index);
    left.delete(best.index);
    for (const [at, value] of all[best.index] ?? []) {
      const [low, high] = ranges.get(at) ?? [value, value];
      ranges.set(at, [Math.min(low, value), Math.max(high, value)]);
    }
  }
  return order;
}

function median(values: number[]): number {
  const sorted = values.sort((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  // Halves, because the sum of two could be Infinity.
  return (sorted[Math.floor(middle)] ?? 0) / 2 + (sorted[Math.ceil(middle)] ?? 0) / 2;
}

/** Less than that of a constant series if there is no value. */
function rangeOf(values: Values): number {
  let [low, high] = [Infinity, -Infinity];
  for (const [, value] of values) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return Math.max(high - low, -1);
}
