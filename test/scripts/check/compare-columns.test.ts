// Tests of the comparison of `row` with the columns that a query returns.
import type { ColumnDefinition } from '../../../functions/endpoints/endpoint.ts';
import { compareColumns } from '../../../scripts/check/compare-columns.ts';
import type { TableField } from '../../../scripts/local-bigquery/values/table-schema.ts';

const ROW: Record<string, ColumnDefinition> = {
  day: { type: 'DATE', mode: 'REQUIRED', description: 'A day.' },
  total: { type: 'INT64', mode: 'NULLABLE', description: 'A number.' },
  tags: { type: 'STRING', mode: 'REPEATED', description: 'Tags.' },
};

const DAY: TableField = { name: 'day', type: 'DATE', mode: 'NULLABLE' };
const TOTAL: TableField = { name: 'total', type: 'INTEGER', mode: 'NULLABLE' };
const TAGS: TableField = { name: 'tags', type: 'STRING', mode: 'REPEATED' };
const OTHER: TableField = { name: 'a/b', type: 'FLOAT', mode: 'NULLABLE' };

it.each<[TableField[], ...faults: string[]]>([
  [[DAY, TOTAL, TAGS]],
  [[OTHER, DAY, TOTAL, TAGS], '/row: row lacks the column a/b FLOAT64, which query.sql returns'],
  [[TOTAL, TAGS], '/row/day: row.day is not a column that query.sql returns'],
  [
    [DAY, { ...TOTAL, type: 'FLOAT' }, TAGS],
    '/row/total: row.total is INT64, but query.sql returns FLOAT64',
  ],
  [
    [DAY, TOTAL, { ...TAGS, mode: 'NULLABLE' }],
    '/row/tags: row.tags is REPEATED STRING, but query.sql returns STRING',
  ],
  // At the first column that the other order moves.
  [[TAGS, DAY, TOTAL], '/row/day: row.day comes before row.tags, but query.sql returns tags first'],
  [[DAY, TOTAL, TAGS, DAY]],
])('reports the differences of %j', (returned, ...faults) => {
  expect(
    compareColumns('query.sql', ROW, returned).map(
      ({ pointer, message }) => `${pointer}: ${message}`,
    ),
  ).toEqual(faults);
});

it('does not report the type of a column whose definition has a fault', () => {
  const row = { ...ROW, total: undefined };
  expect(compareColumns('query.sql', row, [DAY, { ...TOTAL, type: 'FLOAT' }, TAGS])).toEqual([]);
});
