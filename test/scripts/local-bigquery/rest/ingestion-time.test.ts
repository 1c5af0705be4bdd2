// What the local BigQuery reads of tables with partitions by time of ingestion.
import type { LocalTable } from '../../../../scripts/local-bigquery/rest/server.ts';
import { columns } from '../../../support/sql/columns.ts';
import { failureOf, testBigQuery } from './local-bigquery.ts';

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

it.each<[string, unknown[][]]>([
  ['SELECT * FROM visits WHERE n = 1', [['1']]],
  [
    "SELECT n, FORMAT_TIMESTAMP('%F %T', _PARTITIONTIME), CAST(_PARTITIONDATE AS STRING) FROM visits ORDER BY n",
    [
      ['1', '2026-11-20 00:00:00', '2026-11-20'],
      ['2', '2026-11-18 00:00:00', '2026-11-18'],
      ['3', '2026-11-19 00:00:00', '2026-11-19'],
      ['4', null, null],
    ],
  ],
  ["SELECT n FROM visits WHERE _PARTITIONTIME = TIMESTAMP '2026-11-20'", [['1']]],
  ["SELECT n FROM visits WHERE _PARTITIONDATE = '2026-11-19'", [['3']]],
  ['SELECT n FROM visits WHERE _PARTITIONTIME IS NULL', [['4']]],
  ["SELECT n FROM hourly WHERE _PARTITIONTIME = TIMESTAMP '2026-11-20 10:00:00'", [['1']]],
  ["SELECT COUNT(*) FROM visits AS v WHERE v._partitiondate > '2026-11-18'", [['2']]],
])('%s', async (query, found) => {
  expect(await cells(query)).toEqual(found);
});

it('has _PARTITIONDATE only for partitions by DAY', async () => {
  expect(await failureOf(bigquery.raw('SELECT _PARTITIONDATE AS d FROM hourly'))).toContain(
    ': Unrecognized name: _PARTITIONDATE',
  );
});

it.each<[string, number]>([
  ['SELECT n FROM visits', 4],
  ["SELECT n FROM visits WHERE _PARTITIONTIME >= '2026-11-19'", 2],
  ["SELECT n FROM visits WHERE _PARTITIONDATE = '2026-11-18'", 1],
  ["SELECT n FROM visits WHERE _PARTITIONDATE IN ('2026-11-18', '2026-11-20')", 2],
  ["SELECT n FROM visits WHERE _PARTITIONDATE > '2026-11-18' AND _PARTITIONTIME < '2026-11-20'", 1],
  ["SELECT n FROM visits WHERE DATE(_PARTITIONTIME) = '2026-11-20'", 1],
  ['SELECT n FROM visits WHERE _PARTITIONTIME IS NULL', 1],
  ["SELECT n FROM hourly WHERE _PARTITIONTIME >= '2026-11-20 11:00:00'", 0],
  ['SELECT _PARTITIONTIME AS p FROM visits', 0],
])('%s reads the bytes of %i rows', async (query, count) => {
  expect(await bigquery.answer({ query })).toMatchObject({
    totalBytesProcessed: String(count * 8),
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
