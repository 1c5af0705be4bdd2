// Which rows of the table a filter keeps.
import type { ChartInput } from '../../../functions/console/chart/plan/chart-plan.ts';
import {
  type Filter,
  filterRows,
  isMisread,
} from '../../../functions/console/result/table/filter-rows.ts';
import { writeColumn } from '../../../functions/console/result/table/write-column.ts';
import { rowOf } from '../../support/sql/fake-sql-tree.ts';

const ROW = rowOf('at TIMESTAMP, name STRING, celsius FLOAT64, count INT64, tags STRING REPEATED');
const COLUMNS = Object.entries(ROW).map(([name, column]) => ({ name, ...column }));
const ROWS = [
  { at: '2026-11-20T23:00:00Z', name: 'North 1', celsius: -20.125, count: 1234, tags: ['a', 'b'] },
  { at: '2026-11-21T00:00:00Z', name: 'north 10', celsius: 2.4, count: 12, tags: [] },
  { at: '2026-11-21T01:00:00Z', name: null, celsius: null, count: 0, tags: ['b, c'] },
  { at: '2026-11-21T02:00:00Z', name: '', celsius: 'NaN', count: -5, tags: ['A'] },
];
const INPUT: ChartInput = {
  columns: COLUMNS,
  rows: ROWS,
  bucket: { column: 'at', step: 'PT1H', missing: 'zero' },
  timeZone: 'Asia/Tokyo',
  computedAtMs: 0,
};
const WRITTEN = COLUMNS.map((column) =>
  writeColumn(column, { ...INPUT, bucket: undefined }, COLUMNS),
);
const kept = (column: string, text: string, isWhole = false): number[] =>
  filterRows(WRITTEN, ROWS, { column, text, isWhole });
/** Of a table with one column. */
const keptOf = (type: string, values: readonly unknown[], filter: Partial<Filter>): number[] => {
  const columns = [{ name: 'v', ...rowOf(`v ${type}`).v }] as typeof COLUMNS;
  const rows = values.map((v) => ({ v }));
  const input = { ...INPUT, columns, rows, bucket: undefined };
  const written = columns.map((column) => writeColumn(column, input, columns));
  return filterRows(written, rows, { column: 'v', text: '', isWhole: false, ...filter });
};

it.each([
  ['', '', [0, 1, 2, 3]],
  ['', ' north ', [0, 1]],
  ['name', 'NORTH 1', [0, 1]],
  // As shown in Tokyo, and as the answer has it.
  ['at', '08:00', [0]],
  ['at', '2026-11-20T23', [0]],
  ['count', '1,234', [0]],
  ['count', '1234', [0]],
  ['', '-20.125', [0]],
  ['name', 'null', [2]],
  ['tags', 'b', [0, 2]],
  ['celsius', '> -15', [1]],
  // In one of the columns of numbers.
  ['', '> 2.3', [0, 1]],
  ['', '< -10', [0]],
  ['', '> north', []],
  ['celsius', '> +2', [1]],
  ['celsius', '< −15', [0]],
  ['celsius', '≤ 2.4', [0, 1]],
  ['celsius', '≥2.4', [1]],
  ['count', '!= 12', [0, 2, 3]],
  ['celsius', '!= 2.4', [0, 3]],
  ['celsius', '< .5', [0]],
  ['count', '= 12.', [1]],
  ['count', '= +12', [1]],
  ['count', '= -5', [3]],
  ['count', '> 1e3', [0]],
  ['count', '> 1,5', []],
  ['count', '> ,', []],
  ['celsius', '<=2.4', [0, 1]],
  ['count', '= 1,234', [0]],
  ['count', '>= 0', [0, 1, 2]],
  // No number, and no column of numbers.
  ['count', '> x', []],
  ['name', '> 5', []],
  ['gone', 'a', []],
])('keeps the rows whose %j has %j', (column, text, expected) => {
  expect(kept(column, text)).toEqual(expected);
});

