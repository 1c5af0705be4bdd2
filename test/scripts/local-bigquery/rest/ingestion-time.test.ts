// What the local BigQuery reads of tables with partitions by time of ingestion.
import type { LocalTable } from '../../../../scripts/local-bigquery/rest/server.ts';
import { columns } from '../../../support/sql/columns.ts';
import { readExpectations } from '../../../support/sql/read-expectations.ts';
import { failureOf, testBigQuery } from './local-bigquery.ts';

const { rows: queries = [], read = [] } = readExpectations(
  'test/scripts/local-bigquery/rest/ingestion-time.sql',
);

/** A row has 8 bytes in `n`; the pseudo columns are free. */
const rows = [
  { n: 1, _PARTITIONTIME: '2026-11-20T10:30:00Z' },
  { n: 2, _PARTITIONTIME: '2026-11-18T00:00:00Z' },
  { n: 3, _PARTITIONDATE: '2026-11-19' },
  { n: 4 },
];

const table = (name: string, type: 'DAY' | 'HOUR', requirePartitionFilter = false): LocalTable => ({
  name,
  fields: columns('n INTEGER REQUIRED'),
  definition: { partitioning: { type }, requirePartitionFilter },
  // Only partitions by DAY have days.
  rows: rows.filter((row) => type === 'DAY' || !('_PARTITIONDATE' in row)),
});
const bigquery = await testBigQuery({
  tables: [table('visits', 'DAY'), table('hourly', 'HOUR'), table('bounded', 'DAY', true)],
});

const { cells } = bigquery;

it.each(queries)('%s', async (query, found) => {
  expect(await cells(query)).toEqual(JSON.parse(found));
});

it('has _PARTITIONDATE only for partitions by DAY', async () => {
  expect(await failureOf(bigquery.raw('SELECT _PARTITIONDATE AS d FROM hourly'))).toContain(
    ': Unrecognized name: _PARTITIONDATE',
  );
});

it.each(read)('%s reads the bytes of %s rows', async (query, count) => {
  expect(await bigquery.answer({ query })).toMatchObject({
    totalBytesProcessed: String(Number(count) * 8),
  });
});

it('requires a partition filter if the table does', async () => {
  expect(await failureOf(bigquery.raw('SELECT n FROM bounded'))).toBe(
    "400 invalidQuery: Cannot query over table 'test-project.logs.bounded' without a filter over column(s) '_PARTITIONTIME, _PARTITIONDATE' that can be used for partition elimination",
  );
  expect(await cells("SELECT n FROM bounded WHERE _PARTITIONDATE = '2026-11-19'")).toEqual([['3']]);
  expect(await cells("SELECT n FROM bounded WHERE _PARTITIONTIME > '2026-11-19'")).toEqual([['1']]);
});

it('rejects a row with an invalid ingestion time', async () => {
  await expect(
    async () => await bigquery.appendRows('visits', [{ n: 1, _PARTITIONTIME: 'today' }]),
  ).rejects.toThrow('_PARTITIONTIME is "today"; expected a time such as "2026-11-20T10:00:00Z"');
});
