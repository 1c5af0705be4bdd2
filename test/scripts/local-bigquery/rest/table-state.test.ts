// Tests of the state of tables, by Google's client: INFORMATION_SCHEMA.PARTITIONS and tables.get.
import type { BigQuery } from '@google-cloud/bigquery';
import type { LocalBigQuery } from '../../../../scripts/local-bigquery/rest/server.ts';
import { columns } from '../../../support/sql/columns.ts';
import { startLocalBigQuery } from '../../../support/bigquery/local-bigquery.ts';
import { createLocalBigQueryClient } from '../../../support/bigquery/local-query-runner.ts';

const byDay = (field?: string) => ({
  partitioning: { type: 'DAY' as const, ...(field === undefined ? {} : { field }) },
  requirePartitionFilter: false,
});
const shards = { prefix: 'events_', format: 'YYYYMMDD' as const };
const unpartitioned = { partitioning: null, requirePartitionFilter: false };

let nowMs: number;
let bigquery: LocalBigQuery;
let client: BigQuery;

beforeEach(async () => {
  nowMs = Date.parse('2026-11-20T10:00:00Z');
  bigquery = await startLocalBigQuery({
    freshMs: 0,
    clock: { nowMs: () => nowMs },
    tables: [
      { name: 'orders', fields: columns('day DATE, id INT64'), definition: byDay('day') },
      { name: 'ingested', fields: columns('id INT64'), definition: byDay() },
      { name: 'plain', fields: columns('id INT64'), definition: unpartitioned },
      { name: 'plain_view', fields: columns('id INT64'), viewOf: 'plain' },
      { name: 'web.events', fields: columns('id INT64'), definition: { ...unpartitioned, shards } },
    ],
  });
  client = createLocalBigQueryClient(bigquery.url);
});

const ALL = `SELECT table_name, partition_id, total_rows, total_logical_bytes, last_modified_time
FROM \`test-project.logs.INFORMATION_SCHEMA.PARTITIONS\` ORDER BY 1, 2`;

/** `orders 20261119: 2 rows, 32 bytes, 10:00`. */
async function partitions(query = ALL): Promise<string[]> {
  const [rows] = await client.query({ query });
  return (rows as Record<string, unknown>[]).map((row) => {
    const time = (row.last_modified_time as { value: string }).value.slice(11, 16);
    const {
      table_name: name,
      partition_id: id,
      total_rows: count,
      total_logical_bytes: size,
    } = row;
    return `${String(name)} ${String(id)}: ${String(count)} rows, ${String(size)} bytes, ${time}`;
  });
}

const describeTable = async (table: string, dataset = 'logs'): Promise<Record<string, unknown>> => {
  const response = (await client.dataset(dataset).table(table).getMetadata()) as unknown[];
  return response[0] as Record<string, unknown>;
};
const order = (day: string | null, id = 1) => ({ day, id });

it('contains the rows, the bytes and the last change of each partition', async () => {
  await bigquery.appendRows('orders', [order('2026-11-18'), order('2026-11-19'), order(null)]);
  nowMs += 60_000;
  await bigquery.appendRows('orders', [order('2026-11-19', 2)]);
  await bigquery.appendRows('plain', [{ id: 1 }]);
  expect(await partitions()).toEqual([
    'orders 20261118: 1 rows, 16 bytes, 10:00',
    'orders 20261119: 2 rows, 32 bytes, 10:01',
    'orders __NULL__: 1 rows, 8 bytes, 10:00',
    'plain null: 1 rows, 8 bytes, 10:01',
  ]);
});

it('keeps the time when rows are deleted, and omits empty partitions', async () => {
  await bigquery.appendRows('orders', [
    order('2026-11-18'),
    order('2026-11-19', 1),
    order('2026-11-19', 2),
  ]);
  nowMs += 60_000;
  bigquery.deleteRows('orders', (id, row) => id === '20261118' || row === 1);
  expect(await partitions()).toEqual([
    'orders 20261119: 1 rows, 16 bytes, 10:00',
    'plain null: 0 rows, 0 bytes, 00:00',
  ]);
  const [rows] = await client.query({ query: 'SELECT id FROM logs.orders' });
  expect(rows).toEqual([{ id: 2 }]);
});

it('lists streamed rows separately until they reach their partition', async () => {
  await bigquery.streamRows('orders', [order('2026-11-19')]);
  await bigquery.streamRows('plain', [{ id: 1 }]);
  expect(await partitions()).toContain('orders __UNPARTITIONED__: 1 rows, 16 bytes, 10:00');
  expect(await describeTable('plain')).toMatchObject({
    ...{ type: 'TABLE', numRows: '0', numBytes: '0' },
    streamingBuffer: { estimatedRows: '1', estimatedBytes: '8' },
  });
  nowMs += 60_000;
  bigquery.flush('orders');
  bigquery.flush('plain');
  expect(await partitions()).toEqual([
    'orders 20261119: 1 rows, 16 bytes, 10:01',
    'plain null: 1 rows, 8 bytes, 10:01',
  ]);
  const { streamingBuffer, numRows, lastModifiedTime } = await describeTable('plain');
  expect({ streamingBuffer, numRows, lastModifiedTime }).toEqual({
    ...{ streamingBuffer: undefined, numRows: '1', lastModifiedTime: String(nowMs) },
  });
});

it('lists shards by name, and rows without an ingestion time', async () => {
  await bigquery.appendRows('web.events', [{ id: 1, _TABLE_SUFFIX: '20261119' }]);
  await bigquery.appendRows('ingested', [
    { id: 1 },
    { id: 2, _PARTITIONTIME: '2026-11-19T07:00:00Z' },
  ]);
  expect(await partitions(ALL.replace('test-project.logs', 'web'))).toEqual([
    'events_20261119 null: 1 rows, 8 bytes, 10:00',
  ]);
  expect((await partitions()).filter((line) => line.startsWith('ingested'))).toEqual([
    'ingested 20261119: 1 rows, 8 bytes, 10:00',
    'ingested __UNPARTITIONED__: 1 rows, 8 bytes, 10:00',
  ]);
  expect(await describeTable('events_20261119', 'web')).toMatchObject({ numRows: '1' });
  await expect(describeTable('events_20261120', 'web')).rejects.toThrow('Not found: Table');
});

it('shows a view as a view, with the rows of its table but no partitions', async () => {
  await bigquery.appendRows('plain', [{ id: 7 }]);
  const [rows] = await client.query({ query: 'SELECT id FROM logs.plain_view' });
  expect(rows).toEqual([{ id: 7 }]);
  expect(await partitions()).toEqual(['plain null: 1 rows, 8 bytes, 10:00']);
  expect(await describeTable('plain_view')).toMatchObject({ type: 'VIEW' });
});

it.each([
  '`test-project`.`logs`.INFORMATION_SCHEMA.PARTITIONS',
  'logs.INFORMATION_SCHEMA.PARTITIONS',
  '`test-project.logs`.INFORMATION_SCHEMA.PARTITIONS',
])('is available as %s, and bills 10 MB', async (name) => {
  const query = `SELECT COUNT(*) AS lines FROM ${name} WHERE table_name = 'plain'`;
  const [job] = await client.createQueryJob({ query });
  expect((await job.getQueryResults())[0]).toEqual([{ lines: 1 }]);
  const response = (await job.getMetadata()) as unknown[];
  expect(response[0]).toMatchObject({ statistics: { totalBytesProcessed: '10485760' } });
});