it.each([
  ['name', 'North 1', [0]],
  ['name', 'north 1', []],
  ['name', '', [3]],
  ['celsius', '-20.125', [0]],
  ['tags', '["a","b"]', [0]],
  ['tags', 'A', [3]],
])('keeps the rows whose %s is only %j', (column, text, expected) => {
  expect(kept(column, text, true)).toEqual(expected);
});

it.each([
  ['INT64', '= 9007199254740993', [1]],
  ['INT64', '> 9,007,199,254,740,992', [1]],
  ['INT64', '< -9007199254740992', [2]],
  ['INT64', '!= 9007199254740993', [0, 2]],
  // A binary fraction has no more digits.
  ['FLOAT64', '= 9007199254740993', [0]],
])('compares an %s with every digit that its type has: %j', (type, text, expected) => {
  const last = ['9007199254740993', '-9007199254740993'];
  const values = [9007199254740992, ...(type === 'INT64' ? last : [1, null])];
  expect(keptOf(type, values, { text })).toEqual(expected);
});

it.each([
  ['> 0.1', [1]],
  ['> .1', [1]],
  ['= 0.1', [0]],
  ['>= 0.10000000000000000001', [1]],
  ['> -0.1', [0, 1]],
])('compares decimals with every digit: %j', (text, expected) => {
  const values = ['0.1', '0.10000000000000000001', '-0.1', null];
  expect(keptOf('NUMERIC', values, { text })).toEqual(expected);
});

it('compares a decimal with an exponent as a binary fraction', () => {
  expect(keptOf('BIGNUMERIC', ['1E-38', '0.1'], { text: '= 0.1e0' })).toEqual([1]);
  expect(keptOf('BIGNUMERIC', ['1E-38', '0.1'], { text: '= 1e-38' })).toEqual([0]);
});

it.each([
  ['count', '> 1,5', true],
  ['', '> ,', true],
  ['', '>= 1,2345', true],
  ['count', '> x', true],
  ['count', '> 1,500', false],
  ['count', '15', false],
  // No number is searched.
  ['name', '> x', false],
  ['gone', '> x', false],
])('knows what is no comparison with a number: %j %j', (column, text, expected) => {
  expect(isMisread(WRITTEN, { column, text, isWhole: false })).toBe(expected);
});

it('keeps the rows with one value, and not those with the same text', () => {
  const exactly = (type: string, values: readonly unknown[], exact: string): number[] =>
    keptOf(type, values, { isWhole: true, exact });
  expect(exactly('FLOAT64', [1.25, 1.2512, 3, null], '1.25')).toEqual([0]);
  expect(exactly('STRING', ['null', null, ''], 'null')).toEqual([1]);
  expect(exactly('STRING', ['null', null, ''], '"null"')).toEqual([0]);
  expect(exactly('JSON', [1, '1', [1]], '"1"')).toEqual([1]);
});

it('keeps the values that are the typed text, and without one those that are shown so', () => {
  const only = (type: string, values: readonly unknown[], text: string): number[] =>
    keptOf(type, values, { isWhole: true, text });
  expect(only('FLOAT64', [1.25, 1.2512, 3], '1.25')).toEqual([0]);
  expect(only('FLOAT64', [1.2511, 1.2512, 3], '1.25')).toEqual([0, 1]);
  expect(only('STRING', ['null', null], 'null')).toEqual([0]);
  expect(only('STRING', ['x', null], 'null')).toEqual([1]);
});

it('writes each text once for all letters that are typed', () => {
  const rows = Array.from({ length: 1200 }, (_, index) => ({ name: `Row ${index}` }));
  let count = 0;
  const textOf = (value: unknown): string => {
    count += 1;
    return String(value);
  };
  const [name] = WRITTEN.filter(({ column }) => column.name === 'name');
  const written = name === undefined ? [] : [{ ...name, textOf }];
  const find = (text: string): number =>
    filterRows(written, rows, { column: '', text, isWhole: false }).length;
  expect([find('r'), find('row 1'), find('row 11'), find('R'), count]).toEqual([
    ...[1200, 311, 111, 1200, 1200],
  ]);
});
