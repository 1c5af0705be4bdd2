// Tests of `npm run check` on directories with one fault each: its messages and its exit code.
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { main } from '../../scripts/check.ts';
import { runCommand, runScript } from '../support/command.ts';
import { TEST_SQL } from '../support/test-sql.ts';

const QUERY = 'endpoints/web.visit-counts/query.sql';
const DEFINITION = 'endpoints/web.visit-counts/endpoint.json';
let tree: string;

beforeEach(() => {
  tree = mkdtempSync(join(tmpdir(), 'check-'));
  cpSync(TEST_SQL, tree, { recursive: true });
});

afterEach(() => rmSync(tree, { recursive: true }));

function replace(file: string, from: string | RegExp, to: string): void {
  const path = join(tree, file);
  const text = readFileSync(path, 'utf8');
  const changed = text.replace(from, to);
  if (changed === text) throw new Error(`${file} does not hold ${String(from)}`);
  writeFileSync(path, changed);
}

async function check(): Promise<{ code: number | null; said: string }> {
  const { code, stdout, stderr } = await runCommand(main, ['--sql', tree]);
  return { code, said: (stdout + stderr).replaceAll(tree, 'sql') };
}

it('passes every endpoint of a directory', async () => {
  expect(await check()).toEqual({
    code: 0,
    said: 'ok  tasks.run-stats (4 columns)\nok  web.visit-counts (3 columns)\n',
  });
});

it.each<[string, () => void, RegExp]>([
  [
    'a misspelt column, at its line, with what was meant',
    () => replace(QUERY, 'request.url', 'request.ulr'),
    /sql\/endpoints\/web\.visit-counts\/query\.sql:12:26: .*ulr/,
  ],
  [
    'a table that is no source',
    () => replace(QUERY, 'FROM web_visits', 'FROM web_visit'),
    /query\.sql:13:6: Table not found: web_visit; Did you mean web_visits\?/,
  ],
  [
    'an undeclared parameter',
    () => replace(QUERY, "'hourly'", '@period'),
    /query\.sql: uses @period, which endpoint\.json does not declare/,
  ],
  [
    'a parameter that the query does not use',
    () => replace(QUERY, 'request.url, @project', "request.url, 'x'"),
    /endpoint\.json: declares parameters\.project, which query\.sql does not use/,
  ],
  [
    'two statements',
    () => replace(QUERY, /$/, '; SELECT 1'),
    /query\.sql: must be one SELECT, but is SCRIPT/,
  ],
  [
    'an INSERT',
    () =>
      replace(
        QUERY,
        /[^]*/,
        'INSERT web_visits (timestamp) SELECT TIMESTAMP(@project) FROM UNNEST([@interval])',
      ),
    /query\.sql: must be one SELECT, but is INSERT/,
  ],
  [
    'an output column of another name',
    () => replace(QUERY, 'AS urls', 'AS url_count'),
    /endpoint\.json: row says urls INT64 at place 3, but query\.sql returns url_count INT64/,
  ],
  [
    'an output column of another type',
    () => replace(DEFINITION, '"type": "DATETIME"', '"type": "TIMESTAMP"'),
    /endpoint\.json: row says timestamp TIMESTAMP at place 1, but query\.sql returns timestamp DATETIME/,
  ],
  [
    'a syntax error, at its line',
    () => replace(QUERY, 'GROUP BY timestamp', 'GROUP timestamp'),
    /query\.sql:\d+:7: Syntax error: Expected keyword BY but got keyword TIMESTAMP/,
  ],
  [
    'a broken routine, by the endpoint that calls it',
    () => replace('routines/time_bucket.sql', 'SECOND', 'SECONDS'),
    /routines, as tasks\.run-stats calls them: /,
  ],
])('refuses %s', async (_, breakTree, message) => {
  breakTree();
  const { code, said } = await check();
  expect(said).toMatch(message);
  expect(code).toBe(1);
});

it('tells how it is used', async () => {
  const { code, stdout } = await runCommand(main, ['--help']);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^Usage: npm run check/);
});

it.each<[string, string[], 1 | 2, string]>([
  [
    'an option that it does not have',
    ['--sqll'],
    2,
    'There is no option --sqll. Did you mean --sql?',
  ],
  ['an option without its value', ['--sql'], 2, '--sql needs a value.'],
  ['an argument', ['sql'], 2, 'Unexpected argument: sql.'],
  [
    'a directory that is not there',
    ['--sql', '/nowhere'],
    1,
    'There is no directory /nowhere (--sql).',
  ],
  [
    'a directory of something else',
    ['--sql', 'infra'],
    1,
    'infra holds no saved queries: it has no directory endpoints (--sql).',
  ],
])('refuses %s with one line', async (_, args, exitCode, fault) => {
  expect(await runCommand(main, args)).toEqual({
    code: exitCode,
    stdout: '',
    stderr: `Error: ${fault}\n`,
  });
});

it('finds the saved queries of this project from any directory', async () => {
  const { code, stdout, stderr } = await runScript(
    join(process.cwd(), 'scripts/check.ts'),
    [],
    {},
    tmpdir(),
  );
  expect([code, stderr]).toEqual([0, '']);
  const checked = stdout.match(/(?<=^ok {2})\S+/gm);
  expect(checked).toEqual(readdirSync('sql/endpoints').sort());
});
