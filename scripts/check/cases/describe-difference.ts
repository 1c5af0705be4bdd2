// Describes how two results differ, in lines of text: rows that are missing, unexpected or different.
import { diff } from 'node:util';
import { isObject } from '../../../functions/core/json.ts';

type Row = unknown;

/** A row of the one result, of the other, or of both where it differs, with its index in each. */
type Step =
  | { kind: 'different'; expected: number; actual: number }
  | { kind: 'missing'; expected: number }
  | { kind: 'unexpected'; actual: number };

/** How the two results are called. */
export interface Names {
  expected: string;
  actual: string;
}

/** More lines help nobody; the number of the others is told. */
const LINES_MAX = 12;
const VALUE_LENGTH_MAX = 160;
/** Above this number of rows of both sides they are compared by place alone: the memory grows by its square. */
const COMPARED_ROWS_MAX = 4000;

/** No lines if both hold equal rows in the same order. */
export function describeDifference(
  expected: readonly Row[],
  actual: readonly Row[],
  names: Names = { expected: 'expected', actual: 'came' },
): string[] {
  const steps = pairRows(expected, actual);
  if (steps.length === 0) return [];
  if (isReordered(expected, actual)) {
    const index = expected.findIndex((row, at) => sortedText(row) !== sortedText(actual[at]));
    return [
      'the same rows in another order:',
      `row ${index + 1} ${names.expected}: ${text(expected[index])}`,
      `row ${index + 1} ${names.actual}: ${text(actual[index])}`,
    ];
  }
  const lines = steps.flatMap((step) => describeStep(step, expected, actual, names));
  if (lines.length <= LINES_MAX) return lines;
  const shown = lines.slice(0, LINES_MAX - 1);
  return [...shown, `and ${lines.length - shown.length} more lines; ${steps.length} rows differ`];
}

function describeStep(
  step: Step,
  expected: readonly Row[],
  actual: readonly Row[],
  names: Names,
): string[] {
  if (step.kind === 'missing') {
    return [`missing row ${step.expected + 1}: ${text(expected[step.expected])}`];
  }
  if (step.kind === 'unexpected') {
    return [`unexpected row ${step.actual + 1}: ${text(actual[step.actual])}`];
  }
  return differentColumns(expected[step.expected], actual[step.actual]).map(
    ([column, left, right]) =>
      `row ${step.expected + 1}, ${column}: ${names.expected} ${left}, ${names.actual} ${right}`,
  );
}

function differentColumns(expected: Row, actual: Row): [string, string, string][] {
  const [left, right] = [columnsOf(expected), columnsOf(actual)];
  return [...new Set([...Object.keys(right), ...Object.keys(left)])]
    .filter((name) => !sameColumn(left, right, name))
    .map((name) => [name, valueText(left, name), valueText(right, name)]);
}

function valueText(row: Readonly<Record<string, unknown>>, name: string): string {
  return Object.hasOwn(row, name) ? text(row[name]) : 'no such column';
}

function text(value: unknown): string {
  const json = JSON.stringify(value);
  return json.length <= VALUE_LENGTH_MAX ? json : `${json.slice(0, VALUE_LENGTH_MAX)}…`;
}

function isReordered(expected: readonly Row[], actual: readonly Row[]): boolean {
  if (expected.length !== actual.length) return false;
  const sorted = (rows: readonly Row[]): string => rows.map(sortedText).sort().join('\n');
  return sorted(expected) === sorted(actual);
}

/** The same text for equal values, in whatever order the case has written the columns and the fields of a STRUCT. */
function sortedText(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    isObject(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

/** A longest common subsequence of equal rows; between them, rows that are alike make pairs. */
function pairRows(expected: readonly Row[], actual: readonly Row[]): Step[] {
  const steps: Step[] = [];
  let [left, right] = [0, 0];
  let pending: { missing: number[]; unexpected: number[] } = { missing: [], unexpected: [] };
  const closePending = (): void => {
    steps.push(...pairAlike(expected, actual, pending));
    pending = { missing: [], unexpected: [] };
  };
  for (const side of sidesOf(expected.map(sortedText), actual.map(sortedText))) {
    if (side > 0) pending.missing.push(left++);
    else if (side < 0) pending.unexpected.push(right++);
    else {
      closePending();
      left++;
      right++;
    }
  }
  closePending();
  return steps;
}

/** The rows of both in their order: 1 for one that is expected alone, -1 for one that came alone, 0 for one in both. */
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

/** Pairs each missing row, in order, with the unexpected one after the last pair that is most like it. */
function pairAlike(
  expected: readonly Row[],
  actual: readonly Row[],
  { missing, unexpected }: { missing: readonly number[]; unexpected: readonly number[] },
): Step[] {
  const steps: Step[] = [];
  let next = 0;
  for (const left of missing) {
    const rest = unexpected.slice(next);
    const scores = rest.map((right) => likeness(expected[left], actual[right]));
    const best = Math.max(0, ...scores);
    const right = best > 0 ? scores.indexOf(best) : -1;
    if (right < 0) {
      steps.push({ kind: 'missing', expected: left });
      continue;
    }
    steps.push(
      ...rest.slice(0, right).map((index): Step => ({ kind: 'unexpected', actual: index })),
      { kind: 'different', expected: left, actual: rest[right] ?? 0 },
    );
    next += right + 1;
  }
  steps.push(
    ...unexpected.slice(next).map((index): Step => ({ kind: 'unexpected', actual: index })),
  );
  return steps;
}

/** The number of equal columns; 0 for rows that are not of the same thing: neither the first column nor half are equal. */
function likeness(expected: Row, actual: Row): number {
  const [left, right] = [columnsOf(expected), columnsOf(actual)];
  const names = Object.keys(right);
  const [first = ''] = names;
  const equal = names.filter((name) => sameColumn(left, right, name)).length;
  const isSameThing = sameColumn(left, right, first);
  return isSameThing ? names.length + equal : equal * 2 > names.length ? equal : 0;
}

function sameColumn(
  left: Readonly<Record<string, unknown>>,
  right: Readonly<Record<string, unknown>>,
  name: string,
): boolean {
  return (
    Object.hasOwn(left, name) &&
    Object.hasOwn(right, name) &&
    sortedText(left[name]) === sortedText(right[name])
  );
}

function columnsOf(row: Row): Readonly<Record<string, unknown>> {
  return isObject(row) ? row : {};
}
