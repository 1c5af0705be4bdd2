// What the local BigQuery reads of tables that are sharded by time: rows, suffixes, and bytes worked out by hand.
import type { LocalTable } from '../../../../scripts/local-bigquery/rest/server.ts';
import type { Shards } from '../../../../scripts/local-bigquery/values/table-definition.ts';
import { PLAIN_TABLE } from '../../../../scripts/sources/read-definition.ts';
import { failureOf, testBigQuery } from './local-bigquery.ts';
import { columns } from '../../../support/sql/columns.ts';

/** A row has 8 bytes in `n`, and 2 + 1 in `name`. */
function sharded(name: string, shards: Shards, suffixes: readonly string[]): LocalTable {
  return {
    name,
    fields: columns('n INTEGER REQUIRED, name STRING'),
    definition: { ...PLAIN_TABLE, shards },
    rows: suffixes.map((suffix, index) => ({ n: index + 1, name: 'x', _TABLE_SUFFIX: suffix })),
  };
}

const days = ['20261120', '20251231', '20261119', '20261120', '20261201'];
const bigquery = await testBigQuery({
  tables: [
    sharded('analytics_1.events', { prefix: 'events_', format: 'YYYYMMDD' }, days),
    sharded('ga.events', { prefix: 'events_', format: 'YYYYMMDD' }, days),
    sharded('ga.intraday', { prefix: 'events_intraday_', format: 'YYYYMMDD' }, ['20261201']),
    sharded('noaa.gsod', { prefix: 'gsod', format: 'YYYY' }, ['1999', '2000', '2001']),
    sharded('a.months', { prefix: 'months_', format: 'YYYYMM' }, ['202610', '202611']),
    sharded('a.hours', { prefix: 'hours_', format: 'YYYYMMDDHH' }, ['2026112009', '2026112010']),
    sharded('a.nothing', { prefix: 'nothing_', format: 'YYYYMMDD' }, []),
  ],
});

const { cells } = bigquery;

it.each(
  Object.entries<unknown[][]>({
    'SELECT * FROM `analytics_1.events_*` WHERE n > 4': [['5', 'x']],
    'SELECT n, _table_suffix AS day FROM `analytics_1.events_*` WHERE n = 3': [['3', '20261119']],
    'SELECT `events_*`.n FROM analytics_1.`events_*` WHERE `events_*`.n = 3': [['3']],
    "SELECT n FROM `test-project.analytics_1.events_*` WHERE _TABLE_SUFFIX = '20251231'": [['2']],
    "SELECT SUM(n) FROM `analytics_1.events_*` WHERE _TABLE_SUFFIX BETWEEN '20261119' AND '20261120'":
      [['8']],
    'SELECT e._TABLE_SUFFIX AS day, COUNT(*) FROM `analytics_1.events_*` AS e GROUP BY day ORDER BY day DESC LIMIT 1':
      [['20261201', '1']],

    // The suffix is what the star stands for.
    'SELECT n, _TABLE_SUFFIX AS rest FROM `analytics_1.events_2026*` WHERE n = 3': [['3', '1119']],
    "SELECT n FROM `analytics_1.events_202612*` WHERE _TABLE_SUFFIX = '01'": [['5']],
    "SELECT a.n + b.n FROM `analytics_1.events_2025*` AS a JOIN `analytics_1.events_*` AS b ON b._TABLE_SUFFIX = CONCAT('2025', a._TABLE_SUFFIX)":
      [['4']],

    // One shard is a table like any other.
    'SELECT * FROM analytics_1.events_20261119': [['3', 'x']],
    'SELECT * FROM test-project.analytics_1.events_20261119': [['3', 'x']],
    'SELECT SUM(events_20261120.n) FROM analytics_1.events_20261120': [['5']],
    "SELECT n FROM `noaa.gsod*` WHERE _TABLE_SUFFIX >= '2001'": [['3']],
    'SELECT n, _TABLE_SUFFIX AS s FROM `noaa.gsod20*` WHERE n = 3': [['3', '01']],

    // An upper bound leaves out what begins with a letter.
    "SELECT SUM(n) FROM `ga.events_*` WHERE _TABLE_SUFFIX < '20261120'": [['5']],
    'SELECT SUM(n) FROM `ga.events_intraday_*`': [['1']],

    // Nothing is known of the shards of a table without rows.
    'SELECT COUNT(*) FROM `a.nothing_2026*`': [['0']],
  }),
)('%s', async (query, rows) => {
  expect(await cells(query)).toEqual(rows);
});

it.each(
  Object.entries({
    'SELECT n FROM `analytics_1.events_2031*`':
      '400 invalid: test-project:analytics_1.events_2031* does not match any table.',
    'SELECT n FROM `analytics_1.visits_*`':
      '400 invalid: test-project:analytics_1.visits_* does not match any table.',
    'SELECT n FROM analytics_1.events_20311120':
      '404 notFound: Not found: Table test-project:analytics_1.events_20311120 was not found in location US at [1:15]',
    'SELECT _TABLE_SUFFIX FROM analytics_1.events_20261120':
      '400 invalidQuery: Unrecognized name: _TABLE_SUFFIX at [1:8]',
  }),
)('%s is rejected as in BigQuery', async (query, failure) => {
  expect(await failureOf(bigquery.raw(query))).toBe(failure);
});

