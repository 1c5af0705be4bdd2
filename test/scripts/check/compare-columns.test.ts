// Tests of the comparison of `row` with the columns that a query returns.
import { compareColumns } from '../../../scripts/check/compare-columns.ts';
import { columns } from '../../support/sql/columns.ts';
import { rowOf } from '../../support/sql/fake-sql-tree.ts';

const [DAY, TOTAL, TAGS] = ['day DATE', 'total INTEGER', 'tags STRING REPEATED'];

it.each([
  [[DAY, TOTAL, TAGS]],
  [['a/b FLOAT', DAY, TOTAL, TAGS], '/row: row lacks the column a/b FLOAT64, which q.sql returns'],
  [[TOTAL, TAGS], '/row/day: row.day is not a column that q.sql returns'],
  [[DAY, 'total FLOAT', TAGS], '/row/total: row.total is INT64, but q.sql returns FLOAT64'],
  [[DAY, TOTAL, 'tags STRING'], '/row/tags: row.tags is REPEATED STRING, but q.sql returns STRING'],
  // At the first column that the other order moves.
  [[TAGS, DAY, TOTAL], '/row/day: row.day comes before row.tags, but q.sql returns tags first'],
  [[DAY, TOTAL, TAGS, DAY]],
])('reports the differences of %j', (returned: string[], ...faults: string[]) => {
  const ROW = rowOf('day DATE REQUIRED, total INT64, tags STRING REPEATED');
  const found = compareColumns('q.sql', ROW, columns(returned.join()));
  expect(found.map(({ pointer, message }) => `${pointer}: ${message}`)).toEqual(faults);
});
