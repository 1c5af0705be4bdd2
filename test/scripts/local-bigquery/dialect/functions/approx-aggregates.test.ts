// Tests of the calls of APPROX_QUANTILES that are rewritten; differential.long.test.ts has their values.
import { exactAggregates } from '../../../../../scripts/local-bigquery/dialect/functions/approx-aggregates.ts';
import { testBigQuery } from '../../rest/local-bigquery.ts';

const bigquery = await testBigQuery({ tables: [] });

it.each([
  ['element 95 of 1 to 1000', 'APPROX_QUANTILES(x, 100)[SAFE_OFFSET(95)]', '950'],
  ['OFFSET', 'APPROX_QUANTILES(x, 100)[OFFSET(0)]', '1'],
  [
    'inside IF and arithmetic',
    'IF(COUNT(*) > 1, 1 + APPROX_QUANTILES(x, 100)[SAFE_OFFSET(99)], 0)',
    '991',
  ],
  ['an expression with commas', 'APPROX_QUANTILES(IF(x > 10, x, NULL), 2)[SAFE_OFFSET(0)]', '11'],
  ['text', "APPROX_QUANTILES(FORMAT('%04d', x), 2)[SAFE_OFFSET(2)]", '1000'],
  ['DISTINCT', 'APPROX_QUANTILES(DISTINCT DIV(x, 501), 1)[SAFE_OFFSET(1)]', '1'],
  ['RESPECT NULLS', 'APPROX_QUANTILES(NULLIF(x, 1), 1 RESPECT NULLS)[SAFE_OFFSET(0)]', null],
  ['no values', 'APPROX_QUANTILES(CAST(NULL AS INT64), 2)[SAFE_OFFSET(1)]', null],
  [
    'a subquery inside',
    'APPROX_QUANTILES((SELECT MAX(y) FROM UNNEST([x, 5]) AS y), 1)[SAFE_OFFSET(0)]',
    '5',
  ],
  ['APPROX_COUNT_DISTINCT', 'APPROX_COUNT_DISTINCT(MOD(x, 7))', '7'],
])('evaluates %s', async (_, sql, value) => {
  expect(await bigquery.first(`SELECT ${sql} FROM UNNEST(GENERATE_ARRAY(1, 1000)) AS x`)).toEqual([
    value,
  ]);
});

it('evaluates quantiles of quantiles in nested queries, with a parameter as their number', async () => {
  const query = `SELECT approx_quantiles(p, @n)[SAFE_OFFSET(1)] FROM (
    SELECT APPROX_QUANTILES(x, 2)[SAFE_OFFSET(1)] AS p FROM UNNEST(GENERATE_ARRAY(1, 9)) AS x GROUP BY MOD(x, 3))`;
  expect(await bigquery.first({ query, params: { n: 1 } })).toEqual(['6']);
});

it.each([
  ["SELECT 'APPROX_QUANTILES(x, 2)' -- APPROX_QUANTILES(x, 2)"],
  ['SELECT t.APPROX_QUANTILES(x, 2), `APPROX_QUANTILES`(x, 2), approx_quantiles'],
  ['SELECT APPROX_QUANTILES(x)'],
  ['SELECT APPROX_QUANTILES(x, 2'],
])('does not change %s', (sql) => {
  expect(exactAggregates(sql)).toBe(sql);
});
