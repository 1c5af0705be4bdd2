// Tests of what the table shows: texts cut to a width, numbers written in one way, columns arranged and fitted, keys.
import {
  type Arrangement,
  moveColumn,
  orderColumns,
  toggleColumn,
  visibleColumns,
} from '../../functions/console/result/table/arrange-columns.ts';
import { cutText, widthOf } from '../../functions/console/result/table/cut-text.ts';
import { fitColumns } from '../../functions/console/result/table/fit-columns.ts';
import { nextCell } from '../../functions/console/result/table/next-cell.ts';
import { sortRows } from '../../functions/console/result/table/sort-rows.ts';
import { writeNumbers } from '../../functions/console/chart/plan/write-numbers.ts';

/** Latin letters are 10 px wide, everything else 20. */
const advanceOf = (character: string): number => (/[\w…]/.test(character) ? 10 : 20);

it.each([
  ['abcdef', 60, 'abcdef'],
  ['abcdefg', 60, 'abcde…'],
  ['abcdefg', 65, 'abcde…'],
  ['abc  def', 80, 'abc…'],
  ['', 0, ''],
  ['日本語日本語', 70, '日本語…'],
  // Half of a pair, a letter without its accent, and a part of a family would be other characters.
  ['ab😀😀', 50, 'ab😀…'],
  ['abe\u0301x', 50, 'ab…'],
  ['a👩‍👩‍👧‍👦b', 80, 'a…'],
  ['x'.repeat(1200), 100, 'xxxxxxxxx…'],
])('cuts %j to %i px: %j', (text, width, expected) => {
  const shown = cutText(text, width, advanceOf);
  expect(shown).toBe(expected);
  expect(widthOf(shown, advanceOf)).toBeLessThanOrEqual(width);
});

it('measures a text up to a width', () => {
  expect(widthOf('abc日', advanceOf)).toBe(50);
  expect(widthOf('x'.repeat(1200), advanceOf, 300)).toBe(300);
});

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

const COLUMNS = ['a', 'b', 'c', 'd'].map((name) => ({ name }));
const names = (columns: readonly { name: string }[]): string =>
  columns.map(({ name }) => name).join('');

it.each([
  [[], [], 'abcd', 'abcd'],
  [['b'], ['d', 'b'], 'dbac', 'dac'],
  // A link may name what the endpoint does not have, or hide everything.
  [['x'], ['x', 'c', 'c'], 'cabd', 'cabd'],
  [['a', 'b', 'c', 'd'], [], 'abcd', 'abcd'],
])('hides %j and puts %j first', (hiddenColumns, columnOrder, all, visible) => {
  const arrangement = { hiddenColumns, columnOrder };
  expect(names(orderColumns(COLUMNS, arrangement))).toBe(all);
  expect(names(visibleColumns(COLUMNS, arrangement))).toBe(visible);
});

it('moves, hides and shows columns, and the last one stays', () => {
  const own: Arrangement = { hiddenColumns: [], columnOrder: [] };
  const moved = moveColumn(COLUMNS, own, 'd', 'b');
  expect(moved.columnOrder).toEqual(['a', 'd', 'b', 'c']);
  expect(moveColumn(COLUMNS, moved, 'd', undefined)).toEqual(own);
  expect(moveColumn(COLUMNS, own, 'b', 'b')).toEqual(own);
  const single = ['b', 'c', 'd'].reduce((before, name) => toggleColumn(COLUMNS, before, name), own);
  expect(single.hiddenColumns).toEqual(['b', 'c', 'd']);
  expect(toggleColumn(COLUMNS, single, 'a')).toEqual(single);
  expect(toggleColumn(COLUMNS, single, 'c').hiddenColumns).toEqual(['b', 'd']);
});

it.each([
  ['what is left to all', '100-100 50-50', 250, [150, 100]],
  ['what is left to a long text first', '100-100 50-500', 250, [100, 150]],
  ['a text what it needs, and the rest to all', '100-100 50-80', 240, [130, 110]],
  ['two texts the same', '50-500 50-90', 300, [210, 90]],
  ['no less than they need', '100-100 300-900', 200, [100, 300]],
])('gives columns %s', (_, columns, available, expected) => {
  const needs = columns.split(' ').map((column) => {
    const [least = 0, most = 0] = column.split('-').map(Number);
    return { least, most };
  });
  expect(fitColumns(needs, available)).toEqual(expected);
});

const GRID = { rows: 100, columns: 4, page: 10 };
it.each([
  ['ArrowDown', false, [-1, 0], [0, 0]],
  ['ArrowUp', false, [0, 2], [-1, 2]],
  ['ArrowUp', false, [-1, 2], [-1, 2]],
  ['ArrowRight', false, [5, 3], [5, 3]],
  ['ArrowLeft', false, [5, 3], [5, 2]],
  ['PageDown', false, [95, 1], [99, 1]],
  ['PageUp', false, [5, 1], [0, 1]],
  ['Home', false, [5, 3], [5, 0]],
  ['End', false, [-1, 0], [-1, 3]],
  ['Home', true, [50, 3], [0, 0]],
  ['End', true, [0, 0], [99, 3]],
  ['ArrowDown', true, [0, 1], [99, 1]],
  ['ArrowUp', true, [9, 1], [-1, 1]],
  ['ArrowLeft', true, [9, 2], [9, 0]],
  ['ArrowRight', true, [9, 1], [9, 3]],
] as const)('%s (with Ctrl: %j) leads from %j to %j', (key, ctrlKey, from, to) => {
  const start = { position: from[0], column: from[1] };
  const pressed = { key, ctrlKey, metaKey: false, altKey: false, shiftKey: false };
  expect(nextCell(start, GRID, pressed)).toEqual({ position: to[0], column: to[1] });
  expect(nextCell(start, GRID, { ...pressed, altKey: true })).toBeUndefined();
});

it.each(['PageUp', 'PageDown', 'a'])('leaves Ctrl and %s to the browser', (key) => {
  const pressed = { key, ctrlKey: true, metaKey: false, altKey: false, shiftKey: false };
  expect(nextCell({ position: 20, column: 1 }, GRID, pressed)).toBeUndefined();
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
