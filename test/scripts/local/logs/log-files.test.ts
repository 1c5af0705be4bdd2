// Tests of reading log files: accepted forms, and the messages for faults.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readLogFiles } from '../../../../scripts/local/logs/log-files.ts';
import type { EncodedRow } from '../../../../scripts/local/googlesql/row-encoder.ts';
import { readSources } from '../../../../scripts/sources/read-sources.ts';
import { TEST_SQL } from '../../../support/test-sql.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'logs-'));
  await write('task_runs', [{ timestamp: 1 }]);
  await write('web_visits', [{ timestamp: 2 }, { timestamp: 3 }]);
});
afterEach(() => rm(directory, { recursive: true }));

async function write(name: string, rows: readonly object[]): Promise<void> {
  const lines = rows.map((row) => `${JSON.stringify(row)}\n`);
  await writeFile(join(directory, `${name}.ndjson`), lines.join(''));
}

/** The seconds of each row's timestamp, by table. */
async function read(): Promise<unknown[]> {
  const tables = await readLogFiles(directory, await readSources(`${TEST_SQL}/sources`));
  return await Promise.all(
    tables.map(async ({ name, rows }) => [
      name,
      (await Array.fromAsync(rows as AsyncIterable<EncodedRow>)).map(
        ([timestamp]) => timestamp?.timestampValue?.seconds,
      ),
    ]),
  );
}

it('reads a file per source', async () => {
  expect(await read()).toEqual([
    ['task_runs', ['1']],
    ['web_visits', ['2', '3']],
  ]);
});

it('says which file is missing', async () => {
  await rm(join(directory, 'web_visits.ndjson'));
  await expect(read()).rejects.toThrow('web_visits.ndjson: no such file');
});

it('says that the directory is missing, or is none', async () => {
  const sources = await readSources(`${TEST_SQL}/sources`);
  await expect(readLogFiles('/no/such/logs', sources)).rejects.toThrow(
    '/no/such/logs: no such directory',
  );
  await expect(readLogFiles('package.json', sources)).rejects.toThrow(
    'package.json: not a directory',
  );
});
