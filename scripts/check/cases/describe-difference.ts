// Describes how two results differ, in lines of text: rows that are missing, unexpected or different.
import { isObject, membersOf } from '../../../functions/core/json.ts';
import { firstOf } from '../../cli/table.ts';

export interface Names {
  expected: string;
  actual: string;
}

/** Further lines are only counted. */
const LINES_MAX = 12;
const VALUE_LENGTH_MAX = 160;

/** No lines if both have equal rows in the same order. Rows with the same first column are compared column by column. */
export function describeDifference(
  expected: readonly unknown[],
  actual: readonly unknown[],
  names: Names = { expected: 'expected', actual: 'got' },
): string[] {
  const [before, after] = [expected.map(sortedText), actual.map(sortedText)];
  const [missing, unexpected] = [placesOnlyIn(before, after), placesOnlyIn(after, before)];
  if (missing.length === 0 && unexpected.length === 0) {
    const index = before.findIndex((row, at) => row !== after[at]);
    if (index < 0) return [];
    return [
      'the same rows in another order:',
      `row ${index + 1} ${names.expected}: ${text(expected[index])}`,
      `row ${index + 1} ${names.actual}: ${text(actual[index])}`,
    ];
  }
  // The case may have written the columns in another order.
  const [first = ''] = Object.keys(membersOf(actual[0]));
  const firstColumn = (row: unknown): string => sortedText(membersOf(row)[first]);
  const byFirst = Map.groupBy(unexpected, (index) => firstColumn(actual[index]));
  const lines = missing.flatMap((index) => {
    const partner = byFirst.get(firstColumn(expected[index]))?.shift();
    return partner === undefined
      ? [`missing row ${index + 1}: ${text(expected[index])}`]
      : describeColumns(index, expected[index], actual[partner]);
  });
  const alone = [...byFirst.values()].flat().sort((a, b) => a - b);
  lines.push(...alone.map((index) => `unexpected row ${index + 1}: ${text(actual[index])}`));
  return firstOf(lines, LINES_MAX);

  function describeColumns(index: number, left: unknown, right: unknown): string[] {
    const [one, other] = [membersOf(left), membersOf(right)];
    const valueText = (row: Columns, name: string): string =>
      Object.hasOwn(row, name) ? text(row[name]) : 'no such column';
    return [...new Set([...Object.keys(other), ...Object.keys(one)])]
      .filter((name) => sortedText(one[name]) !== sortedText(other[name]))
      .map(
        (name) =>
          `row ${index + 1}, ${name}: ${names.expected} ${valueText(one, name)}, ${names.actual} ${valueText(other, name)}`,
      );
  }
}

/** The places of the rows that the others do not have, or have less often. */
function placesOnlyIn(rows: readonly string[], others: readonly string[]): number[] {
  const left = new Map<string, number>();
  for (const row of others) left.set(row, (left.get(row) ?? 0) + 1);
  return [...rows.keys()].filter((place) => {
    const row = rows[place] ?? '';
    const count = left.get(row) ?? 0;
    left.set(row, count - 1);
    return count <= 0;
  });
}

function text(value: unknown): string {
  const json = JSON.stringify(value);
  return json.length <= VALUE_LENGTH_MAX ? json : `${json.slice(0, VALUE_LENGTH_MAX)}…`;
}

/** The same text for equal values, in whatever order the case has written the columns and the fields of a STRUCT. */
function sortedText(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    isObject(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

type Columns = Readonly<Record<string, unknown>>;
