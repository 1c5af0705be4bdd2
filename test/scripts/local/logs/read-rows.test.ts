// One file of rows: what is taken, and what is said of a file that is broken.
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { readRows } from '../../../../scripts/local/logs/read-rows.ts';
import type { ReadRowsOptions } from '../../../../scripts/local/logs/read-rows.ts';
import type { TableField } from '../../../../scripts/local/googlesql/table-schema.ts';

const FIELDS: TableField[] = [
  { name: 'id', type: 'STRING', mode: 'REQUIRED' },
  { name: 'at', type: 'TIMESTAMP' },
  {
    name: 'items',
    type: 'RECORD',
    mode: 'REPEATED',
    fields: [{ name: 'count', type: 'INTEGER' }],
  },
];
const A = '{"id":"a"}';
const B = '{"id":"b"}';
const IDS_A_B = [{ stringValue: 'a' }, { stringValue: 'b' }];

let directory: string;
let path: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'rows-'));
  path = join(directory, 'orders.ndjson');
});
afterEach(() => rm(directory, { recursive: true }));

async function read(options?: ReadRowsOptions) {
  return await Array.fromAsync(readRows(path, FIELDS, options));
}

async function failure(): Promise<string> {
  return await read().then(
    () => 'read',
    (err: Error) => `${err.constructor.name} ${err.message}`,
  );
}

it('reads each line as a row, one value per column of the schema', async () => {
  await writeFile(
    path,
    '{"id":"a","at":"2026-11-20 10:00:00 UTC","items":[{"count":"7"},{"count":null}]}\n{"id":"b"}\n',
  );
  expect(await read()).toEqual([
    [
      { stringValue: 'a' },
      { timestampValue: { seconds: '1795168800', nanos: 0 } },
      {
        arrayValue: {
          element: [
            { structValue: { field: [{ int64Value: '7' }] } },
            { structValue: { field: [{}] } },
          ],
        },
      },
    ],
    [{ stringValue: 'b' }, {}, { arrayValue: { element: [] } }],
  ]);
});

it.each([
  ['no line end at the end', `${A}\n${B}`],
  ['Windows line ends', `${A}\r\n${B}\r\n`],
  ['a byte order mark', `\uFEFF${A}\n${B}\n`],
  ['empty lines', `\n${A}\n  \n\r\n${B}\n\n`],
  ['gzip', gzipSync(`${A}\n${B}\n`)],
  ['gzip in two parts', Buffer.concat([gzipSync(`${A}\n`), gzipSync(`${B}\n`)])],
  ['column names in other letter case', '{"ID":"a"}\n{"Id":"b"}\n'],
])('takes %s', async (_, content) => {
  await writeFile(path, content);
  expect((await read()).map(([id]) => id)).toEqual(IDS_A_B);
});

it.each([
  ['an empty file', ''],
  ['a file of empty lines', '\n\r\n'],
  ['a gzip file without content', gzipSync('')],
])('takes %s as no rows', async (_, content) => {
  await writeFile(path, content);
  expect(await read()).toEqual([]);
});

it('takes lines of any length up to 100 MiB, and refuses longer ones by file and line', async () => {
  const long = 'x'.repeat(50 * 1024 * 1024);
  await writeFile(path, `${A}\n{"id":"${long}"}\n${B}\n`);
  const rows = await read();
  expect(rows.map(([id]) => id?.stringValue?.length)).toEqual([1, 52_428_800, 1]);
  await writeFile(path, `${A}\n{"id":"${long}${long}"}\n`);
  expect(await failure()).toBe('RowsFileError orders.ndjson:2: the line is longer than 100 MiB');
});

it.each([
  ['broken JSON', '{}{', /orders\.ndjson:1: not valid JSON: /],
  ['a line that is no object', `${A}\n[]`, 'orders.ndjson:2: expected an object'],
  ['an unknown field', `${A}\n\n{"id":"b","extra":1}`, 'orders.ndjson:3: extra: no such field'],
  [
    'an unknown nested field',
    '{"id":"a","items":[{},{"price":1}]}',
    'orders.ndjson:1: items[1].price: no such field',
  ],
  [
    'a wrong type',
    '{"id":"a","at":"yesterday"}',
    'orders.ndjson:1: at: expected TIMESTAMP, found "yesterday"',
  ],
  [
    'a wrong nested type',
    '{"id":"a","items":[{"count":"many"}]}',
    'orders.ndjson:1: items[0].count: expected INT64, found "many"',
  ],
  ['a missing value', `${A}\n{"id":null}`, 'orders.ndjson:2: id: a value is required'],
  ['NULL in a list', '{"id":"a","items":[null]}', 'orders.ndjson:1: items[0]: a value is required'],
])('names file and line of %s', async (_, content, message) => {
  await writeFile(path, content);
  const found = await failure();
  expect(found).toMatch(message);
  expect(found).toMatch(/^RowsFileError [^\n]+$/);
});

it('says that a gzip file is cut off, or broken', async () => {
  const lines = Array.from({ length: 20_000 }, (_, id) => `{"id":"${id * 7919}"}\n`).join('');
  await writeFile(path, gzipSync(lines));
  await truncate(path, 40_000);
  expect(await failure()).toMatch(/^RowsFileError orders\.ndjson:\d{4}: the gzip data is cut off$/);
  await writeFile(path, Buffer.from([0x1f, 0x8b, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]));
  expect(await failure()).toBe(
    'RowsFileError orders.ndjson:1: broken gzip data: unknown compression method',
  );
});

it('says that there is no file, or that it is a directory', async () => {
  expect(await failure()).toBe('RowsFileError orders.ndjson: no such file');
  path = directory;
  expect(await failure()).toMatch(/^RowsFileError rows-\w+: is a directory, not a file$/);
});

it('ignores fields that the schema does not name, and names each once, where that is asked for', async () => {
  await writeFile(path, '{"id":"a","x":1,"items":[{"y":{"z":1}},{"y":2}]}\n{"id":"b","x":2}\n');
  const ignored: string[] = [];
  const rows = await read({ onUnknownField: (field) => ignored.push(field) });
  expect(rows.map(([id]) => id)).toEqual(IDS_A_B);
  expect(ignored).toEqual(['x', 'items.y']);
});

it('calls the file as it is told to', async () => {
  await writeFile(path, '{}');
  await expect(read({ name: 'sql/sources/orders/sample.ndjson' })).rejects.toThrow(
    /^sql\/sources\/orders\/sample\.ndjson:1: id: a value is required$/,
  );
});
