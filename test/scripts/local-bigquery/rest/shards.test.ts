// What the local BigQuery reads of tables that are sharded by time: rows, suffixes, and bytes worked out by hand.
import type { LocalTable } from '../../../../scripts/local-bigquery/rest/server.ts';
import type { Shards } from '../../../../scripts/local-bigquery/values/table-definition.ts';
import { PLAIN_TABLE } from '../../../../scripts/sources/read-definition.ts';
import { casesBeside } from '../../../support/cases.ts';
import { readExpectations } from '../../../support/sql/read-expectations.ts';
import { failureOf, testBigQuery } from './local-bigquery.ts';
import { columns } from '../../../support/sql/columns.ts';

const {
  rows: queries = [],
  rejected = [],
  bytes: scans = [],
} = readExpectations('test/scripts/local-bigquery/rest/shards.sql');

const cases = casesBeside(import.meta.filename);

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

it.each(queries)('%s', async (query, rows) => {
  expect(await cells(query)).toEqual(JSON.parse(rows));
});

it.each(rejected)('%s is rejected as in BigQuery', async (query, failure) => {
  expect(await failureOf(bigquery.raw(query))).toBe(failure);
});

describe('bytes', () => {
  const from = 'FROM `analytics_1.events_*` WHERE';
  it.each(scans)('reads %s', async (query, bytes) => {
    expect(await bigquery.answer({ query })).toMatchObject({ totalBytesProcessed: bytes });
  });

  it.each(cases<[first: string, last: string, sum: string, bytes: string]>('parameters'))(
    'depend on the values of parameters: %s to %s',
    async (first, last, sum, bytes) => {
      const { client } = bigquery;
      const query = {
        query: `SELECT SUM(n) ${from} _TABLE_SUFFIX BETWEEN FORMAT_DATE('%Y%m%d', @first) AND FORMAT_DATE('%Y%m%d', @last)`,
        params: { first: client.date(first), last: client.date(last) },
      };
      expect(await bigquery.first(query)).toEqual([sum]);
      expect(await bigquery.answer(query)).toMatchObject({ totalBytesProcessed: bytes });
    },
  );

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

it.each(cases<[row: object, found: string]>('rows without a shard'))(
  'rejects a row without a valid shard: %j',
  async (row, found) => {
    const appended = async () => bigquery.appendRows('analytics_1.events', [{ n: 1, ...row }]);
    await expect(appended()).rejects.toThrow(
      `_TABLE_SUFFIX is ${found}; expected the shard of the row as YYYYMMDD`,
    );
  },
);

it.each(cases<string>('other tables'))(
  'rejects a wildcard that also matches another table: %s',
  async (query) => {
    expect(await failureOf(bigquery.raw(query))).toBe(
      '501 notRunLocally: Not run locally: ga.events_* also matches the table ga.intraday, which is not read here (give _TABLE_SUFFIX an upper bound); run the query on BigQuery, or rewrite it without this',
    );
  },
);
