// Approximate aggregates and HLL++ sketches, on inputs so small that the answer is exact.
import type { RowsCase } from './case.ts';

export const approximations: RowsCase[] = [
  {
    name: 'APPROX_QUANTILES gives the minimum, the quantiles and the maximum',
    sql: 'SELECT APPROX_QUANTILES(x, 2), APPROX_QUANTILES(x, 100)[OFFSET(90)], APPROX_QUANTILES(x, 1) FROM UNNEST([1, 1, 1, 4, 5, 6, 7, 8, 9, 10]) AS x',
    rows: [[['1', '5', '10'], '9', ['1', '10']]],
  },
  {
    name: 'APPROX_QUANTILES leaves NULL out unless it respects NULLS; DISTINCT counts each value once',
    sql: `SELECT FORMAT('%T', APPROX_QUANTILES(x, 2)), FORMAT('%T', APPROX_QUANTILES(x, 2 RESPECT NULLS)), FORMAT('%T', APPROX_QUANTILES(DISTINCT x, 2)),
      FORMAT('%T', APPROX_QUANTILES(DISTINCT x, 2 RESPECT NULLS)) FROM UNNEST([NULL, NULL, 1, 1, 1, 4, 5, 6, 7, 8, 9, 10]) AS x`,
    rows: [['[1, 5, 10]', '[NULL, 4, 10]', '[1, 6, 10]', '[NULL, 6, 10]']],
  },
  {
    name: 'quantiles of expressions, text and dates; in HAVING and ORDER BY',
    sql: `SELECT g, APPROX_QUANTILES(IF(x > 1, x, NULL) /* not 1, nor NULL */, 1), APPROX_QUANTILES(CONCAT('n', x, ','), 2)[OFFSET(1)], APPROX_QUANTILES(DATE_ADD(DATE '2026-01-01', INTERVAL x DAY), 1)[OFFSET(0)]
      FROM UNNEST([STRUCT('a' AS g, 3 AS x), ('a', 1), ('a', 2), ('b', 9), ('c', 0)]) GROUP BY g
      HAVING APPROX_QUANTILES(x, 1)[OFFSET(1)] > 0 ORDER BY APPROX_QUANTILES(x, 1)[OFFSET(1)] DESC`,
    rows: [
      ['b', ['9', '9'], 'n9,', '2026-01-10'],
      ['a', ['2', '3'], 'n2,', '2026-01-02'],
    ],
  },
  {
    name: 'without values APPROX_QUANTILES is NULL and APPROX_COUNT_DISTINCT 0',
    sql: 'SELECT APPROX_QUANTILES(x, 2) IS NULL, APPROX_COUNT_DISTINCT(x) FROM UNNEST([CAST(NULL AS INT64)]) AS x',
    rows: [['true', '0']],
  },
  {
    name: 'APPROX_COUNT_DISTINCT counts values and leaves NULL out',
    sql: 'SELECT APPROX_COUNT_DISTINCT(x), APPROX_COUNT_DISTINCT(IF(x > 1, x, NULL)) FROM UNNEST([0, 1, 1, 2, 3, 5]) AS x',
    rows: [['5', '3']],
  },
  {
    name: 'APPROX_TOP_COUNT gives the most frequent values',
    sql: "SELECT APPROX_TOP_COUNT(x, 2) FROM UNNEST(['apple', 'apple', 'pear', 'pear', 'pear', 'banana']) AS x",
    rows: [
      [
        [
          { value: 'pear', count: '3' },
          { value: 'apple', count: '2' },
        ],
      ],
    ],
  },
  {
    name: 'APPROX_TOP_COUNT counts NULL, in each group',
    sql: `SELECT g, APPROX_TOP_COUNT(x, 3) FROM UNNEST([STRUCT(1 AS g, 'a' AS x), (1, NULL), (1, NULL), (2, 'b')]) GROUP BY g ORDER BY g`,
    rows: [
      [
        '1',
        [
          { value: null, count: '2' },
          { value: 'a', count: '1' },
        ],
      ],
      ['2', [{ value: 'b', count: '1' }]],
    ],
  },
  {
    name: 'APPROX_TOP_SUM gives the values of the greatest weight',
    sql: `SELECT APPROX_TOP_SUM(x, weight, 2) FROM UNNEST([STRUCT('apple' AS x, 3 AS weight), ('pear', 2), ('apple', 0), ('banana', 5), ('pear', 4)])`,
    rows: [
      [
        [
          { value: 'pear', sum: '6' },
          { value: 'banana', sum: '5' },
        ],
      ],
    ],
  },
  {
    name: 'APPROX_TOP_SUM leaves a weight of NULL out, unless a value has no other',
    sql: `SELECT g, APPROX_TOP_SUM(x, weight, 2)
      FROM UNNEST([STRUCT(1 AS g, 'apple' AS x, 1 AS weight), (1, 'pear', 0), (1, 'pear', NULL), (2, 'fig', 0), (2, NULL, NULL)]) GROUP BY g ORDER BY g`,
    rows: [
      [
        '1',
        [
          { value: 'apple', sum: '1' },
          { value: 'pear', sum: '0' },
        ],
      ],
      [
        '2',
        [
          { value: 'fig', sum: '0' },
          { value: null, sum: null },
        ],
      ],
    ],
  },
  {
    name: 'an HLL++ sketch is extracted to a count',
    sql: 'SELECT HLL_COUNT.EXTRACT(HLL_COUNT.INIT(x)), HLL_COUNT.EXTRACT(HLL_COUNT.INIT(x, 10)) FROM UNNEST([1, 2, 2, 3, NULL]) AS x',
    rows: [['3', '3']],
  },
  {
    name: 'HLL_COUNT.MERGE counts the union of sketches',
    sql: `SELECT HLL_COUNT.MERGE(sketch), HLL_COUNT.EXTRACT(HLL_COUNT.MERGE_PARTIAL(sketch))
      FROM (SELECT g, HLL_COUNT.INIT(x) AS sketch FROM UNNEST([STRUCT('a' AS g, 1 AS x), ('a', 2), ('b', 2), ('b', 3)]) GROUP BY g)`,
    rows: [['3', '3']],
  },
  {
    name: 'HLL_COUNT without values',
    sql: 'SELECT HLL_COUNT.INIT(x) IS NULL, HLL_COUNT.EXTRACT(HLL_COUNT.INIT(x)) FROM UNNEST([CAST(NULL AS INT64)]) AS x',
    rows: [['true', '0']],
  },
];
