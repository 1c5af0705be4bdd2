// Tests of `npm run check` on directories with one fault each: its messages and its exit code.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { main } from '../../scripts/check.ts';
import { refusal, runCommand, runScript } from '../support/command.ts';
import { FakeSqlTree } from '../support/sql/fake-sql-tree.ts';
import { TEST_SQL } from '../support/sql/test-sql.ts';

const QUERY = 'endpoints/web.visit-counts/query.sql';
const DEFINITION = 'endpoints/web.visit-counts/endpoint.json';
const NOW = Date.parse('2026-11-20T10:15:30.500Z');
let tree: FakeSqlTree;

beforeEach(() => void (tree = new FakeSqlTree(TEST_SQL)));

async function check(): Promise<{ code: number | null; said: string }> {
  const { code, stdout, stderr } = await runCommand(main, ['--sql', tree.directory], {}, () => NOW);
  return { code, said: (stdout + stderr).replaceAll(tree.directory, 'sql') };
}

const STORED = 'partitioned by DAY of timestamp, filter required, clustered by timestamp';
const TABLES_ARE_RIGHT = `ok  table task_runs (4 columns, ${STORED})
ok  table web_visits (2 columns, ${STORED})
`;
const RUN_STATS_ARE_RIGHT = `ok  tasks.run-stats (4 columns, 2 tests)
    warming: in each run, because of sql/endpoints/tasks.run-stats/query.sql:12:5: CURRENT_TIMESTAMP
`;
const ENDPOINTS_ARE_RIGHT = `${RUN_STATS_ARE_RIGHT}ok  web.visit-counts (3 columns, 2 tests)
    warming: in each run, because of sql/endpoints/web.visit-counts/query.sql:17:22: CURRENT_TIMESTAMP
`;

const WINDOWS = `QUERY                                         TABLE       FROM                  UNTIL  WINDOW      PARTITIONS
tasks.run-stats/query.sql interval=5min       task_runs   2026-11-20T10:10:30Z         5 minutes   1 day (or 1 hour)
tasks.run-stats/warm.sql interval=5min        task_runs   2026-11-20T10:10:30Z         5 minutes   1 day (or 1 hour)
tasks.run-stats/query.sql interval=15min      task_runs   2026-11-20T10:00:30Z         15 minutes  1 day (or 1 hour)
tasks.run-stats/warm.sql interval=15min       task_runs   2026-11-20T10:00:30Z         15 minutes  1 day (or 1 hour)
tasks.run-stats/query.sql interval=1hr        task_runs   2026-11-20T09:15:30Z         1 hour      1 day (or 2 hours)
tasks.run-stats/warm.sql interval=1hr         task_runs   2026-11-20T09:15:30Z         1 hour      1 day (or 2 hours)
tasks.run-stats/query.sql interval=1day       task_runs   2026-11-19T10:15:30Z         1 day       2 days (or 25 hours)
tasks.run-stats/warm.sql interval=1day        task_runs   2026-11-19T10:15:30Z         1 day       2 days (or 25 hours)
tasks.run-stats/query.sql interval=7day       task_runs   2026-11-13T10:15:30Z         7 days      8 days (or 169 hours)
tasks.run-stats/warm.sql interval=7day        task_runs   2026-11-13T10:15:30Z         7 days      8 days (or 169 hours)
web.visit-counts/query.sql interval=hourly    web_visits  2026-11-20T09:15:30Z         1 hour      1 day (or 2 hours)
web.visit-counts/warm.sql interval=hourly     web_visits  2026-11-20T09:15:30Z         1 hour      1 day (or 2 hours)
web.visit-counts/query.sql interval=daily     web_visits  2026-11-13T10:15:30Z         7 days      8 days (or 169 hours)
web.visit-counts/warm.sql interval=daily      web_visits  2026-11-13T10:15:30Z         7 days      8 days (or 169 hours)
web.visit-counts/query.sql interval=minutely  web_visits  2026-11-20T09:15:30Z         1 hour      1 day (or 2 hours)
web.visit-counts/warm.sql interval=minutely   web_visits  2026-11-20T09:15:30Z         1 hour      1 day (or 2 hours)
`;

const COSTS = `ENDPOINT          A CALL READS UP TO     US$  A DAY OF WARMING    US$
tasks.run-stats                 8 GB  0.0455           3.05 TB  17.36
web.visit-counts                8 GB  0.0455           2.47 TB  14.02
all                                                    5.52 TB  31.38
If a day adds 1 GB to each table (--gb-per-day, or gbPerDay in its table.json), at US$6.25 per TiB (PRICE_PER_TIB). Warming: one result for each choice of listed values, of tables that change all the time.
`;

