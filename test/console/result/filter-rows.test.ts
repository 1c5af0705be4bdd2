// Which rows of the table a filter keeps, and which buckets of the chart are then unknown.
import type { ChartInput } from '../../../functions/console/chart/plan/chart-plan.ts';
import { filterInput } from '../../../functions/console/result/filter/filter-input.ts';
import { filterRows } from '../../../functions/console/result/filter/filter-rows.ts';
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
  ['name', 'zero'],
  ['count', undefined],
  ['at', undefined],
  ['', undefined],
])(
  'counts a bucket without rows as zero only if rows are chosen by a name: %j',
  (column, missing) => {
    const { rows, bucket } = filterInput(INPUT, { column, text: 'x', isWhole: false }, [3, 1]);
    expect([rows, bucket?.missing]).toEqual([[ROWS[3], ROWS[1]], missing]);
  },
);
