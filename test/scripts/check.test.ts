// `npm run check` on trees with one fault each: what it says, and that it fails.
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { main } from '../../scripts/check.ts';
import { runCommand, runScript } from '../support/command.ts';
import { TEST_SQL } from '../support/test-sql.ts';

const QUERY = 'endpoints/web.visit-counts/query.sql';
const DEFINITION = 'endpoints/web.visit-counts/endpoint.json';
const NOW = Date.parse('2026-11-20T10:15:30.500Z');
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
  const { code, stdout, stderr } = await runCommand(main, ['--sql', tree], {}, () => NOW);
  return { code, said: (stdout + stderr).replaceAll(tree, 'sql') };
}

it('passes every endpoint of a directory, and prints the window that each query reads', async () => {
  const { code, said } = await check();
  expect(code).toBe(0);
  expect(said.split('\n')).toEqual([
    'ok  tasks.run-stats (8 columns)',
    'ok  web.visit-counts (5 columns)',
    'QUERY                                         TABLE       FROM                  UNTIL  WINDOW      PARTITIONS',
    'tasks.run-stats/query.sql interval=5min       task_runs   2026-11-20T10:09:30Z         6 minutes            1',
    'tasks.run-stats/warm.sql interval=5min        task_runs   2026-11-20T10:09:30Z         6 minutes            1',
    'tasks.run-stats/query.sql interval=15min      task_runs   2026-11-20T09:59:30Z         16 minutes           1',
    'tasks.run-stats/warm.sql interval=15min       task_runs   2026-11-20T09:59:30Z         16 minutes           1',
    'tasks.run-stats/query.sql interval=1hr        task_runs   2026-11-20T09:14:30Z         61 minutes           1',
    'tasks.run-stats/warm.sql interval=1hr         task_runs   2026-11-20T09:14:30Z         61 minutes           1',
    'tasks.run-stats/query.sql interval=1day       task_runs   2026-11-19T09:15:30Z         25 hours             2',
    'tasks.run-stats/warm.sql interval=1day        task_runs   2026-11-19T09:15:30Z         25 hours             2',
    'tasks.run-stats/query.sql interval=7day       task_runs   2026-11-12T10:15:30Z         8 days               9',
    'tasks.run-stats/warm.sql interval=7day        task_runs   2026-11-12T10:15:30Z         8 days               9',
    'web.visit-counts/query.sql interval=hourly    web_visits  2026-11-20T09:15:30Z         1 hour               1',
    'web.visit-counts/warm.sql interval=hourly     web_visits  2026-11-20T09:15:30Z         1 hour               1',
    'web.visit-counts/query.sql interval=daily     web_visits  2026-11-13T10:15:30Z         7 days               8',
    'web.visit-counts/warm.sql interval=daily      web_visits  2026-11-13T10:15:30Z         7 days               8',
    'web.visit-counts/query.sql interval=minutely  web_visits  2026-11-20T09:15:30Z         1 hour               1',
    'web.visit-counts/warm.sql interval=minutely   web_visits  2026-11-20T09:15:30Z         1 hour               1',
    '',
  ]);
});

it.each<[string, () => void, RegExp]>([
  [
    'a misspelt column, at its line, with what was meant',
    () => replace(QUERY, 'request.path\n', 'request.paht\n'),
    /sql\/endpoints\/web\.visit-counts\/query\.sql:14:15: .*paht/,
  ],
  [
    'a table that is no source',
    () => replace(QUERY, 'FROM web_visits', 'FROM web_visit'),
    /query\.sql:15:10: Table not found: web_visit; Did you mean web_visits\?/,
  ],
  [
    'an undeclared parameter',
    () => replace(QUERY, "'daily' THEN TIME", '@period THEN TIME'),
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
        'INSERT web_visits (id, timestamp) SELECT @project, CURRENT_TIMESTAMP() FROM UNNEST([@interval])',
      ),
    /query\.sql: must be one SELECT, but is INSERT/,
  ],
  [
    'a query without a filter on the partition column, at the name of the table',
    () => replace(QUERY, /logs\.timestamp\s*>=/g, 'TIMESTAMP(DATETIME(logs.timestamp)) >='),
    /query\.sql:15:10: Cannot query over table 'web_visits' without a filter over column\(s\) 'timestamp' that can be used for partition elimination/,
  ],
  [
    'an output column of another name',
    () => replace(QUERY, 'AS total_auth_requests', 'AS auth_requests'),
    /endpoint\.json: row says total_auth_requests INT64 at place 4, but query\.sql returns auth_requests INT64/,
  ],
  [
    'an output column of another type',
    () => replace(DEFINITION, '"type": "DATETIME"', '"type": "TIMESTAMP"'),
    /endpoint\.json: row says timestamp TIMESTAMP at place 1, but query\.sql returns timestamp DATETIME/,
  ],
  [
    'a syntax error, at its line',
    () => replace(QUERY, 'GROUP BY bucket', 'GROUP bucket'),
    /query\.sql:\d+:7: Syntax error: Expected keyword BY but got identifier "bucket"/,
  ],
  [
    'a broken routine, by the endpoint that calls it',
    () => replace('routines/time_buckets.sql', 'INTERVAL 1 SECOND', 'INTERVAL 1 SECONDS'),
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
