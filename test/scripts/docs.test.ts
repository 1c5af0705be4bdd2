// `npm run docs`: the generated parts of the pages in docs/ are those of the code.
import { generatePage } from '../../scripts/docs/generate-page.ts';
import { main } from '../../scripts/docs.ts';
import { runCommand } from '../support/command.ts';

/** The cells of each line of a part. */
async function cellsOf(part: string): Promise<string[][]> {
  const page = await generatePage(`<!-- generated: ${part} -->\nstale text\n<!-- end -->\n`);
  return page.split('\n').map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

it('every page of docs/ is as generated from the code', async () => {
  expect(await runCommand(main, ['--check'])).toMatchObject({ code: 0 });
});

it('keeps the text around a part, and replaces the part', async () => {
  const page = await generatePage(
    '# A\n\n<!-- generated: table.json -->\nstale text\n<!-- end -->\n\nB.\n',
  );
  expect(page).toMatch(
    /^# A\n\n<!-- generated: table.json -->\n\n\| field .*<!-- end -->\n\nB\.\n$/s,
  );
  expect(page).not.toContain('stale text');
});

it('rejects a part that does not exist', async () => {
  await expect(generatePage('<!-- generated: setings -->\n<!-- end -->')).rejects.toThrow(
    'Unknown part setings. Parts: commands, endpoint.json, errors, settings, table.json, variables.',
  );
});

it.each<[string, string, string[]]>([
  [
    'variables',
    'a Terraform variable with its own default',
    [
      '`query_max_instances`',
      '`number`',
      '`10`',
      'Maximum number of instances of `query`. Each serves up to 40 requests at the same time.',
    ],
  ],
  [
    'variables',
    'a Terraform variable with a default of infra/defaults.json',
    [
      '`region`',
      '`string`',
      '`europe-west1`',
      'Region of the functions, the scheduler job, the Firestore databases and the source bucket.',
    ],
  ],
  [
    'settings',
    'a setting with its default, range and Terraform variable',
    [
      '`KEY_CACHE_SECONDS`',
      '`60`',
      '0 to 60',
      '`settings`',
      'How long an instance keeps a key in memory, and so how long it can still accept a revoked key.',
    ],
  ],
  [
    'settings',
    'a setting whose default a deployment replaces',
    [
      '`BIGQUERY_LOCATION`',
      '`US`',
      'text',
      '`bigquery_location`: `EU`',
      'The location of the dataset.',
    ],
  ],
  [
    'errors',
    'an error with what to do about it',
    [
      ...['`BODY_TOO_LARGE`', '413', 'INVALID_ARGUMENT', ''],
      'Only `/mcp`: the body has more than 256 KiB.',
      ...['Send shorter arguments.', 'caller'],
    ],
  ],
  [
    'endpoint.json',
    'a mandatory field with its range',
    ['`maxRows`', 'yes', 'integer, 1 to 10000', '', 'Maximum number of rows in an answer.'],
  ],
  [
    'endpoint.json',
    'an optional field with its default',
    ['`maxItems`', 'no', 'integer, 1 to 100', '`100`', 'Maximum number of values of an ARRAY.'],
  ],
  [
    'commands',
    'an option with its default',
    [
      '`--overlap <time>`',
      'how long the old key stays valid: 30m, 24h, 7d; after 0m, the service refuses it within 60 seconds',
      '`24h`',
    ],
  ],
])('generates from the code, in %s, %s', async (part, _, cells) => {
  expect(await cellsOf(part)).toContainEqual(cells);
});
