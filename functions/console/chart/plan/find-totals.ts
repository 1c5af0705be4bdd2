// Finds the totals that ROLLUP adds to rows: among their parts they would be counted twice.
import { addUp, negated } from './add-up.ts';
import type { ChartColumn, ChartRow } from './chart-plan.ts';
import { mayAddUp } from './may-add-up.ts';

/**
 * Indices of the rows without the last of these names, if each of them is the sum of the other rows of its group that
 * share its other names. A null that happens to equal one row, or a zero among zeros, shows no sum.
 */
export function findTotals(
  groups: readonly (readonly number[])[],
  rows: readonly ChartRow[],
  names: readonly ChartColumn[],
  numbers: readonly ChartColumn[],
): Set<number> {
  const summed = numbers.filter(mayAddUp);
  const last = names.at(-1)?.name;
  if (last === undefined) return new Set();
  const isMissing = (index: number, name: string): boolean => rows[index]?.[name] == null;
  const totals = new Set<number>();
  let isShown = false;
  for (const group of groups) {
    const parts = group.filter((index) => !isMissing(index, last));
    for (const total of group.filter((index) => isMissing(index, last))) {
      const given = names.filter(({ name }) => !isMissing(total, name));
      const own = parts.filter((part) =>
        given.every(({ name }) => rows[part]?.[name] === rows[total]?.[name]),
      );
      for (const { name } of summed) {
        const value = rows[total]?.[name];
        const difference = addUp([...own.map((part) => rows[part]?.[name]), negated(value)]);
        if (Number(difference ?? 0) !== 0) return new Set();
        isShown ||= own.length > 1 && Number(value) !== 0;
      }
      totals.add(total);
    }
  }
  return isShown ? totals : new Set();
}
