// Set operations: UNION, INTERSECT and EXCEPT, by position and by name.
import type { RowsCase } from './case.ts';

export const setOperations: RowsCase[] = [
  {
    name: 'UNION ALL keeps duplicates, UNION DISTINCT does not',
    sql: `SELECT 'all' AS kind, COUNT(*) FROM (SELECT 1 AS x UNION ALL SELECT 1 UNION ALL SELECT 2)
      UNION ALL SELECT 'distinct', COUNT(*) FROM (SELECT 1 AS x UNION DISTINCT SELECT 1 UNION DISTINCT SELECT 2) ORDER BY kind`,
    rows: [
      ['all', '3'],
      ['distinct', '2'],
    ],
  },
  {
    name: 'columns match by position; names are those of the first query',
    sql: "SELECT 1 AS a, 'x' AS b UNION ALL SELECT 2 AS b, 'y' AS a ORDER BY a",
    columns: ['a', 'b'],
    rows: [
      ['1', 'x'],
      ['2', 'y'],
    ],
  },
  {
    name: 'INTERSECT DISTINCT keeps what both have',
    sql: 'SELECT * FROM UNNEST([1, 2, 2, 3, NULL]) AS x INTERSECT DISTINCT SELECT * FROM UNNEST([2, 2, 3, 4, NULL]) ORDER BY x',
    rows: [[null], ['2'], ['3']],
  },
  {
    name: 'EXCEPT DISTINCT takes away what the second has',
    sql: 'SELECT * FROM UNNEST([1, 1, 2, 3, NULL]) AS x EXCEPT DISTINCT SELECT * FROM UNNEST([2, NULL]) ORDER BY x',
    rows: [['1'], ['3']],
  },
  {
    name: 'columns take their supertype',
    sql: 'SELECT 1 AS x UNION ALL SELECT 2.5 UNION ALL SELECT NULL ORDER BY x',
    rows: [[null], ['1.0'], ['2.5']],
  },
  {
    name: 'parentheses decide the order; LIMIT in them counts one part',
    sql: '(SELECT 1 AS x UNION ALL SELECT 2) EXCEPT DISTINCT (SELECT 2 UNION ALL (SELECT * FROM UNNEST([9, 1]) AS y ORDER BY y DESC LIMIT 1)) ORDER BY x',
    rows: [['1']],
  },
  {
    name: 'UNION ALL BY NAME matches columns by name',
    sql: "SELECT 1 AS a, 'x' AS b UNION ALL BY NAME SELECT 'y' AS b, 2 AS a ORDER BY a",
    columns: ['a', 'b'],
    rows: [
      ['1', 'x'],
      ['2', 'y'],
    ],
  },
  {
    name: 'FULL UNION ALL BY NAME fills missing columns with NULL',
    sql: 'SELECT 1 AS a, 2 AS b FULL UNION ALL BY NAME SELECT 3 AS b, 4 AS c ORDER BY b',
    columns: ['a', 'b', 'c'],
    rows: [
      ['1', '2', null],
      [null, '3', '4'],
    ],
  },
  {
    name: 'LEFT UNION ALL BY NAME keeps the columns of the first query',
    sql: 'SELECT 1 AS a, 2 AS b LEFT UNION ALL BY NAME SELECT 3 AS b, 4 AS c ORDER BY b',
    columns: ['a', 'b'],
    rows: [
      ['1', '2'],
      [null, '3'],
    ],
  },
  {
    name: 'UNION ALL CORRESPONDING keeps the columns that both have',
    sql: 'SELECT 1 AS a, 2 AS b UNION ALL CORRESPONDING SELECT 3 AS b, 4 AS c ORDER BY b',
    columns: ['b'],
    rows: [['2'], ['3']],
  },
  {
    name: 'UNION DISTINCT compares structs and treats NULL as equal to NULL',
    sql: 'SELECT COUNT(*) FROM (SELECT CAST(NULL AS INT64) AS x, STRUCT(1 AS a) AS s UNION DISTINCT SELECT NULL, STRUCT(1))',
    rows: [['1']],
  },
];
