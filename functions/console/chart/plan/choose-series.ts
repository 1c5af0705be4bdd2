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

/** Names. `columns` choose in turn; `asked` are names that the reader chose, of which unknown ones are left out. */
export function chooseSeries(
  columns: readonly ChartColumn[],
  all: readonly NamedRows[],
  asked: readonly string[] = [],
  max = SERIES_MAX - 1,
): Set<string> {
  const names = new Set(all.map(({ name }) => name));
  const chosen = new Set(asked.filter((name) => names.has(name)).slice(0, CHOSEN_MAX));
  if (chosen.size > 0) return chosen;
  if (all.length <= Math.max(max, SERIES_MAX)) return names;
  const orders = columns.map((column) => {
    const values = all.map(({ rows }): Values =>
      [...rows].flatMap(([at, row]) => {
        const value = toNumber(row[column.name]);
        return value === null ? [] : [[at, value] as const];
      }),
    );
    return mayAddUp(column) ? byTotal(values) : byDistance(values);
  });
  for (let at = 0; chosen.size < max; at += 1)
    for (const order of orders) if (chosen.size < max) chosen.add(all[order[at] ?? 0]?.name ?? '');
  return chosen;
}

/** The largest first: of losses and gains too, however they cancel out. */
function byTotal(all: readonly Values[]): number[] {
  return inOrder(all.map((values) => values.reduce((sum, [, value]) => sum + Math.abs(value), 0)));
}

/**
 * First the series with the highest and with the lowest value, then those that are farthest from the median of each moment.
 * Distances are squared, so that one value far out is not outdone by many that are hardly out.
 */
function byDistance(all: readonly Values[]): number[] {
  const ofMoment = Map.groupBy(all.flat(), ([at]) => at);
  const medianOf = (pairs: Values): number => median(pairs.map(([, value]) => value));
  const middle = medianOf(all.flat());
  // Of one or two values, each would be its own median.
  const medians = new Map(
    [...ofMoment].map(([at, pairs]) => [at, pairs.length < 3 ? middle : medianOf(pairs)]),
  );
  // A series without values comes last.
  const distances = all.map((values) =>
    values.length === 0
      ? -1
      : values.reduce((sum, [at, value]) => sum + (value - (medians.get(at) ?? 0)) ** 2, 0),
  );
  const ends = [1, -1].flatMap((sign) => {
    const [first] = inOrder(
      all.map((values) => Math.max(...values.map(([, value]) => sign * value))),
    );
    return first ?? [];
  });
  return [...new Set([...ends, ...inOrder(distances)])];
}

/** Positions, of the largest value first. */
function inOrder(values: readonly number[]): number[] {
  return [...values.keys()].sort((a, b) => {
    const [one = 0, other = 0] = [values[a], values[b]];
    return one === other ? 0 : other - one;
  });
}

function median(values: number[]): number {
  const sorted = values.sort((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  // Halves, because the sum of two could be Infinity.
  return (sorted[Math.floor(middle)] ?? 0) / 2 + (sorted[Math.ceil(middle)] ?? 0) / 2;
}