describe('bytes', () => {
  const from = 'FROM `analytics_1.events_*` WHERE';
  it.each(
    Object.entries<number>({
      'SELECT n FROM `analytics_1.events_*`': 5 * 8,
      'SELECT n FROM `analytics_1.events_2026*`': 4 * 8,
      'SELECT n, name FROM analytics_1.events_20261120': 2 * 11,
      [`SELECT n ${from} _TABLE_SUFFIX = '20261120'`]: 2 * 8,
      [`SELECT n ${from} _TABLE_SUFFIX IN ('20261120', '20251231')`]: 3 * 8,
      [`SELECT n ${from} _TABLE_SUFFIX BETWEEN '20261119' AND '20261120'`]: 3 * 8,
      [`SELECT n ${from} _TABLE_SUFFIX < '2026' OR _TABLE_SUFFIX > '20261130'`]: 16,
      "SELECT n FROM `analytics_1.events_2026*` WHERE _TABLE_SUFFIX BETWEEN '1101' AND '1119'": 8,
      [`SELECT n ${from} _TABLE_SUFFIX >= FORMAT_DATE('%Y%m%d', DATE_ADD(DATE '2026-11-20', INTERVAL 1 DAY))`]: 8,
      [`SELECT n ${from} PARSE_DATE('%Y%m%d', _TABLE_SUFFIX) > DATE '2026-11-20'`]: 8,
      [`SELECT n FROM (SELECT *, _TABLE_SUFFIX AS day FROM \`analytics_1.events_*\`) WHERE day = '20261201'`]: 8,
      [`SELECT _TABLE_SUFFIX AS day ${from} n > 0`]: 5 * 8,
      [`SELECT n ${from} _TABLE_SUFFIX = '20311120'`]: 0,

      // By these BigQuery may leave out shards too; here they do not.
      [`SELECT n ${from} SUBSTR(_TABLE_SUFFIX, 1, 4) = '2025'`]: 5 * 8,
      "SELECT n FROM `noaa.gsod*` WHERE _TABLE_SUFFIX >= '2000'": 2 * 8,
      "SELECT n FROM `a.months_*` WHERE _TABLE_SUFFIX = '202611'": 8,
      "SELECT n FROM `a.hours_*` WHERE _TABLE_SUFFIX > '2026112009'": 8,
    }),
  )('reads %s', async (query, bytes) => {
    expect(await bigquery.answer({ query })).toMatchObject({ totalBytesProcessed: String(bytes) });
  });

  it.each([
    ['2026-11-19', '2026-11-20', '8', '24'],
    ['2026-12-01', '2026-12-31', '5', '8'],
  ])('depend on the values of parameters: %s to %s', async (first, last, sum, bytes) => {
    const { client } = bigquery;
    const query = {
      query: `SELECT SUM(n) ${from} _TABLE_SUFFIX BETWEEN FORMAT_DATE('%Y%m%d', @first) AND FORMAT_DATE('%Y%m%d', @last)`,
      params: { first: client.date(first), last: client.date(last) },
    };
    expect(await bigquery.first(query)).toEqual([sum]);
    expect(await bigquery.answer(query)).toMatchObject({ totalBytesProcessed: bytes });
  });

  it('are billed per shard as per table', async () => {
    const query = `SELECT n ${from} _TABLE_SUFFIX BETWEEN '20261119' AND '20261120'`;
    expect(await bigquery.answer({ query })).toMatchObject({
      totalBytesBilled: String(2 * 10 * 1024 * 1024),
    });
  });
});

it('finds a shard as soon as it has rows', async () => {
  const query = 'SELECT n FROM `a.months_202701`';
  expect(await failureOf(bigquery.raw(query))).toContain('notFound');
  await bigquery.appendRows('a.months', [{ n: 9, _TABLE_SUFFIX: '202701' }]);
  expect(await cells(query)).toEqual([['9']]);
});

it.each([
  [{}, 'missing'],
  [{ _TABLE_SUFFIX: '2026-11-20' }, '"2026-11-20"'],
  [{ _TABLE_SUFFIX: '20260230' }, '"20260230"'],
])('rejects a row without a valid shard: %j', async (row, found) => {
  const appended = async () => bigquery.appendRows('analytics_1.events', [{ n: 1, ...row }]);
  await expect(appended()).rejects.toThrow(
    `_TABLE_SUFFIX is ${found}; expected the shard of the row as YYYYMMDD`,
  );
});

it.each([
  'SELECT SUM(n) FROM `ga.events_*`',
  "SELECT SUM(n) FROM `ga.events_*` WHERE _TABLE_SUFFIX > '2026'",
])('rejects a wildcard that also matches another table: %s', async (query) => {
  expect(await failureOf(bigquery.raw(query))).toBe(
    '501 notRunLocally: Not run locally: ga.events_* also matches the table ga.intraday, which is not read here (give _TABLE_SUFFIX an upper bound); run the query on BigQuery, or rewrite it without this',
  );
});
