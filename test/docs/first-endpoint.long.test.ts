// The tutorial docs/tutorials/first-endpoint.md: pasted into a copy of `sql/`, it gives the output that it shows.
import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { main } from '../../scripts/check.ts';
import { runCommand } from '../support/command.ts';
import { readmeBlocks } from '../support/sql/readme-example.ts';
import { serveShippedEndpoint } from '../support/sql/shipped-endpoint.ts';
import { testDirectory } from '../support/temporary-directory.ts';

const NAME = 'usage.top-paths';
const PAGE = readFileSync('docs/tutorials/first-endpoint.md', 'utf8');
const directory = testDirectory('first-endpoint-');
const sql = join(directory, 'sql');
const folder = join(sql, 'endpoints', NAME);

beforeAll(() => {
  cpSync('sql', sql, { recursive: true });
  const npm = `npm() { shift 3; '${process.execPath}' '${resolve('scripts/new.ts')}' --directory sql "$@"; }`;
  // The last one removes the endpoint.
  for (const block of readmeBlocks('sh', PAGE).slice(0, -1)) {
    execFileSync('bash', ['-euc', `${npm}\n${block}`], { cwd: directory, stdio: 'pipe' });
  }
});

it('produces the definition shown in the tutorial', () => {
  const made = JSON.parse(readFileSync(join(folder, 'endpoint.json'), 'utf8')) as object;
  const [definition = ''] = readmeBlocks('json', PAGE);
  expect({ ...made, id: '' }).toEqual({ ...(JSON.parse(definition) as object), id: '' });
});

it('rejects other projects, passes its tests and reports a fault as shown in the tutorial', async () => {
  const shown = readmeBlocks('console', PAGE);
  const edit = (file: string, change: (text: string) => string): void =>
    writeFileSync(join(folder, file), change(readFileSync(join(folder, file), 'utf8')));
  const project: unknown = JSON.parse(readmeBlocks('json', PAGE)[1] ?? '');
  edit('endpoint.json', (text) => {
    return JSON.stringify({ ...(JSON.parse(text) as object), parameters: { project } });
  });
  const check = () => runCommand(main, [NAME, '--sql', sql]);
  const good = await check();
  const shownOf = (text: string): string[] | undefined =>
    shown.find((block) => block.includes(text))?.split('\n');
  // The time of the check, and the partitions that its last hour touches.
  const variable = /\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z|\d+ hours? \(or \d+ days?\)$/g;
  const place = `${join(sql, 'endpoints')}/`;
  const asShown = (text: string): string[] =>
    text.trimEnd().replaceAll(place, 'sql/endpoints/').replaceAll(variable, '…').split('\n');
  expect([good.code, good.stderr]).toEqual([0, '']);
  expect(asShown(good.stdout)).toEqual(asShown((shownOf('3 tests') ?? []).slice(1).join('\n')));

  const endpoint = await serveShippedEndpoint(NAME, {}, sql);
  const { status, text } = await endpoint.ask({ project: 'e' });
  expect(status).toBe(400);
  const [start] = shownOf('project=e')?.[2]?.split(',"details"') ?? [];
  expect(text.startsWith(start ?? '?')).toBe(true);

  edit('query.sql', (text) => text.replace('request.path', 'request.pth'));
  const bad = await check();
  expect([bad.code, ...asShown(bad.stderr)]).toEqual([1, ...(shownOf('pth') ?? []).slice(1, 3)]);
});
