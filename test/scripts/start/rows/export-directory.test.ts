// A directory of exported rows: which files are read, and in which order.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { readExportDirectory } from '../../../../scripts/start/rows/export-directory.ts';
import type { EncodedRow } from '../../../../scripts/local-bigquery/values/row-encoder.ts';
import { PLAIN_TABLE } from '../../../../scripts/sources/read-definition.ts';
import type { Source } from '../../../../scripts/sources/read-sources.ts';
import { columns } from '../../../support/sql/columns.ts';
import { testDirectory } from '../../../support/temporary-directory.ts';

const fields = columns('id STRING, item RECORD (count INTEGER)');
const sources = ['orders', 'orders_old', 'crm.customers'].map((name): Source => ({
  name,
  fields,
  definition: PLAIN_TABLE,
}));

let directory: string;
beforeEach(() => void (directory = testDirectory('export-')));

/** One row per file, with the name of the file as its id. */
async function write(...names: string[]): Promise<void> {
  for (const name of names) {
    const line = `{"id":"${name}"}\n`;
    await writeFile(join(directory, name), name.endsWith('.gz') ? gzipSync(line) : line);
  }
}

/** The ids of the rows by table, without tables that are empty, and the notes. */
async function read() {
  const tables = await readExportDirectory(directory, sources);
  const notes = () => tables.flatMap((table) => table.notes());
  const ids: Record<string, (string | undefined)[]> = {};
  for (const { name, rows } of tables) {
    const read = await Array.fromAsync(rows as AsyncIterable<EncodedRow>);
    if (read.length > 0) ids[name] = read.map(([id]) => id?.stringValue);
  }
  return { ids, notes: notes().map((note) => note.replaceAll(directory, 'DIR')) };
}

async function failure(): Promise<string> {
  return await read().then(
    () => 'read',
    (err: Error) => `${err.constructor.name} ${err.message.replaceAll(directory, 'DIR')}`,
  );
}

it('reads parts in numeric order, whatever their endings and zeros', async () => {
  const shards = [
    'orders-000000000000.ndjson.gz',
    'orders-000000000001.json.gz',
    'orders-2.ndjson',
    'orders-000000000010.json',
    'orders-11.ndjson',
  ];
  await write(...shards.toReversed(), 'orders_old.json', 'crm.customers.ndjson.gz');
  expect(await read()).toEqual({
    ids: {
      orders: shards,
      orders_old: ['orders_old.json'],
      'crm.customers': ['crm.customers.ndjson.gz'],
    },
    notes: [],
  });
});

it('takes the shard of rows from their file name, unless the rows state it', async () => {
  const shards = { prefix: 'events_', format: 'YYYYMMDD' } as const;
  const definition = { ...PLAIN_TABLE, shards };
  const events: Source = { name: 'analytics_1.events', fields, definition };
  await write('analytics_1.events_20261121.ndjson.gz');
  await write('analytics_1.events_20261120-000000000000.ndjson');
  await write('analytics_1.events_20261120-000000000001.ndjson');
  const line = '{"id":"own","_TABLE_SUFFIX":"20261119"}\n';
  await writeFile(join(directory, 'analytics_1.events.ndjson'), line);
  const tables = await readExportDirectory(directory, [events]);
  const notes = () => tables.flatMap((table) => table.notes());
  const rows = await Array.fromAsync(tables[0]?.rows as AsyncIterable<EncodedRow>);
  expect(rows.map((row) => [row[0]?.stringValue, row.at(-1)?.stringValue])).toEqual([
    ['own', '20261119'],
    ['analytics_1.events_20261120-000000000000.ndjson', '20261120'],
    ['analytics_1.events_20261120-000000000001.ndjson', '20261120'],
    ['analytics_1.events_20261121.ndjson.gz', '20261121'],
  ]);
  expect(notes()).toEqual([]);
});

it('reads tables without a file as empty, and reports it', async () => {
  await write('orders.ndjson');
  await writeFile(join(directory, 'orders_old.ndjson'), '');
  expect(await read()).toEqual({
    ids: { orders: ['orders.ndjson'] },
    notes: ['crm.customers is empty: there is no crm.customers.ndjson in DIR'],
  });
});

it('reports ignored fields once for all files of a table, and only a few', async () => {
  await write('orders_old.ndjson', 'crm.customers.ndjson');
  const extra = (from: number, to: number) =>
    Object.fromEntries(Array.from({ length: to - from }, (_, index) => [`x${from + index}`, 1]));
  const lines = (...rows: object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('');
  await writeFile(
    join(directory, 'orders-0.ndjson'),
    lines({ id: 'a', item: { count: 1, price: 2 } }, { id: 'b', ...extra(0, 20) }),
  );
  await writeFile(
    join(directory, 'orders-1.ndjson'),
    lines({ id: 'c', ...extra(0, 40), item: { price: { amount: 3 } } }),
  );
  expect(await read()).toMatchObject({
    ids: { orders: ['a', 'b', 'c'] },
    notes: [
      'orders: ignored, not in schema.json or of a type without local values: item.price, x0, x1, x2, x3, … and 36 more',
    ],
  });
});

it.each([
  ['orders.ndjson', 'orders.ndjson.gz'],
  ['orders-0.ndjson', 'orders.ndjson'],
  ['orders-01.json', 'orders-1.ndjson'],
])('rejects %s together with %s, which would return rows twice', async (first, second) => {
  await write(second, first);
  expect(await failure()).toBe(
    `Error ${second}: may contain the same rows as ${first}: keep one of them`,
  );
});

it('rejects a directory without files for any table, and names the expected files', async () => {
  const expected =
    'Error DIR: no rows of any table. Expected orders.ndjson, orders_old.ndjson, crm.customers.ndjson';
  const endings =
    'The ending may be .ndjson or .json, with or without .gz; NAME-000000000000.ndjson and so on are read as one table';
  await write('notes.txt');
  expect(await failure()).toBe(`${expected}. ${endings}`);
});

it('stops reading when aborted', async () => {
  await write('orders-0.ndjson', 'orders-1.ndjson');
  const stop = new AbortController();
  const tables = await readExportDirectory(directory, sources, stop.signal);
  const rows = (tables[0]?.rows as AsyncIterable<EncodedRow>)[Symbol.asyncIterator]();
  expect((await rows.next()).value).toEqual([{ stringValue: 'orders-0.ndjson' }, {}]);
  stop.abort(new Error('enough'));
  await expect(rows.next()).rejects.toThrow('enough');
});

it('reports a missing directory, and a file in its place', async () => {
  await expect(readExportDirectory('/no/such/logs', sources)).rejects.toThrow(
    'There is no directory /no/such/logs.',
  );
  await expect(readExportDirectory('package.json', sources)).rejects.toThrow(
    'package.json cannot be read: not a directory.',
  );
});
