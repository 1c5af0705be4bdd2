// Tests which parts of a query are evaluated before it.
import { evaluatedOnce } from '../../../../scripts/local-bigquery/dialect/rewrites/evaluated-once.ts';
import { sharedEngine } from '../../../support/bigquery/shared-engine.ts';

const fields = ['a', 'b'].map((name) => ({ name, type: 'INTEGER' }));
const tables = ['t', 'u'].map((name) => ({ name, fields }));

const engine = await sharedEngine();

async function stagesOf(sql: string): Promise<string[]> {
  const { resolved } = await engine.analyze({ sql, tables, withTree: true });
  const staged = evaluatedOnce(sql, resolved);
  return [...staged.stages.map((stage) => stage.sql.trim()), staged.sql];
}

it.each([
  [
    'WITH w AS (SELECT a FROM u) SELECT a FROM t WHERE a = (SELECT MAX(a) FROM w)',
    'WITH w AS (SELECT a FROM u) SELECT MAX(a) FROM w',
    'WITH w AS (SELECT a FROM u) SELECT a FROM t WHERE a = @local_once_0',
  ],
  // Equal subqueries, once.
  [
    'SELECT EXISTS (SELECT 1 FROM u), EXISTS (SELECT 1 FROM u) FROM t',
    'SELECT 1 FROM u',
    'SELECT @local_once_0, @local_once_0 FROM t',
  ],
])('extracts the uncorrelated subqueries of %s', async (sql, ...stages) => {
  expect(await stagesOf(sql)).toEqual(stages);
});

it.each([
  '(SELECT SUM(u.b) FROM u WHERE u.a = t.a AND u.b > t.b AND t.b + 1 = u.b)',
  'EXISTS (SELECT 1 FROM u WHERE u.b = t.b + 1 AND u.a = t.a)',
  'NOT EXISTS (SELECT 1 FROM u WHERE (u.a = t.a AND t.b + 1 = u.b) AND u.b > 0)',
  'ARRAY(SELECT u.a FROM u WHERE t.a = u.a AND t.b + 1 = u.b ORDER BY 1)',
  't.a IN (SELECT u.a FROM u WHERE u.a = t.a AND u.b = t.b + 1)',
])('reads only the rows with the hash of all compared values: %s', async (subquery) => {
  const [buckets, query, ...others] = await stagesOf(`SELECT ${subquery} FROM t`);
  expect(others).toEqual([]);
  expect(buckets).toMatch(
    /^SELECT local_bucket, .*MOD\(\(u\.[ab]\), 512\) \+ 3 \* MOD\(\(u\.[ab]\), 512\)/,
  );
  expect(query).toMatch(
    /FROM UNNEST\(@local_once_0\[OFFSET\(.*t\..*t\..*\)\]\.local_items\) AS u WHERE/,
  );
});

it('looks up the values of IN by hash', async () => {
  const stages = await stagesOf('SELECT a FROM t WHERE a NOT IN (SELECT b FROM u)');
  expect(stages).toHaveLength(3);
  expect(stages[2]).toMatch(/WHERE a NOT IN UNNEST\(@local_once_1\[OFFSET\(/);
});

it.each([
  ['by chance', 'SELECT a FROM t WHERE a > (SELECT RAND() FROM u)'],
  ['by the clock', 'SELECT a FROM t WHERE (SELECT CURRENT_TIMESTAMP()) IS NOT NULL'],
  ['of a sample', 'SELECT (SELECT COUNT(*) FROM u TABLESAMPLE SYSTEM (10 PERCENT)) FROM t'],
  ['of another row', 'SELECT (SELECT SUM(u.b) FROM u WHERE u.a < t.a) FROM t'],
  ['by values of another type', 'SELECT a FROM t WHERE a IN (SELECT 1.5 * b FROM u)'],
])('does not change a subquery that is evaluated %s', async (_, sql) => {
  expect(await stagesOf(sql)).toEqual([sql]);
});
