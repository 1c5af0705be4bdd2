// `npm start -- --logs` on an export of 120,000 rows with 40 further columns, in three gzip shards.
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { LOCAL_KEY, startLocalService } from '../support/service/local-service.ts';
import { testDirectory } from '../support/temporary-directory.ts';
import { TEST_SQL } from '../support/sql/test-sql.ts';

const SHARDS = 3;
const ROWS_OF_SHARD = 40_000;
const EXTRA = Array.from({ length: 40 }, (_, column) => `"extra_${column}":"value of ${column}"`);

/** A row a second, back from now; the shards take turns, so that no file has the newest rows alone. */
function* lines(shard: number, nowSeconds: number): Generator<string> {
  for (let index = 0; index < ROWS_OF_SHARD; index++) {
    const age = index * SHARDS + shard;
    const at = new Date((nowSeconds - age) * 1000).toISOString().slice(0, 19).replace('T', ' ');
    const request = `{"url":"https://shop.example.com/rest/${age % 1000}","method":"GET"}`;
    yield `{"timestamp":"${at} UTC","requests":[${request}],${EXTRA.join(',')}}\n`;
  }
}

it('starts with a large table, prints its progress, and answers from the newest rows', async () => {
  const directory = testDirectory('export-');
  const nowSeconds = Math.floor(Date.now() / 1000);
  for (let shard = 0; shard < SHARDS; shard++) {
    await pipeline(
      Readable.from(lines(shard, nowSeconds)),
      createGzip({ level: 1 }),
      createWriteStream(join(directory, `web_visits-00000000000${shard}.ndjson.gz`)),
    );
  }
  const args = ['--sql', TEST_SQL, '--logs', directory];
  const service = await startLocalService(LOCAL_KEY, args);
  // How far the search for values comes depends on how busy the machine is.
  const notes = service.stderr().split('\n');
  expect(notes.filter((note) => !note.endsWith('or took too long'))).toEqual([
    `task_runs is empty: there is no task_runs.ndjson in ${directory}`,
    'web_visits: ignored, not in schema.json or of a type without local values: extra_0, extra_1, extra_2, extra_3, extra_4 and 36 more',
    'web_visits: queries read the newest 68,939 of 120,000 rows: the local engine is limited to 4 MiB',
    'tasks.run-stats: its example returns no rows',
    '',
  ]);
  const { result } = await service.ask('web.visit-counts?project=shop&interval=daily');
  const counts = (result as { visits: number }[]).map(({ visits }) => visits);
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(68_939);
  await service.stop();
  // Half a minute, and more on a machine that is busy.
}, 300_000);
