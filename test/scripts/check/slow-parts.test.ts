// `npm run check` names what takes long on the local BigQuery over thousands of rows, and nothing else.
import { main } from '../../../scripts/check.ts';
import { runCommand } from '../../support/command.ts';
import { FakeSqlTree, rowOf } from '../../support/sql/fake-sql-tree.ts';
import { columns } from '../../support/sql/columns.ts';

const WINDOW = 'the window of the aggregate at';
const JOIN = 'the join without an equality at';
const SUBQUERY = 'the subquery for each row without an equality at';

it.each<[sql: string, ...slow: string[]]>([
  ['SELECT SUM(id) OVER (PARTITION BY name ORDER BY id) + COUNT(*) OVER () AS n FROM a'],
  [
    'SELECT SUM(COUNT(*)) OVER (ORDER BY name) AS n FROM a GROUP BY name',
    'the window of the aggregate',
  ],
  ['SELECT LENGTH(STRING_AGG(name) OVER (ORDER BY id)) AS n FROM a', `${WINDOW} 1:26`],
  [
    'SELECT SUM(id) OVER (ORDER BY id DESC ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS n FROM a',
    `${WINDOW} 1:12`,
  ],
  ['SELECT COUNT(*) OVER w AS n FROM a WINDOW w AS (ORDER BY id)', 'the window of the aggregate'],
  ['SELECT SUM(id) OVER (ORDER BY id ROWS 6 PRECEDING) AS n FROM a'],
  ['SELECT ROW_NUMBER() OVER (ORDER BY id) + LAG(id) OVER (ORDER BY id) AS n FROM a'],
  ['SELECT a.id AS n FROM a JOIN b ON a.id < b.id', `${JOIN} 1:30`],
  ['SELECT a.id AS n FROM a, b WHERE a.id BETWEEN b.id AND b.id + 2', `${JOIN} 1:26`],
  ['SELECT a.id AS n FROM a LEFT JOIN b ON a.id = 1', `${JOIN} 1:35`],
  ['WITH c AS (SELECT id FROM b) SELECT a.id AS n FROM a JOIN c ON a.id != c.id', `${JOIN} 1:64`],
  ['SELECT a.id AS n FROM a JOIN b ON a.id = b.id AND a.id < 9'],
  ['SELECT a.id AS n FROM a JOIN b USING (id)'],
  ['SELECT a.id AS n FROM a JOIN UNNEST([1, 2]) AS b ON a.id < b'],
  ['SELECT (SELECT COUNT(*) FROM b WHERE b.id < a.id) AS n FROM a', `${SUBQUERY} 1:8`],
  ['SELECT id AS n FROM a WHERE EXISTS (SELECT 1 FROM b WHERE b.id > a.id)', `${SUBQUERY} 1:29`],
  ['SELECT (SELECT COUNT(*) FROM b WHERE b.id = a.id) AS n FROM a'],
  ['SELECT id AS n FROM a WHERE EXISTS (SELECT 1 FROM b WHERE b.name = a.name AND b.id > a.id)'],
])('%s', async (sql, ...slow) => {
  const schema = columns('id INT64, name STRING');
  const tree = new FakeSqlTree()
    .write('sources/a/schema.json', schema)
    .write('sources/b/schema.json', schema)
    .endpoint({ row: rowOf('n INT64 NULLABLE') }, sql);
  const { code, stdout } = await runCommand(main, ['--sql', tree.directory]);
  expect(code).toBe(0);
  const named = [...stdout.matchAll(/slow locally over thousands of rows: (.*) of query.sql\n/g)];
  expect(named.map(([, part]) => part)).toEqual(slow);
});
