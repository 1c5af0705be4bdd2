// WITH and WITH RECURSIVE.
import type { RowsCase } from './case.ts';

export const recursive: RowsCase[] = [
  {
    name: 'WITH names queries for those that follow',
    sql: 'WITH a AS (SELECT 1 AS x), b AS (SELECT x + 1 AS x FROM a) SELECT a.x, b.x AS y FROM a, b',
    rows: [['1', '2']],
  },
  {
    name: 'a WITH inside hides the one outside',
    sql: 'WITH a AS (SELECT 1 AS x) SELECT (WITH a AS (SELECT 2 AS x) SELECT x FROM a), x FROM a',
    rows: [['2', '1']],
  },
  {
    name: 'WITH RECURSIVE counts until its condition ends it',
    sql: 'WITH RECURSIVE t AS (SELECT 1 AS n UNION ALL SELECT n + 2 FROM t WHERE n < 6) SELECT n FROM t ORDER BY n',
    rows: [['1'], ['3'], ['5'], ['7']],
  },
  {
    name: 'a recursive query follows a tree and carries a path',
    sql: `WITH RECURSIVE edges AS (SELECT * FROM UNNEST([STRUCT('a' AS parent, 'b' AS child), ('a', 'c'), ('b', 'd')])),
      reached AS (SELECT 'a' AS node, 'a' AS path, 0 AS depth
        UNION ALL SELECT child, CONCAT(path, '/', child), depth + 1 FROM reached JOIN edges ON parent = node)
      SELECT node, path, depth FROM reached ORDER BY path`,
    rows: [
      ['a', 'a', '0'],
      ['b', 'a/b', '1'],
      ['d', 'a/b/d', '2'],
      ['c', 'a/c', '1'],
    ],
  },
  {
    name: 'each step sees the rows of the step before only',
    sql: `WITH RECURSIVE t AS (SELECT x, 0 AS step FROM UNNEST([1, 10]) AS x UNION ALL SELECT x * 2, step + 1 FROM t WHERE step < 2)
      SELECT step, SUM(x), COUNT(*) FROM t GROUP BY step ORDER BY step`,
    rows: [
      ['0', '11', '2'],
      ['1', '22', '2'],
      ['2', '44', '2'],
    ],
  },
  {
    name: 'a query after the recursive one may use it twice',
    sql: `WITH RECURSIVE t AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM t WHERE n < 3), squares AS (SELECT n * n AS s FROM t)
      SELECT (SELECT SUM(n) FROM t), (SELECT SUM(s) FROM squares)`,
    rows: [['6', '14']],
  },
  {
    name: 'the names of WITH may come in any order when one is recursive',
    sql: 'WITH RECURSIVE later AS (SELECT SUM(n) AS s FROM first_three), first_three AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM first_three WHERE n < 3) SELECT s FROM later',
    rows: [['6']],
  },
  {
    name: 'the Fibonacci numbers',
    sql: 'WITH RECURSIVE fib AS (SELECT 0 AS a, 1 AS b UNION ALL SELECT b, a + b FROM fib WHERE b < 20) SELECT ARRAY_AGG(a ORDER BY a, b) FROM fib',
    rows: [[['0', '1', '1', '2', '3', '5', '8', '13']]],
  },
];
