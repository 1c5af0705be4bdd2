// Tests of the calls of APPROX_QUANTILES that are rewritten; conformance/ and differential.long.test.ts have their values.
import { exactAggregates } from '../../../../../scripts/local-bigquery/dialect/functions/approx-aggregates.ts';
import { testBigQuery } from '../../rest/local-bigquery.ts';

const bigquery = await testBigQuery({ tables: [] });

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
