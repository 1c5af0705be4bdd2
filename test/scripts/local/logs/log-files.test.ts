// Tests of reading log files: accepted forms, and the messages for faults.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readLogFiles } from '../../../../scripts/local/logs/log-files.ts';
import { readLogSources } from '../../../../scripts/local/logs/log-sources.ts';
import { TEST_SQL } from '../../../support/test-sql.ts';

const run = { timestamp: '2026-11-20 10:00:00.123456 UTC', project: 'p', duration_ms: '1.5' };
const visit = { timestamp: 1795168800.5, requests: [{ url: null }] };

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'logs-'));
  await write('task_runs', [run]);
  await write('web_visits', [visit, { ...visit, requests: [] }]);
});
afterEach(() => rm(directory, { recursive: true }));

async function write(name: string, rows: readonly (object | string)[]): Promise<void> {
  const lines = rows.map((row) => (typeof row === 'string' ? row : JSON.stringify(row)));
  await writeFile(join(directory, `${name}.ndjson`), lines.map((line) => `${line}\n`).join(''));
}

async function read() {
  return await readLogFiles(directory, await readLogSources(`${TEST_SQL}/sources`));
}

it('reads a file per log source, row by row', async () => {
  const tables = await read();
  expect(tables.map(({ name, rows }) => [name, [...(rows ?? [])].length])).toEqual([
    ['task_runs', 1],
    ['web_visits', 2],
  ]);
  expect([...(tables[0]?.rows ?? [])]).toEqual([run]);
});

it('skips empty lines, and takes Windows line ends, a byte order mark and no line end at the end', async () => {
  await writeFile(
    join(directory, 'web_visits.ndjson'),
    `\uFEFF${JSON.stringify(visit)}\r\n\r\n${JSON.stringify(visit)}`,
  );
  const [, visits] = await read();
  expect([...(visits?.rows ?? [])]).toHaveLength(2);
});

it('takes an empty file as an empty table', async () => {
  await write('web_visits', []);
  const [, visits] = await read();
  expect([...(visits?.rows ?? [])]).toEqual([]);
});

it.each([
  ['broken JSON', ['{}{'], /^web_visits\.ndjson:1: not valid JSON: /],
  ['a line that is no object', [visit, '[]'], 'web_visits.ndjson:2: row: expected an object'],
  [
    'an unknown field',
    [visit, '', { ...visit, extra: 1 }],
    'web_visits.ndjson:3: extra: no such field',
  ],
  [
    'an unknown nested field',
    [{ ...visit, requests: [{ uri: 'x' }] }],
    'web_visits.ndjson:1: requests[0].uri: no such field',
  ],
  [
    'a wrong type',
    [{ ...visit, timestamp: 'yesterday' }],
    'web_visits.ndjson:1: timestamp: expected TIMESTAMP, found "yesterday"',
  ],
  [
    'a date that does not exist',
    [{ ...visit, timestamp: '2026-02-30 10:00:00 UTC' }],
    'web_visits.ndjson:1: timestamp: expected TIMESTAMP, found "2026-02-30 10:00:00 UTC"',
  ],
  [
    'a record where an array is due',
    [{ ...visit, requests: {} }],
    'web_visits.ndjson:1: requests: expected an array',
  ],
  [
    'a missing required field',
    [{ requests: [] }],
    'web_visits.ndjson:1: timestamp: a value is required',
  ],
])('names file and line of %s', async (_, rows, message) => {
  await write('web_visits', rows);
  const failure = await read().then(
    () => undefined,
    (err: unknown) => (err as Error).message,
  );
  expect(failure).toMatch(message);
  expect(failure).not.toContain('\n');
});

it('says which file is missing', async () => {
  await rm(join(directory, 'web_visits.ndjson'));
  await expect(read()).rejects.toThrow(`web_visits.ndjson: no such file in ${directory}`);
});

it('says that the directory is missing, or is none', async () => {
  const sources = await readLogSources(`${TEST_SQL}/sources`);
  await expect(readLogFiles('/no/such/logs', sources)).rejects.toThrow(
    '/no/such/logs: no such directory',
  );
  await expect(readLogFiles('package.json', sources)).rejects.toThrow(
    'package.json: not a directory',
  );
});