const ALL_IS_RIGHT = `${TABLES_ARE_RIGHT}${ENDPOINTS_ARE_RIGHT}${WINDOWS}${COSTS}`;

it('passes every table and every endpoint of a directory, and prints the window that each query reads', async () => {
  expect(await check()).toEqual({ code: 0, said: ALL_IS_RIGHT });
});

it('estimates costs by the size of each table and the price', async () => {
  tree.replace('sources/web_visits/table.json', '{', '{ "gbPerDay": 0.5,');
  const args = ['--sql', tree.directory, '--gb-per-day', '0.001'];
  const priced = async (PRICE_PER_TIB: string) =>
    (await runCommand(main, args, { PRICE_PER_TIB }, () => NOW)).stdout.split('\n').slice(-6, -2);
  // A job of run-stats reads less than the 10 MiB that BigQuery bills at least: 288 × 5 × 10 MiB.
  expect((await priced('10')).map((line) => line.split(/ {2,}/))).toEqual([
    ['ENDPOINT', 'A CALL READS UP TO', 'US$', 'A DAY OF WARMING', 'US$'],
    ['tasks.run-stats', '8 MB', '0.0000954', '3.05 GB', '0.137'],
    ['web.visit-counts', '4 GB', '0.0364', '1.23 TB', '11.21'],
    ['all', '1.24 TB', '11.35'],
  ]);
  expect(await priced('')).toContainEqual(expect.stringMatching(/^all .* 7\.09$/));
});

it.each([
  [['--gb-per-day', '0'], {}, '--gb-per-day must be a positive number, such as 0.5, not "0".', 2],
  [[], { PRICE_PER_TIB: '6,25' }, 'PRICE_PER_TIB must be a number of US dollars such as 6.25.', 1],
])('rejects %j with %j', async (args, env, message, code) => {
  const result = await runCommand(main, ['--sql', tree.directory, ...args], env);
  expect(result).toEqual({ code, stdout: '', stderr: `Error: ${message}\n` });
});

it('reports a broken routine at its own line, once for all endpoints', async () => {
  tree.replace('routines/time_bucket.sql', 'SECOND', 'SECONDS');
  tree.replace(QUERY, 'COUNT(*) AS', "COUNT(time_bucket(visit.timestamp, '')) AS");
  expect(await check()).toEqual({
    code: 1,
    said: `${TABLES_ARE_RIGHT}sql/routines/time_bucket.sql:6:54: A valid date part name is required but found SECONDS\nError: 1 fault\n`,
  });
});

it('reports every fault of a definition and of its queries at once, and that the other endpoints have none', async () => {
  const other = { description: 'd', required: false, example: 'e' };
  tree.replace(DEFINITION, '"parameters": {', `"parameters": { "other": ${JSON.stringify(other)},`);
  tree.replace(DEFINITION, '"type": "DATETIME"', '"type": "TIMESTAMP"');
  tree.replace(QUERY, 'COUNT(*) AS visits', '@projects AS visit');
  const folder = 'sql/endpoints/web.visit-counts';
  const definition = `${folder}/endpoint.json`;
  expect(await check()).toEqual({
    code: 1,
    said: `${TABLES_ARE_RIGHT}${RUN_STATS_ARE_RIGHT}${definition}:12:19: declares parameters.other, which query.sql does not use
${definition}:29:3: row lacks the column visit INT64, which query.sql returns
${definition}:30:5: row.timestamp is TIMESTAMP, but query.sql returns DATETIME
${definition}:30:5: row.timestamp is TIMESTAMP, but warm.sql returns DATETIME
${definition}:35:5: row.visits is not a column that query.sql returns
${folder}/query.sql:11:3: uses @projects, which endpoint.json does not declare; did you mean @project?
${folder}/warm.sql:1:1: does not use @other
Error: 7 faults
`,
  });
  // Then what depends on the definition is not checked.
  tree.replace(DEFINITION, '"maxRows": 1000', '"owner": "data"');
  tree.replace(DEFINITION, '"description":"d",', '');
  tree.replace(QUERY, '@projects AS visit', 'nix');
  expect((await check()).said)
    .toBe(`${TABLES_ARE_RIGHT}${RUN_STATS_ARE_RIGHT}${definition}:1:1: endpoint.json lacks the field maxRows
${definition}:7:3: endpoint.json has the unknown field owner
${definition}:12:19: parameters.other lacks the field description
${folder}/query.sql:11:3: Unrecognized name: nix
Error: 4 faults
`);
});

