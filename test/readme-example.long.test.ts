// The example of sql/README.md: its blocks run in bash, and the lines and rows that it shows are those that come.
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { main } from '../scripts/check.ts';
import { runCommand } from './support/command.ts';
import { EXAMPLE, SHARDS, TESTS, readmeBlocks, runReadme } from './support/readme-example.ts';
import { serveShippedEndpoint } from './support/shipped-endpoint.ts';

let directory: string;

beforeAll(() => {
  directory = runReadme(EXAMPLE, SHARDS);
});

afterAll(() => rmSync(directory, { recursive: true }));

it('passes the check with the lines that are shown', async () => {
  const { code, stdout, stderr } = await runCommand(main, ['--sql', join(directory, 'sql')]);
  expect([code, stderr]).toEqual([0, '']);
  const ofExample = /^ok .*(?:orders|table customers|sales).*$/gm;
  const shown = readmeBlocks('console', EXAMPLE)[0]?.match(ofExample);
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
    readmeBlocks('console', SHARDS)[0]?.replaceAll(days, 'DAY').trimEnd(),
  );
});

it('passes its tests with the line that is shown', async () => {
  for (const block of readmeBlocks('sh', TESTS)) {
    execFileSync('bash', ['-euc', block], { cwd: directory });
  }
  const args = ['sales.by-country', '--sql', join(directory, 'sql')];
  const { code, stdout, stderr } = await runCommand(main, args);
  expect([code, stderr]).toEqual([0, '']);
  const [command, line] = readmeBlocks('console', TESTS)[0]?.split('\n') ?? [];
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
    const shown = readmeBlocks('console', EXAMPLE)[1]?.match(/^\{.*$/gm) ?? [];
    expect(answers).toEqual(shown.map((text) => (JSON.parse(text) as { result: unknown }).result));
  } finally {
    await endpoint.close();
  }
});
