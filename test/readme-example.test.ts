// The example of sql/README.md: its blocks run in bash, and the lines and rows that it shows are those that come.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { main } from '../scripts/check.ts';
import { runCommand } from './support/command.ts';
import { serveShippedEndpoint } from './support/shipped-endpoint.ts';
import { TEST_SQL } from './support/test-sql.ts';

const README = readFileSync('sql/README.md', 'utf8');
const sectionOf = (heading: string): string => README.split(heading)[1]?.split('\n## ')[0] ?? '';
const EXAMPLE = sectionOf('### Two tables and an endpoint, from start to end\n');
const TESTS = sectionOf('\n## Tests of an endpoint\n');
const SHARDS = sectionOf('\n### Tables sharded by day\n').split('\n### ')[0] ?? '';

/** The contents of the blocks of a section in one language. */
function blocks(language: string, section = EXAMPLE): string[] {
  const found = section.matchAll(/^```(\w+)\n([^]*?)^```$/gm);
  return [...found].filter(([, name]) => name === language).map(([, , text]) => text ?? '');
}

let directory: string;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'readme-'));
  cpSync(TEST_SQL, join(directory, 'sql'), { recursive: true });
  const day =
    'date() { case "$*" in "-u +%F") echo 2026-11-20;; "-u +%Y%m%d") echo 20261120;; esac; }';
  // Of `npm run new -- …`, on the copy.
  const npm = `npm() { shift 3; '${process.execPath}' '${resolve('scripts/new.ts')}' --directory sql "$@"; }`;
  for (const block of [...blocks('sh'), ...blocks('sh', SHARDS)]) {
    execFileSync('bash', ['-euc', `${day}\n${npm}\n${block}`], {
      cwd: directory,
      stdio: 'pipe',
    });
  }
});

afterAll(() => rmSync(directory, { recursive: true }));

it('passes the check with the lines that are shown', async () => {
  const { code, stdout, stderr } = await runCommand(main, ['--sql', join(directory, 'sql')]);
  expect([code, stderr]).toEqual([0, '']);
  const ofExample = /^ok .*(?:orders|table customers|sales).*$/gm;
  const shown = blocks('console')[0]?.match(ofExample);
  expect(stdout.match(ofExample)).toEqual(shown);
  expect(shown).toHaveLength(3);
});

it('reads the shards that are shown, and no other', async () => {
  const args = ['shop.purchases', '--sql', join(directory, 'sql')];
  const { code, stdout } = await runCommand(main, args);
  expect(code).toBe(0);
  // Its example is the day on which it was made.
  const days = /\d{4}-\d{2}-\d{2}T00:00:00Z/g;
  expect(`$ npm run check -- shop.purchases\n${stdout}`.replaceAll(days, 'DAY').trimEnd()).toBe(
    blocks('console', SHARDS)[0]?.replaceAll(days, 'DAY').trimEnd(),
  );
});

it('passes its tests with the line that is shown', async () => {
  for (const block of blocks('sh', TESTS)) {
    execFileSync('bash', ['-euc', block], { cwd: directory });
  }
  const args = ['sales.by-country', '--sql', join(directory, 'sql')];
  const { code, stdout, stderr } = await runCommand(main, args);
  expect([code, stderr]).toEqual([0, '']);
  const [command, line] = blocks('console', TESTS)[0]?.split('\n') ?? [];
  expect([command, line]).toEqual(['$ npm run check -- sales.by-country', stdout.split('\n')[0]]);
});

/** The rows of a table, as its sample.ndjson has them. */
function sampleOf(table: string): object[] {
  const text = readFileSync(join(directory, 'sql/sources', table, 'sample.ndjson'), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as object);
}

it('answers with the rows that are shown', async () => {
  const endpoint = await serveShippedEndpoint(
    'sales.by-country',
    { orders: sampleOf('orders'), customers: sampleOf('customers') },
    join(directory, 'sql'),
  );
  try {
    const answers = [await endpoint.rowsOf({}), await endpoint.rowsOf({ segment: 'private' })];
    const shown = blocks('console')[1]?.match(/^\{.*$/gm) ?? [];
    expect(answers).toEqual(shown.map((text) => (JSON.parse(text) as { result: unknown }).result));
  } finally {
    await endpoint.close();
  }
});