/** Adds the table `orders` with these files. */
function addTable(files: Record<string, string>): void {
  for (const [file, text] of Object.entries(files)) tree.write(`sources/orders/${file}`, text);
}

const ORDERS = `[
  { "name": "order_id", "type": "STRING", "mode": "REQUIRED" },
  { "name": "order_day", "type": "DATE", "mode": "REQUIRED" },
  { "name": "amount", "type": "NUMERIC" }
]`;

it('passes a table without endpoints, with its sample rows', async () => {
  addTable({
    'schema.json': ORDERS,
    'table.json':
      '{"partitioning": {"type": "MONTH", "field": "order_day"}, "clustering": ["order_id", "amount"]}',
    'sample.ndjson':
      '{"order_id": "a", "order_day": "2026-11-20"}\n\n{"order_id": "b", "order_day": "2026-11-21", "amount": "9.50"}\n',
    'loader.py': 'is ignored',
  });
  expect(await check()).toEqual({
    code: 0,
    said: `ok  table orders (3 columns, partitioned by MONTH of order_day, clustered by order_id and amount, 2 sample rows)
${ALL_IS_RIGHT}`,
  });
});

it('reports every fault of every table and of the endpoints', async () => {
  addTable({
    'schema.json': ORDERS,
    'sample.ndjson':
      '{"order_id": "a"}\n{"order_id": "b", "order_day": "2026-11-20"}\n{"order_id": "c", "order_day": "2026-11-20", "sum": 1}\nd\n',
  });
  // Its lines are those of the file, also after blank ones.
  tree.replace(QUERY, /^/, '\n\n');
  tree.replace(QUERY, 'request.url', 'request.ulr');
  const { code, said } = await check();
  expect(said).toBe(
    `${TABLES_ARE_RIGHT}${RUN_STATS_ARE_RIGHT}sql/sources/orders/sample.ndjson:1: order_day: a value is required
sql/sources/orders/sample.ndjson:3: sum: no such field
sql/sources/orders/sample.ndjson:4: not valid JSON: Unexpected token 'd', "d" is not valid JSON
sql/endpoints/web.visit-counts/query.sql:14:26: Field name ulr does not exist in STRUCT<url STRING>
Error: 4 faults
`,
  );
  expect(code).toBe(1);
});

it('shows ten faulty lines of a sample, and counts the others, once even if tests read it', async () => {
  const row = (index: number): string => `{"order_id": ${index}, "order_day": "soon"}\n`;
  addTable({
    'schema.json': ORDERS,
    'sample.ndjson': Array.from({ length: 12 }, (_, index) => row(index)).join(''),
  });
  const tables = { orders: '../../../sources/orders/sample.ndjson' };
  const cases = ['one', 'two'].map((name) => ({ name, tables, now: '2026-11-20T10:00:00Z' }));
  tree.write('endpoints/web.visit-counts/tests/more.json', cases);
  const { code, said } = await check();
  expect(said.split('\n').filter((line) => line.includes('orders'))).toEqual([
    ...Array.from(
      { length: 10 },
      (_, index) =>
        `sql/sources/orders/sample.ndjson:${index + 1}: order_day: expected DATE, found "soon"`,
    ),
    'sql/sources/orders/sample.ndjson: and 2 more faulty lines',
  ]);
  expect(said).toMatch(/\nError: 11 faults\n$/);
  expect(code).toBe(1);
});

it('reports only one fault for a wrong partition column', async () => {
  tree.replace('sources/web_visits/table.json', '"field": "timestamp"', '"field": "at"');
  expect((await check()).said).toMatch(/at\nThe queries were not .*\nError: 1 fault\n$/);
});

