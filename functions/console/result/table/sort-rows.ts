// Sorts the rows by a column.
import { exactText, isNumeric } from '../../chart/plan/format-value.ts';
import type { Column, Row } from '../../service.ts';
import { addUp, negated } from '../../chart/plan/add-up.ts';

/** Which column the table is sorted by; kept while the same endpoint is refreshed. */
export interface Sorting {
  column: string;
  direction: 'ascending' | 'descending';
}

/** Indices of the rows in their new order; nulls are always last. */
export function sortRows(
  columns: readonly Column[],
  rows: readonly Row[],
  sorting: Sorting | undefined,
): number[] {
  const indices = rows.map((_, index) => index);
  const column = columns.find(({ name }) => name === sorting?.column);
  if (sorting === undefined || column === undefined) return indices;
  const sign = sorting.direction === 'ascending' ? 1 : -1;
  const compare = isNumeric(column) ? compareNumbers : compareTexts;
  const values = rows.map((row) => row[column.name] ?? null);
  return indices.sort((a, b) => {
    const [left, right] = [values[a], values[b]];
    if (left === null || right === null) return Number(left === null) - Number(right === null);
    return sign * compare(left, right, column.type);
  });
}

/** Decimals that differ may be the same binary fraction: with every digit, but for exponents. NaN is the least. */
export function compareNumbers(left: unknown, right: unknown, type: string): number {
  const [a, b] = [Number(left), Number(right)];
  if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(b)) - Number(Number.isNaN(a));
  if (a !== b) return a < b ? -1 : 1;
  if (type === 'FLOAT64' || left === right || /[ey]/i.test(String(left) + String(right))) return 0;
  return Number(addUp([left, negated(right)]));
}

function compareTexts(left: unknown, right: unknown): number {
  const [before, after] = [exactText(left), exactText(right)];
  return before < after ? -1 : Number(before !== after);
}
