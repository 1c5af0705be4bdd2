// Tests of what the table shows: values in short, numbers written in one way, rows sorted.
import { shortText } from '../../functions/console/result/table/short-text.ts';
import { sortRows } from '../../functions/console/result/table/sort-rows.ts';
import { writeNumbers } from '../../functions/console/chart/plan/write-numbers.ts';

it.each([
  ['FLOAT64', [8567, 8641.5, null], ['8,567.0', '8,641.5']],
  ['FLOAT64', [1, 2], ['1', '2']],
  ['FLOAT64', [1234.5678, 0.001], ['1,234.57', '0.00']],
  ['FLOAT64', [0.02, 0.5], ['0.02', '0.50']],
  ['FLOAT64', [0.000123456, 0.00001], ['0.0001235', '0.0000100']],
  ['FLOAT64', [3e-9, 1.25e-10, 0], ['3.00e-9', '1.25e-10', '0.00e0']],
  ['FLOAT64', [1.7e308, 0.5], ['1.7e308', '5.0e-1']],
  ['FLOAT64', [1.5, 'NaN', '-Infinity'], ['1.5', 'NaN', '-Infinity']],
  ['INT64', [1, -1234567, '9007199254740993'], ['1', '-1,234,567', '9,007,199,254,740,993']],
  [
    'NUMERIC',
    ['0.1', '-12345.123456789', '7'],
    ['0.100000000', '-12,345.123456789', '7.000000000'],
  ],
  [
    'BIGNUMERIC',
    ['578960446186580977117854925043439539266.34992332820282019728792003956564819967'],
    ['578,960,446,186,580,977,117,854,925,043,439,539,266.34992332820282019728792003956564819967'],
  ],
])('writes numbers of %s in one way: %j', (type, values, expected) => {
  const { textOf, widest } = writeNumbers(type, values);
  const texts = values.filter((value) => value !== null).map(textOf);
  expect(texts).toEqual(expected);
  const lengths = texts.map(({ length }) => length);
  expect(Math.max(...widest().map(({ length }) => length))).toBe(Math.max(...lengths));
});

it.each<[unknown, string]>([
  [['a', 'b, c'], 'a, b, c'],
  [[], 'empty'],
  [[1, null, true], '1, null, true'],
  [{ sku: 'x', size: { w: 1, h: 2 }, tags: ['a'] }, 'sku: x, size: 2 fields, tags: 1 value'],
  [
    [
      { sku: 'x', n: 1 },
      { sku: 'y', n: null },
    ],
    'sku: x, n: 1, sku: y, n: null',
  ],
  [[[1, 2], []], '2 values, 0 values'],
  ['text', 'text'],
  [12.5, '12.5'],
])('writes %j in short', (value, expected) => {
  expect(shortText(value)).toBe(expected);
});

it('sorts rows by a column, nulls last', () => {
  const columns = ['INT64', 'STRING'].map((type) => ({
    ...{ name: type, type, mode: 'NULLABLE' as const, description: 'x' },
  }));
  const rows = [
    { INT64: '9007199254740993', STRING: 'b' },
    { INT64: null, STRING: 'a' },
    { INT64: 5, STRING: null },
    { INT64: 10, STRING: 'c' },
  ];
  const by = (column: string, direction: 'ascending' | 'descending') =>
    sortRows(columns, rows, { column, direction });
  expect(sortRows(columns, rows, undefined)).toEqual([0, 1, 2, 3]);
  expect(by('INT64', 'ascending')).toEqual([2, 3, 0, 1]);
  expect(by('INT64', 'descending')).toEqual([0, 3, 2, 1]);
  expect(by('STRING', 'ascending')).toEqual([1, 0, 3, 2]);
  expect(by('gone', 'ascending')).toEqual([0, 1, 2, 3]);
});

it.each([
  ['NUMERIC', ['0.10000000000000000002', '0.1', '-0.1', '0.10000000000000000001'], [2, 1, 3, 0]],
  ['INT64', ['9007199254740993', 9007199254740992, '-9007199254740993'], [2, 1, 0]],
  ['FLOAT64', [1, 'NaN', '-Infinity', 'Infinity', -2], [1, 2, 4, 0, 3]],
])('sorts %s with every digit: %j', (type, values, expected) => {
  const columns = [{ name: 'v', type, mode: 'NULLABLE' as const, description: 'x' }];
  const rows = values.map((v) => ({ v }));
  expect(sortRows(columns, rows, { column: 'v', direction: 'ascending' })).toEqual(expected);
});
