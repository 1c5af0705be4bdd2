// Tests that long queries are analysed, within the memory of the engine.
import { execFile } from 'node:child_process';
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

it('analyses 400 kB with 3,000 columns', async () => {
  expect(wide.length).toBeGreaterThan(400_000);
  expect((await engine.analyze({ sql: wide, tables })).columns).toHaveLength(COLUMNS);
});

it('refuses what takes more memory, and analyses the next query', async () => {
  const idleBytes = await treeBytes();
  let peakBytes = 0;
  let isDone = false;
  const failure = engine.analyze({ sql: struct, tables }).catch((err: unknown) => err);
  void failure.then(() => (isDone = true));
  while (!isDone) {
    peakBytes = Math.max(peakBytes, await treeBytes());
    await delay(50);
  }
  expect(await failure).toMatchObject({
    kind: 'unsupported',
    message: 'it takes more memory than the local engine may take',
  });
  expect(peakBytes - idleBytes).toBeLessThan(1.25 * 1024 * MIB);
  expect((await engine.analyze({ sql: 'SELECT 1', tables })).columns).toHaveLength(1);
});

it('takes expressions that are nested 500 times', async () => {
  const sql = `SELECT ${'1 + '.repeat(500)}1 AS n`;
  expect((await engine.analyze({ sql, tables })).columns).toEqual([
    { name: 'n', type: 'INTEGER', mode: 'NULLABLE' },
  ]);
});
