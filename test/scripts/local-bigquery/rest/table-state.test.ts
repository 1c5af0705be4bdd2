// Tests of the state of tables, by Google's client: INFORMATION_SCHEMA.PARTITIONS and tables.get.
import { columns } from '../../../support/sql/columns.ts';
import { PLAIN_TABLE } from '../../../../scripts/sources/read-definition.ts';
import { type TestBigQuery, testBigQuery } from './local-bigquery.ts';
import { deleteRows, flush, streamRows } from '../../../support/bigquery/changed-rows.ts';

const byDay = { type: 'DAY' as const };
const shards = { prefix: 'events_', format: 'YYYYMMDD' as const };
const fields = columns('id INT64');

let nowMs: number;
let bigquery: TestBigQuery;

beforeEach(async () => {
  nowMs = Date.parse('2026-11-20T10:00:00Z');
  bigquery = await testBigQuery({
    clock: { nowMs: () => nowMs },
    tables: [
      {
        name: 'orders',
        fields: columns('day DATE, id INT64'),
        definition: { ...PLAIN_TABLE, partitioning: { ...byDay, field: 'day' } },
      },
      { name: 'ingested', fields, definition: { ...PLAIN_TABLE, partitioning: byDay } },
      { name: 'plain', fields, definition: PLAIN_TABLE },
      { name: 'plain_view', fields, viewOf: 'plain' },
      { name: 'web.events', fields, definition: { ...PLAIN_TABLE, shards } },
    ],
  });
});

const ALL = `SELECT table_name, partition_id, total_rows, total_logical_bytes, last_modified_time
FROM \`test-project.logs.INFORMATION_SCHEMA.PARTITIONS\` ORDER BY 1, 2`;

/** `orders 20261119: 2 rows, 32 bytes, 10:00`. */
async function partitions(query = ALL): Promise<string[]> {
  return (await bigquery.cells(query)).map(([name, id, count, size, time]) => {
    const at = new Date(Number(time) / 1000).toISOString().slice(11, 16);
    return `${String(name)} ${String(id)}: ${String(count)} rows, ${String(size)} bytes, ${at}`;
  });
}

async function describeTable(table: string, dataset = 'logs'): Promise<unknown> {
  const response: unknown[] = await bigquery.client.dataset(dataset).table(table).getMetadata();
  return response[0];
}
const order = (day: string | null, id = 0) => ({ day, id });

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
  const days = ['2026-11-18', '2026-11-19', '2026-11-19'];
  await bigquery.appendRows('orders', days.map(order));
  nowMs += 60_000;
  deleteRows(bigquery, 'orders', (id, row) => id === '20261118' || row === 1);
  expect(await partitions()).toEqual([
    'orders 20261119: 1 rows, 16 bytes, 10:00',
    'plain null: 0 rows, 0 bytes, 00:00',
  ]);
  expect(await bigquery.cells('SELECT id FROM orders')).toEqual([['2']]);
});

it('lists streamed rows separately until they reach their partition', async () => {
  await streamRows(bigquery, 'orders', [order('2026-11-19')]);
  await streamRows(bigquery, 'plain', [{ id: 1 }]);
  expect(await partitions()).toContain('orders __UNPARTITIONED__: 1 rows, 16 bytes, 10:00');
  const streamingBuffer = { estimatedRows: '1', estimatedBytes: '8' };
  const streamed = { type: 'TABLE', numRows: '0', numBytes: '0', streamingBuffer };
  expect(await describeTable('plain')).toMatchObject(streamed);
  nowMs += 60_000;
  flush(bigquery, 'orders');
  flush(bigquery, 'plain');
  expect(await partitions()).toEqual([
    'orders 20261119: 1 rows, 16 bytes, 10:01',
    'plain null: 1 rows, 8 bytes, 10:01',
  ]);
  const flushed = await describeTable('plain');
  expect(flushed).toMatchObject({ numRows: '1', lastModifiedTime: String(nowMs) });
  expect(flushed).not.toHaveProperty('streamingBuffer');
});

it('lists shards by name, and rows without an ingestion time', async () => {
  await bigquery.appendRows('web.events', [{ id: 1, _TABLE_SUFFIX: '20261119' }]);
  const ingested = { id: 2, _PARTITIONTIME: '2026-11-19T07:00:00Z' };
  await bigquery.appendRows('ingested', [{ id: 1 }, ingested]);
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
  expect(await bigquery.cells('SELECT id FROM plain_view')).toEqual([['7']]);
  expect(await partitions()).toEqual(['plain null: 1 rows, 8 bytes, 10:00']);
  expect(await describeTable('plain_view')).toMatchObject({ type: 'VIEW' });
});

it.each([
  '`test-project`.`logs`.INFORMATION_SCHEMA.PARTITIONS',
  'logs.INFORMATION_SCHEMA.PARTITIONS',
  '`test-project.logs`.INFORMATION_SCHEMA.PARTITIONS',
])('is available as %s, and bills 10 MB', async (name) => {
  const query = `SELECT COUNT(*) FROM ${name} WHERE table_name = 'plain'`;
  expect(await bigquery.first(query)).toEqual(['1']);
  expect(await bigquery.answer({ query })).toMatchObject({ totalBytesProcessed: '10485760' });
});
