// One file of rows: what is taken, and what is said of a file that is broken.
import { truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type ReadRowsOptions, readRows } from '../../../scripts/sources/read-rows.ts';
import { columns } from '../../support/sql/columns.ts';
import { readExpectations } from '../../support/sql/read-expectations.ts';
import { testDirectory } from '../../support/temporary-directory.ts';

const FIELDS = columns('id STRING REQUIRED, at TIMESTAMP, items RECORD REPEATED (count INTEGER)');
const A = '{"id":"a"}';
const B = '{"id":"b"}';
const IDS_A_B = [{ stringValue: 'a' }, { stringValue: 'b' }];

let path: string;
beforeEach(() => void (path = join(testDirectory('rows-'), 'orders.ndjson')));

/** What is read of a file with this content. */
async function read(content: string | Uint8Array, options?: ReadRowsOptions, fields = FIELDS) {
  await writeFile(path, content);
  return await Array.fromAsync(readRows(path, { fields }, options));
}

/** `TYPE: json`. */
function readValue(text: string) {
  const [type, json] = text.split(': ');
  return read(`{"v":${json}}`, undefined, columns(`v ${type}`));
}

/** Of what `path` holds. */
async function failure(): Promise<string> {
  return await Array.fromAsync(readRows(path, { fields: FIELDS })).then(
    () => 'read',
    (err: Error) => `${err.constructor.name} ${err.message}`,
  );
}

it('reads each line as a row, one value per column of the schema', async () => {
  const line = '{"id":"a","at":"2026-11-20 10:00:00 UTC","items":[{"count":"7"},{"count":null}]}';
  const items = [{ field: [{ int64Value: '7' }] }, { field: [{}] }];
  expect(await read(`${line}\n${B}\n`)).toEqual([
    [
      { stringValue: 'a' },
      { timestampValue: { seconds: '1795168800', nanos: 0 } },
      { arrayValue: { element: items.map((structValue) => ({ structValue })) } },
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
])('accepts %s', async (_, content) => {
  expect((await read(content)).map(([id]) => id)).toEqual(IDS_A_B);
});

const ofLoadJob = readExpectations('test/scripts/sources/load-job.txt');

it.each(ofLoadJob.taken ?? [])(
  'accepts the input of a BigQuery load job: %s',
  async (text, expected) => {
    expect(await readValue(text)).toEqual([[JSON.parse(expected)]]);
  },
);

it.each(ofLoadJob.refused ?? [])('but not %s', async (text, expected) => {
  await expect(readValue(text)).rejects.toThrow(`orders.ndjson:1: v: expected ${expected}`);
});

it.each([
  ['an empty file', ''],
  ['a file of empty lines', '\n\r\n'],
  ['a gzip file without content', gzipSync('')],
])('reads %s as no rows', async (_, content) => {
  expect(await read(content)).toEqual([]);
});

it('accepts lines of any length up to 100 MiB, and rejects longer ones with file and line', async () => {
  const long = 'x'.repeat(50 * 1024 * 1024);
  const rows = await read(`${A}\n{"id":"${long}"}\n${B}\n`);
  expect(rows.map(([id]) => id?.stringValue?.length)).toEqual([1, 52_428_800, 1]);
  await writeFile(path, `${A}\n{"id":"${long}${long}"}\n`);
  expect(await failure()).toBe('FaultsError orders.ndjson:2: the line is longer than 100 MiB');
});

it.each(ofLoadJob.faulty ?? [])('reports the file and line of %j', async (content, message) => {
  await writeFile(path, content);
  expect(await failure()).toBe(`FaultsError orders.ndjson:${message}`);
});

it('reports a gzip file that is truncated or damaged', async () => {
  const lines = Array.from({ length: 20_000 }, (_, id) => `{"id":"${id * 7919}"}\n`).join('');
  await writeFile(path, gzipSync(lines));
  await truncate(path, 40_000);
  expect(await failure()).toMatch(/^FaultsError orders\.ndjson:\d{4}: the gzip data is truncated$/);
  await writeFile(path, Buffer.from([0x1f, 0x8b, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]));
  expect(await failure()).toBe(
    'FaultsError orders.ndjson:1: broken gzip data: unknown compression method',
  );
});

it('reports a missing file, and a directory', async () => {
  expect(await failure()).toBe('FaultsError orders.ndjson: no such file');
  path = dirname(path);
  expect(await failure()).toMatch(/^FaultsError rows-\w+: is a directory, not a file$/);
});

it('can ignore unknown fields, and then reports each', async () => {
  const content = '{"id":"a","x":1,"items":[{"y":{"z":1}},{"y":2}]}\n{"id":"b","x":2}\n';
  const ignored = new Set<string>();
  const rows = await read(content, { onUnknownField: (field) => void ignored.add(field) });
  expect(rows.map(([id]) => id)).toEqual(IDS_A_B);
  expect([...ignored]).toEqual(['x', 'items.y']);
});

it('can read values of an unsupported type as NULL', async () => {
  const fields = columns('id STRING, place GEOGRAPHY REQUIRED, trip RECORD (place GEOGRAPHY)');
  const content =
    '{"id":"a","place":"POINT(1 2)","trip":{"place":"POINT(3 4)"}}\n{"id":"b","place":"POINT(1 2)"}\n';
  const ignored = new Set<string>();
  const onUnknownField = (field: string) => void ignored.add(field);
  expect(await read(content, { onUnknownField }, fields)).toEqual([
    [{ stringValue: 'a' }, {}, { structValue: { field: [{}] } }],
    [{ stringValue: 'b' }, {}, {}],
  ]);
  expect([...ignored]).toEqual(['place (GEOGRAPHY)', 'trip.place (GEOGRAPHY)']);
  await expect(read(content, {}, fields)).rejects.toThrow(
    'orders.ndjson:1: place: GEOGRAPHY is not supported here',
  );
});

it('can continue after invalid lines, and then reports all of them', async () => {
  const faults: [number | undefined, string][] = [];
  const rows = await read(`${A}\n{"id":"c","cost":1}\nnonsense\n${B}\n[]\n`, {
    onFaultyLine: ({ line, message }) => faults.push([line, message]),
  });
  expect(rows.map(([id]) => id)).toEqual(IDS_A_B);
  expect(faults).toEqual([
    [2, 'cost: no such field'],
    [3, 'not valid JSON: Unexpected token \'o\', "nonsense" is not valid JSON'],
    [5, "expected an object on each line, found a list; jq -c '.[]' FILE converts it"],
  ]);
});
