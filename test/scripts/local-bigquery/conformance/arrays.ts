// Arrays: subscripts, generated arrays, ARRAY_AGG and its options, functions of arrays.
import type { RowsCase } from './case.ts';

export const arrays: RowsCase[] = [
  {
    name: 'OFFSET counts from 0, ORDINAL from 1',
    sql: 'SELECT [10, 20, 30][OFFSET(0)], [10, 20, 30][ORDINAL(1)], [10, 20, 30][ORDINAL(3)]',
    rows: [['10', '10', '30']],
  },
  {
    name: 'a bare index counts from 0',
    sql: 'SELECT [1, 2][0], [[1, 2][1]][0]',
    rows: [['1', '2']],
  },
  {
    name: 'SAFE_OFFSET and SAFE_ORDINAL give NULL outside of the array',
    sql: 'SELECT [1, 2][SAFE_OFFSET(1)], [1, 2][SAFE_OFFSET(2)], [1, 2][SAFE_OFFSET(-1)], [1, 2][SAFE_ORDINAL(0)]',
    rows: [['2', null, null, null]],
  },
  {
    name: 'GENERATE_ARRAY includes its end, and steps in either direction',
    sql: `SELECT GENERATE_ARRAY(1, 5), GENERATE_ARRAY(0, 10, 4), GENERATE_ARRAY(3, 1, -1), GENERATE_ARRAY(2, 1),
      GENERATE_ARRAY(0, 1, 0.5)`,
    rows: [
      [['1', '2', '3', '4', '5'], ['0', '4', '8'], ['3', '2', '1'], [], ['0.0', '0.5', '1.0']],
    ],
  },
  {
    name: 'GENERATE_DATE_ARRAY steps by days or months',
    sql: "SELECT GENERATE_DATE_ARRAY('2026-02-27', '2026-03-01'), GENERATE_DATE_ARRAY('2026-01-15', '2026-04-14', INTERVAL 1 MONTH)",
    rows: [
      [
        ['2026-02-27', '2026-02-28', '2026-03-01'],
        ['2026-01-15', '2026-02-15', '2026-03-15'],
      ],
    ],
  },
  {
    name: 'GENERATE_TIMESTAMP_ARRAY steps by hours',
    sql: "SELECT GENERATE_TIMESTAMP_ARRAY('2026-01-01 00:00:00+00', '2026-01-01 13:00:00+00', INTERVAL 6 HOUR)",
    rows: [[['2026-01-01T00:00:00Z', '2026-01-01T06:00:00Z', '2026-01-01T12:00:00Z']]],
  },
  {
    name: 'ARRAY_AGG orders, limits and leaves out NULL',
    sql: `SELECT ARRAY_AGG(x IGNORE NULLS ORDER BY x DESC), ARRAY_AGG(x IGNORE NULLS ORDER BY x LIMIT 2),
      ARRAY_AGG(DISTINCT x IGNORE NULLS ORDER BY x)
      FROM UNNEST([2, 1, NULL, 3, 1]) AS x`,
    rows: [
      [
        ['3', '2', '1', '1'],
        ['1', '1'],
        ['1', '2', '3'],
      ],
    ],
  },
  {
    name: 'ARRAY_AGG of no rows is NULL, which is written as an empty array',
    sql: 'SELECT ARRAY_AGG(x), ARRAY_AGG(x) IS NULL FROM UNNEST(CAST([] AS ARRAY<INT64>)) AS x',
    rows: [[[], 'true']],
  },
  {
    name: 'ARRAY_CONCAT_AGG joins arrays and skips NULL',
    sql: `SELECT ARRAY_CONCAT_AGG(a ORDER BY n)
      FROM (SELECT 1 AS n, [1, 2] AS a UNION ALL SELECT 2, NULL UNION ALL SELECT 3, [3])`,
    rows: [[['1', '2', '3']]],
  },
  {
    name: 'ARRAY of a subquery keeps its order',
    sql: 'SELECT ARRAY(SELECT x * x FROM UNNEST([3, 1, 2]) AS x ORDER BY x DESC), ARRAY(SELECT x FROM UNNEST([1]) AS x WHERE x > 1)',
    rows: [[['9', '4', '1'], []]],
  },
  {
    name: 'ARRAY_CONCAT, ARRAY_REVERSE and ARRAY_LENGTH',
    sql: 'SELECT ARRAY_CONCAT([1], [2, 3], []), ARRAY_REVERSE([1, 2, 3]), ARRAY_LENGTH([NULL, 1]), ARRAY_LENGTH(NULL)',
    rows: [[['1', '2', '3'], ['3', '2', '1'], '2', null]],
  },
  {
    name: 'ARRAY_TO_STRING leaves NULL out, or writes a text for it',
    sql: "SELECT ARRAY_TO_STRING(['a', NULL, 'b'], '-'), ARRAY_TO_STRING(['a', NULL], '-', '*'), ARRAY_TO_STRING([], '-')",
    rows: [['a-b', 'a-*', '']],
  },
  {
    name: 'IN UNNEST finds an element; a NULL element leaves it open',
    sql: 'SELECT 2 IN UNNEST([1, 2]), 3 IN UNNEST([1, 2]), 3 IN UNNEST([1, NULL]), 3 IN UNNEST(CAST([] AS ARRAY<INT64>))',
    rows: [['true', 'false', null, 'false']],
  },
  {
    name: 'WITH OFFSET counts elements from 0',
    sql: "SELECT x, n FROM UNNEST(['a', 'b']) AS x WITH OFFSET AS n ORDER BY n DESC",
    rows: [
      ['b', '1'],
      ['a', '0'],
    ],
  },
  {
    name: 'ARRAY_FIRST, ARRAY_LAST and ARRAY_SLICE',
    sql: 'SELECT ARRAY_FIRST([5, 6, 7]), ARRAY_LAST([5, 6, 7]), ARRAY_SLICE([1, 2, 3, 4], 1, 2), ARRAY_SLICE([1, 2, 3, 4], -2, -1)',
    rows: [['5', '7', ['2', '3'], ['3', '4']]],
  },
  {
    name: 'an array of structs is an array of records',
    sql: "SELECT [STRUCT(1 AS id, 'a' AS name), (2, 'b')]",
    rows: [
      [
        [
          { id: '1', name: 'a' },
          { id: '2', name: 'b' },
        ],
      ],
    ],
  },
];
