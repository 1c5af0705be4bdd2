// Tests that the analysis of a long query blocks nothing, and stays within its memory.
import { execFile } from 'node:child_process';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { startGoogleSql } from '../../../../scripts/local-bigquery/dialect/google-sql.ts';
import type { GoogleSql } from '../../../../scripts/local-bigquery/analysis/google-sql.ts';
import { columns } from '../../../support/columns.ts';

const COLUMNS = 3000;
const MIB = 1024 * 1024;

let engine: GoogleSql;
beforeAll(async () => {
  engine = await startGoogleSql();
  await engine.analyze({ sql: 'SELECT 1', tables: [] });
});
afterAll(() => engine.close());

function lines(write: (index: number) => string): string {
  return Array.from({ length: COLUMNS }, (_, index) => write(index)).join(',\n');
}

/** Each column by itself, 400 kB in all. */
const wide = `SELECT\n${lines(
  (index) =>
    `COUNTIF(STARTS_WITH(t.url, 'https://shop-${index}.example.com/a/path/that/is/long') AND t.status > ${index % 500} AND t.status <= 599) AS column_${index}`,
)}\nFROM t`;
/** Much more than the 15 ms of a quiet machine, and much less than the seconds of an analysis. */
const BLOCKED_MS = 1000;
/** Each column is a field of one STRUCT, whose type the engine writes out for each: 200 MB. */
const struct = `WITH w AS (SELECT STRUCT(\n${lines(
  (index) => `CONCAT(t.url, ' and some more text that makes it long ${index}') AS column_${index}`,
)}) AS s FROM t)\nSELECT\n${lines((index) => `UPPER(w.s.column_${index}) AS name_${index}`)}\nFROM w`;
const tables = [
  {
    name: 't',
    fields: columns('url STRING, status INTEGER'),
  },
];

/** Bytes of this process and of those that it started. */
async function treeBytes(): Promise<number> {
  const { stdout } = await promisify(execFile)('ps', ['-eo', 'pid=,ppid=,rss=']);
  const all = stdout
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number));
  const tree = new Set([process.pid]);
  for (let size = 0; size < tree.size;) {
    size = tree.size;
    for (const [pid = 0, parent = 0] of all) if (tree.has(parent)) tree.add(pid);
  }
  return all.reduce((sum, [pid = 0, , kib = 0]) => (tree.has(pid) ? sum + kib * 1024 : sum), 0);
}

/** What happened until the analysis was done, and the longest time for which this thread did nothing else. */
async function measured(sql: string) {
  const idleBytes = await treeBytes();
  let isDone = false;
  let peakBytes = 0;
  const watched = (async () => {
    while (!isDone) {
      peakBytes = Math.max(peakBytes, await treeBytes());
      await delay(50);
    }
  })();
  const loop = monitorEventLoopDelay({ resolution: 5 });
  loop.enable();
  const outcome = await engine.analyze({ sql, tables }).then(
    ({ columns }) => columns.length,
    (err: unknown) => err,
  );
  loop.disable();
  isDone = true;
  await watched;
  return { outcome, addedBytes: peakBytes - idleBytes, blockedMs: loop.max / 1e6 };
}

it('analyses 400 kB with 3,000 columns apart from this thread', async () => {
  expect(wide.length).toBeGreaterThan(400_000);
  const { outcome, addedBytes, blockedMs } = await measured(wide);
  expect(outcome).toBe(COLUMNS);
  expect(addedBytes).toBeLessThan(1024 * MIB);
  expect(blockedMs).toBeLessThan(BLOCKED_MS);
});

it('refuses what takes more memory, and analyses the next query', async () => {
  const { outcome, addedBytes, blockedMs } = await measured(struct);
  expect(outcome).toMatchObject({
    kind: 'unsupported',
    message:
      'Resources exceeded during query planning: the analysis takes more than 512 MiB, which is a bound of the local BigQuery alone',
  });
  expect(addedBytes).toBeLessThan(1024 * MIB);
  expect(blockedMs).toBeLessThan(BLOCKED_MS);
  expect((await measured(wide)).outcome).toBe(COLUMNS);
});

it('takes expressions that are nested a thousand times', async () => {
  const sql = `SELECT ${'1 + '.repeat(1000)}1 AS n`;
  expect((await engine.analyze({ sql, tables })).columns).toEqual([
    { name: 'n', type: 'INTEGER', mode: 'NULLABLE' },
  ]);
});

it('ends an analysis that is under way when the engine is closed', async () => {
  const other = await startGoogleSql();
  const failure = other.analyze({ sql: wide, tables }).catch((err: unknown) => err);
  await other.close();
  expect(await failure).toMatchObject({ kind: 'engine' });
});
