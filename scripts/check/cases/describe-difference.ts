// Describes how two results differ, in lines of text: rows that are missing, unexpected or different.
import { diff } from 'node:util';
import { isObject } from '../../../functions/core/json.ts';

/** The place of a row in each result that has it; a row that is in both is different in them. */
interface Step {
  expected?: number;
  actual?: number;
}

export interface Names {
  expected: string;
  actual: string;
}

/** Further lines are only counted. */
const LINES_MAX = 12;
const VALUE_LENGTH_MAX = 160;
/** If both sides together have more rows than this, rows are compared only by place: memory grows with the square. */
const COMPARED_ROWS_MAX = 4000;

/** No lines if both have equal rows in the same order. */
export function describeDifference(
  expected: readonly unknown[],
  actual: readonly unknown[],
  names: Names = { expected: 'expected', actual: 'got' },
): string[] {
  const [before, after] = [expected.map(sortedText), actual.map(sortedText)];
  const steps = pairRows();
  if (steps.length === 0) return [];
  if (before.toSorted().join('\n') === after.toSorted().join('\n')) {
    const index = before.findIndex((row, at) => row !== after[at]);
    return [
      'the same rows in another order:',
      `row ${index + 1} ${names.expected}: ${text(expected[index])}`,
      `row ${index + 1} ${names.actual}: ${text(actual[index])}`,
    ];
  }
  const lines = steps.flatMap(describeStep);
  if (lines.length <= LINES_MAX) return lines;
  const shown = lines.slice(0, LINES_MAX - 1);
  return [...shown, `and ${lines.length - shown.length} more lines; ${steps.length} rows differ`];

  function describeStep({ expected: left, actual: right }: Step): string[] {
    if (right === undefined)
      return left === undefined ? [] : [`missing row ${left + 1}: ${text(expected[left])}`];
    if (left === undefined) return [`unexpected row ${right + 1}: ${text(actual[right])}`];
    const [one, other] = [columnsOf(expected[left]), columnsOf(actual[right])];
    const valueText = (row: Columns, name: string): string =>
      Object.hasOwn(row, name) ? text(row[name]) : 'no such column';
    return [...new Set([...Object.keys(other), ...Object.keys(one)])]
      .filter((name) => !isSameColumn(one, other, name))
      .map(
        (name) =>
          `row ${left + 1}, ${name}: ${names.expected} ${valueText(one, name)}, ${names.actual} ${valueText(other, name)}`,
      );
  }

  /** A longest common subsequence of equal rows; between them, rows that are alike make pairs. */
  function pairRows(): Step[] {
    const found: Step[] = [];
    let [left, right] = [0, 0];
    let [missing, unexpected]: [number[], number[]] = [[], []];
    for (const side of [...sidesOf(before, after), 0]) {
      if (side > 0) missing.push(left++);
      else if (side < 0) unexpected.push(right++);
      else {
        found.push(...pairAlike(missing, unexpected));
        [missing, unexpected] = [[], []];
        left++;
        right++;
      }
    }
    return found;
  }

  /** Pairs each missing row, in order, with the unexpected one after the last pair that is most like it. */
  function pairAlike(missing: readonly number[], unexpected: readonly number[]): Step[] {
    const found: Step[] = [];
    let rest = unexpected;
    for (const left of missing) {
      const scores = rest.map((right) => likeness(expected[left], actual[right]));
      const best = Math.max(0, ...scores);
      const place = best > 0 ? scores.indexOf(best) : -1;
      const right = rest[place];
      found.push(...rest.slice(0, Math.max(place, 0)).map((index) => ({ actual: index })));
      found.push({ expected: left, ...(right !== undefined && { actual: right }) });
      rest = rest.slice(place + 1);
    }
    return [...found, ...rest.map((index) => ({ actual: index }))];
  }
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

/** The rows of both in their order: 1 for a row only in expected, -1 for one only in actual, 0 for one in both. */
function sidesOf(expected: readonly string[], actual: readonly string[]): number[] {
  const rows = expected.length + actual.length;
  // Node's diff fails for two empty lists.
  if (rows > 0 && rows <= COMPARED_ROWS_MAX) {
    return diff(expected, actual).map(([side]) => side);
  }
  const places = Array.from({ length: Math.max(expected.length, actual.length) });
  return places.flatMap((_, place) => {
    if (expected[place] === actual[place]) return [0];
    return [...(place < expected.length ? [1] : []), ...(place < actual.length ? [-1] : [])];
  });
}

/** The number of equal columns; 0 for rows that are not of the same thing: neither the first column nor half are equal. */
function likeness(expected: unknown, actual: unknown): number {
  const [left, right] = [columnsOf(expected), columnsOf(actual)];
  const names = Object.keys(right);
  const [first = ''] = names;
  const equal = names.filter((name) => isSameColumn(left, right, name)).length;
  if (isSameColumn(left, right, first)) return names.length + equal;
  return equal * 2 > names.length ? equal : 0;
}

type Columns = Readonly<Record<string, unknown>>;

/** A column that one row lacks has no text there. */
function isSameColumn(left: Columns, right: Columns, name: string): boolean {
  return sortedText(left[name]) === sortedText(right[name]);
}

function columnsOf(row: unknown): Columns {
  return isObject(row) ? row : {};
}