it('reports duplicate fields and text that is not UTF-8, with their positions', async () => {
  const latin1 = (path: string, text: string): void =>
    writeFileSync(join(tree.directory, path), Buffer.from(text, 'latin1'));
  const sample =
    '{"order_id": "a", "order_day": "2026-11-20"}\n{"order_id": "Lö", "order_day": "2026-11-20"}';
  const column = '{ "name": "n", "type": "STRING",\n"type": "INT64" }';
  addTable({ 'schema.json': ORDERS });
  latin1('sources/orders/sample.ndjson', sample);
  tree.write('sources/twice/schema.json', `[${column}]`);
  tree.write('sources/twice/table.json', '{"clustering": [],\n"clustering": []}');
  tree.replace(DEFINITION, '"parameters": {', '"parameters": {\n"interval": {},');
  latin1(
    'endpoints/tasks.run-stats/query.sql',
    `${tree.read('endpoints/tasks.run-stats/query.sql')}\n-- ö`,
  );
  latin1('routines/o.sql', 'CREATE TEMP FUNCTION o() AS (\n"ö");');
  expect((await check()).said.split('\n').filter((line) => !line.startsWith('ok '))).toEqual([
    'sql/sources/twice/schema.json:2:1: duplicate field type: first in 1:17',
    'sql/sources/twice/table.json:2:1: duplicate field clustering: first in 1:2',
    'sql/sources/orders/sample.ndjson:2: the line is not UTF-8: save it as UTF-8',
    'sql/routines/o.sql: is not UTF-8: save it as UTF-8',
    'sql/endpoints/tasks.run-stats/query.sql: is not UTF-8: save it as UTF-8',
    'sql/endpoints/web.visit-counts/endpoint.json:23:5: duplicate field interval: first in 13:1',
    'The queries were not checked: this needs a valid schema.json and table.json of every table.',
    'Error: 6 faults',
    '',
  ]);
});

it('accepts a byte order mark at the start of every file', async () => {
  const files = readdirSync(tree.directory, { recursive: true, encoding: 'utf8' });
  for (const file of files.filter((name) => /^(?!endpoint\.).*\.(?:json|sql)$/.test(name))) {
    tree.replace(file, /^/, '\uFEFF');
  }
  expect(await check()).toEqual({ code: 0, said: ALL_IS_RIGHT });
});

it('does not wait for the writer of a pipe in place of a file', async () => {
  const said = async (...files: string[]) => {
    for (const file of files) {
      rmSync(join(tree.directory, file), { force: true });
      execFileSync('mkfifo', [join(tree.directory, file)]);
    }
    const { code, stderr } = await runScript('scripts/check.ts', ['--sql', tree.directory]);
    expect(code).toBe(1);
    return stderr.replaceAll(tree.directory, 'sql');
  };
  expect(
    await said(
      'sources/task_runs/sample.ndjson',
      'endpoints/tasks.run-stats/query.sql',
      'endpoints/web.visit-counts/tests/pipe.json',
      'routines/pipe.sql',
    ),
  ).toBe(`sql/sources/task_runs/sample.ndjson: is not a file
sql/routines/pipe.sql: cannot be read
sql/endpoints/tasks.run-stats/query.sql: cannot be read
sql/endpoints/web.visit-counts/tests/pipe.json: cannot be read
Error: 4 faults
`);
  expect(await said('sources/task_runs/table.json')).toContain(
    'sql/sources/task_runs/table.json: cannot be read\n',
  );
});

it('prints no control characters from names', async () => {
  mkdirSync(join(tree.directory, 'endpoints/\u001b[2J\u009b31m\r'));
  const { code, said } = await check();
  expect(said).toContain('sql/endpoints/\\u001b[2J\\u009b31m\\u000d/');
  // oxlint-disable-next-line no-control-regex -- These are looked for.
  expect(said).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
  expect(code).toBe(1);
});

it('checks no query while the definition of a table has a fault', async () => {
  addTable({ 'schema.json': ORDERS, 'table.json': '{"clustering": ["customer_id"]}' });
  const tables = 'sources/web_visits/table.json';
  tree.replace(tables, '"requirePartitionFilter": true', '"partitions": 1');
  tree.replace('sources/task_runs/schema.json', '"TIMESTAMP"', '"TIMESTAMPTZ"');
  expect(await check()).toEqual({
    code: 1,
    said: `sql/sources/orders/table.json:1:17: clustering: schema.json has no column customer_id
sql/sources/task_runs/schema.json:4:5: timestamp: BigQuery has no type "TIMESTAMPTZ"
sql/sources/web_visits/table.json:5:3: table.json has the unknown field partitions
The queries were not checked: this needs a valid schema.json and table.json of every table.
Error: 3 faults
`,
  });
});

it('rejects a directory without saved queries with one line', async () => {
  expect(await runCommand(main, ['--sql', 'infra'])).toEqual(
    refusal('infra contains no saved queries: it has no directory endpoints (--sql).'),
  );
});

it.each([
  [['web'], ['web.visit-counts']],
  [
    ['tasks.*', 'web.visit-counts'],
    ['tasks.run-stats', 'web.visit-counts'],
  ],
  [['we'], []],
  [['*'], []],
])('checks the endpoints of a name or group: %j', async (given, names) => {
  const { stdout } = await runCommand(main, [...given, '--sql', TEST_SQL]);
  expect([...stdout.matchAll(/^ok {2}(\S+)/gm)].map(([, name]) => name)).toEqual(names);
});
