// Tests that every way of writing the current time follows the fixed clock of a test.
import { testBigQuery } from '../rest/local-bigquery.ts';

const NOW_MS = Date.UTC(2030, 0, 2, 3, 4, 5);
const bigquery = await testBigQuery({ clock: { nowMs: () => NOW_MS }, tables: [] });

it.each([
  ['SELECT FORMAT_TIMESTAMP("%F %T", CURRENT_TIMESTAMP())', '2030-01-02 03:04:05'],
  ['SELECT FORMAT_TIMESTAMP("%F %T", CURRENT_TIMESTAMP)', '2030-01-02 03:04:05'],
  ['SELECT FORMAT_TIMESTAMP("%F %T", `current_timestamp`())', '2030-01-02 03:04:05'],
  ['SELECT FORMAT_TIMESTAMP("%F %T", `CURRENT\\x5fTIMESTAMP`())', '2030-01-02 03:04:05'],
  ['SELECT `\\u0043urrent_date`("Asia/Tokyo")', '2030-01-02'],
  ['SELECT FORMAT_TIMESTAMP("%F %T", SAFE.CURRENT_TIMESTAMP())', '2030-01-02 03:04:05'],
  ['SELECT SAFE.`current_date`("Asia/Tokyo")', '2030-01-02'],
  ['SELECT CURRENT_DATETIME("UTC")', '2030-01-02T03:04:05'],
  ['SELECT CURRENT_TIME()', '03:04:05'],
  [
    'SELECT WITH(now AS CURRENT_DATE, today AS CURRENT_DATE(), CONCAT(now, today))',
    '2030-01-022030-01-02',
  ],
  ['CREATE TEMP FUNCTION f(x ANY TYPE) AS (CURRENT_DATE + x); SELECT f(1)', '2030-01-03'],
  ["SELECT 'CURRENT_TIMESTAMP()' -- CURRENT_TIMESTAMP()", 'CURRENT_TIMESTAMP()'],
  [
    'SELECT FORMAT_TIMESTAMP("%F %T", current_timestamp /* CURRENT_DATE( */)',
    '2030-01-02 03:04:05',
  ],
  // Columns and aliases of these names are none.
  ['SELECT current_date FROM (SELECT "a" AS current_date)', '2030-01-02'],
  ['SELECT `current_date` FROM (SELECT "a" AS `current_date`)', 'a'],
  ['SELECT t.current_date FROM (SELECT "a" AS current_date) AS t', 'a'],
])('%s', async (query, expected) => {
  expect(await bigquery.first(query)).toEqual([expected]);
});
