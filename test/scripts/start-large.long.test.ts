// `npm start -- --logs` on an export of 120,000 rows with 40 further columns, in three gzip shards.
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { endScripts, startScript } from '../support/command.ts';
import { TEST_SQL } from '../support/test-sql.ts';
import { freePort } from '../../scripts/cli/tcp-ports.ts';

const SHARDS = 3;
const ROWS_OF_SHARD = 40_000;
const EXTRA = Array.from({ length: 40 }, (_, column) => `"extra_${column}":"value of ${column}"`);

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'export-'));
});
afterEach(() => {
  endScripts();
  rmSync(directory, { recursive: true });
});

/** A row a second, back from now; the shards take turns, so that no file has the newest rows alone. */
function* lines(shard: number, nowSeconds: number): Generator<string> {
  for (let index = 0; index < ROWS_OF_SHARD; index++) {
    const age = index * SHARDS + shard;
    const at = new Date((nowSeconds - age) * 1000).toISOString().slice(0, 19).replace('T', ' ');
    const request = `{"url":"https://shop.example.com/rest/${age % 1000}","method":"GET"}`;
    yield `{"timestamp":"${at} UTC","requests":[${request}],${EXTRA.join(',')}}\n`;
  }
}

it('starts, says what it reads, and answers from the newest rows', async () => {
  const nowSeconds = Math.floor(Date.now() / 1000);
  for (let shard = 0; shard < SHARDS; shard++) {
    await pipeline(
      Readable.from(lines(shard, nowSeconds)),
      createGzip({ level: 1 }),
      createWriteStream(join(directory, `web_visits-00000000000${shard}.ndjson.gz`)),
    );
  }
  const port = await freePort();
  const service = startScript('scripts/start.ts', ['--sql', TEST_SQL, '--logs', directory], {
    PORT: String(port),
    WARM_PORT: String(await freePort()),
    FIRESTORE_EMULATOR_HOST: '',
  });
  await service.until(/Ctrl-C/);
  // How far the search for values comes depends on how busy the machine is.
  const notes = service.stderr().split('\n');
  expect(notes.filter((note) => !note.endsWith('or took too long'))).toEqual([
    `task_runs is empty: there is no task_runs.ndjson in ${directory}`,
    'web_visits: ignored, not in schema.json or of a type without local values: extra_0, extra_1, extra_2, extra_3, extra_4 and 36 more',
    'web_visits: queries read the newest 68,939 of 120,000 rows: the local engine holds 4 MiB',
    'tasks.run-stats: its example gives no rows',
    '',
  ]);
  const answer = await fetch(
    `http://localhost:${port}/api/endpoints/query/web.visit-counts?project=shop&interval=daily`,
    { headers: { 'X-API-KEY': 'local-dev-key' } },
  );
  const { result } = (await answer.json()) as { result: { visits: number }[] };
  const total = result.reduce((sum, { visits }) => sum + visits, 0);
  expect(total).toBe(68_939);
  service.child.kill('SIGINT');
  await once(service.child, 'close');
  // Half a minute, and more on a machine that is busy.
}, 300_000);
