// Structs: constructors, names of fields, comparison, SELECT AS STRUCT and AS VALUE.
import type { RowsCase } from './case.ts';

export const structs: RowsCase[] = [
  {
    name: 'STRUCT names its fields with AS',
    sql: "SELECT STRUCT(1 AS a, 'b' AS b, [1, 2] AS list) AS s",
    columns: ['s'],
    rows: [[{ a: '1', b: 'b', list: ['1', '2'] }]],
  },
  {
    name: 'STRUCT takes the name of a column, and numbers fields without a name',
    sql: 'SELECT STRUCT(x, x + 1) FROM (SELECT 1 AS x)',
    rows: [[{ x: '1', _field_2: '2' }]],
  },
  {
    name: 'a typed STRUCT coerces its values',
    sql: "SELECT STRUCT<a FLOAT64, b DATE>(1, '2026-01-02')",
    rows: [[{ a: '1.0', b: '2026-01-02' }]],
  },
  {
    name: 'a field of a struct in a struct is reached with dots',
    sql: 'SELECT s.a.b, s.a FROM (SELECT STRUCT(STRUCT(7 AS b) AS a) AS s)',
    columns: ['b', 'a'],
    rows: [['7', { b: '7' }]],
  },
  {
    name: 's.* gives each field as a column',
    sql: "SELECT s.* FROM (SELECT STRUCT(1 AS a, 'x' AS c) AS s)",
    columns: ['a', 'c'],
    rows: [['1', 'x']],
  },
  {
    name: 'tuples are equal field by field',
    sql: "SELECT (1, 'a') = (1, 'a'), (1, 'a') = (1, 'b'), (1, NULL) = (1, 2), (1, NULL) = (2, 2)",
    rows: [['true', 'false', null, 'false']],
  },
  {
    name: 'IN compares tuples',
    sql: 'SELECT (1, 2) IN ((1, 2), (3, 4)), (1, 3) IN ((1, 2), (3, 4))',
    rows: [['true', 'false']],
  },
  {
    name: 'SELECT AS STRUCT makes one value of a row',
    sql: 'SELECT ARRAY(SELECT AS STRUCT n, n * 2 AS twice FROM UNNEST([1, 2]) AS n ORDER BY n)',
    rows: [
      [
        [
          { n: '1', twice: '2' },
          { n: '2', twice: '4' },
        ],
      ],
    ],
  },
  {
    name: 'SELECT AS VALUE makes the row itself the struct',
    sql: "SELECT t.a, t.b FROM (SELECT AS VALUE STRUCT(1 AS a, 'x' AS b)) AS t",
    columns: ['a', 'b'],
    rows: [['1', 'x']],
  },
  {
    name: 'a NULL struct is not a struct of NULLs',
    sql: 'SELECT s IS NULL, s.a FROM UNNEST([CAST(NULL AS STRUCT<a INT64>), STRUCT(NULL)]) AS s WITH OFFSET AS n ORDER BY n',
    rows: [
      ['true', null],
      ['false', null],
    ],
  },
  {
    name: 'a name of a table is its row',
    sql: "SELECT t FROM (SELECT 1 AS a, 'b' AS b) AS t",
    columns: ['t'],
    rows: [[{ a: '1', b: 'b' }]],
  },
  {
    name: 'GROUP BY groups equal structs',
    sql: 'SELECT s.a, COUNT(*) FROM UNNEST([STRUCT(1 AS a, 2 AS b), (1, 2), (2, 2)]) AS s GROUP BY s ORDER BY s.a',
    rows: [
      ['1', '2'],
      ['2', '1'],
    ],
  },
  {
    name: 'SELECT AS STRUCT answers the fields as columns',
    sql: 'SELECT AS STRUCT item, sales AS n FROM produce WHERE sales > 6 ORDER BY n',
    columns: ['item', 'n'],
    rows: [
      ['apples', '7'],
      ['carrots', '8'],
    ],
  },
];
