// Tests of how `npm run check` reports a case of an endpoint's tests that fails or cannot be read.
import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { main } from '../../../../scripts/check.ts';
import { runCommand } from '../../../support/command.ts';
import { FakeSqlTree, parameter, rowOf } from '../../../support/sql/fake-sql-tree.ts';
import { readExpectations } from '../../../support/sql/read-expectations.ts';
import { TEST_SQL } from '../../../support/sql/test-sql.ts';

const { rejected = [] } = readExpectations('test/scripts/check/cases/wrong-cases.txt');

const warned = readExpectations('test/scripts/check/cases/warnings.sql');

const VISITS = 'endpoints/web.visit-counts/tests/visits.json';
const RUNS = 'endpoints/tasks.run-stats/tests/runs.json';
const WARM_RUNS = 'endpoints/tasks.run-stats/warm.sql';
let tree: FakeSqlTree;

beforeEach(() => void (tree = new FakeSqlTree(TEST_SQL)));

const replaceInVisits = (from: string | RegExp, to: string) => tree.replace(VISITS, from, to);

/** `said` is what the command prints, without the table of windows. */
async function check(endpoint: string, ...options: string[]) {
  const args = [endpoint, '--sql', tree.directory, ...options];
  const { code, stdout, stderr } = await runCommand(main, args);
  const said = (stdout.replace(/^QUERY[^]*/m, '') + stderr).replaceAll(tree.directory, 'sql');
  return { code, said };
}

const WARMING =
  '    warming: in each run, because of sql/endpoints/web.visit-counts/query.sql:17:22: CURRENT_TIMESTAMP\n';

/** `said` is what the command prints of faults, and of warnings. */
async function checkTree({ directory }: FakeSqlTree, ...options: string[]) {
  const { code, stderr } = await runCommand(main, ['--sql', directory, ...options]);
  return { code, said: stderr.replaceAll(directory, 'sql') };
}

it('checks one endpoint by its name, whatever is wrong with others and with unrelated tables', async () => {
  tree.write('endpoints/tasks.run-stats/tests/broken.json', '{');
  tree.write('sources/task_runs/sample.ndjson', 'no\n');
  tree.write('sources/task_runs/table.json', '{');
  // A directory is no file of tests.
  mkdirSync(join(tree.directory, 'endpoints/web.visit-counts/tests/old.json'));
  expect(await check('web.visit-counts')).toEqual({
    code: 0,
    said: `ok  web.visit-counts (3 columns, 2 tests)\n${WARMING}`,
  });
  expect((await checkTree(tree)).code).toBe(1);
});

describe('a failing test', () => {
  it('shows the columns that differ, and the rows that are missing or unexpected', async () => {
    // In whatever order the columns are written.
    replaceInVisits(
      /"timestamp": ("2026-11-20T09[^"]*"), "visits": 2, "urls": 1/,
      '"visits": 3, "urls": 2, "timestamp": $1',
    );
    replaceInVisits(
      '2026-11-20T10:00:00", "visits": 1, "urls": 1',
      '2026-11-20T08:00:00", "visits": 7, "urls": 6',
    );
    expect(await check('web.visit-counts')).toEqual({
      code: 1,
      said: `sql/endpoints/web.visit-counts/tests/visits.json:2:3: two hours of visits: 2 rows returned, but not as expected:
    row 1, visits: expected 3, got 2
    row 1, urls: expected 2, got 1
    missing row 2: {"timestamp":"2026-11-20T08:00:00","visits":7,"urls":6}
    unexpected row 2: {"timestamp":"2026-11-20T10:00:00","visits":1,"urls":1}
Error: 1 fault
`,
    });
  });

  it('shows the row that is not the start of a bucket', async () => {
    const values = { hourly: 'P1D', daily: 'P1D', minutely: 'PT1M' };
    const bucket = { column: 'timestamp', step: { parameter: 'interval', values } };
    const file = 'endpoints/web.visit-counts/endpoint.json';
    tree.replace(file, '"row": {', `"bucket": ${JSON.stringify(bucket)}, "row": {`);
    expect(await check('web.visit-counts')).toEqual({
      code: 1,
      said: `sql/endpoints/web.visit-counts/tests/visits.json:2:3: two hours of visits: row 2, timestamp: 2026-11-20T10:00:00 does not start a bucket of P1D, or not with the rows before it
Error: 1 fault
`,
    });
    tree.replace(file, '"hourly":"P1D"', '"hourly":"PT1H"');
    expect((await check('web.visit-counts')).code).toBe(0);
  });

  it('shows rows in the wrong order', async () => {
    replaceInVisits(
      /(\{ "timestamp": "2026-11-20T09.*\}),\s+(\{ "timestamp": "2026-11-20T10.*\})/,
      '$2, $1',
    );
    expect((await check('web.visit-counts')).said).toBe(
      `sql/endpoints/web.visit-counts/tests/visits.json:2:3: two hours of visits: 2 rows returned, but not as expected:
    the same rows in another order:
    row 1 expected: {"timestamp":"2026-11-20T10:00:00","visits":1,"urls":1}
    row 1 got: {"timestamp":"2026-11-20T09:00:00","visits":2,"urls":1}
Error: 1 fault
`,
    );
  });

  it('shows the actual error and the expected one', async () => {
    replaceInVisits('%5C.example&interval=hourly', '&interval=weekly');
    replaceInVisits('"project=a"', '"project=a&interval=daily"');
    replaceInVisits(
      '"parameters": "project=a&interval=daily"',
      '"now": "2026-11-20T10:00:00Z", $&',
    );
    expect((await check('web.visit-counts')).said).toBe(
      `sql/endpoints/web.visit-counts/tests/visits.json:2:3: two hours of visits: expected 200 with 2 rows, but got 400 INVALID_PARAMETERS (Invalid parameters: interval must be one of hourly, daily, minutely)
sql/endpoints/web.visit-counts/tests/visits.json:27:3: no interval: expected 400 INVALID_PARAMETERS, but got 200 with 0 rows
Error: 2 faults
`,
    );
  });

  it('fails with another reason than expected, with the same status', async () => {
    replaceInVisits('"INVALID_PARAMETERS"', '"MALFORMED_QUERY_STRING"');
    expect((await check('web.visit-counts')).said).toContain(
      'no interval: expected 400 MALFORMED_QUERY_STRING, but got 400 INVALID_PARAMETERS (',
    );
  });
});

describe('--update', () => {
  beforeEach(() => void tree.write('.prettierrc.json', '{ "printWidth": 100 }'));

  it('records the actual results, and keeps the rest of the file', async () => {
    const before = tree.read(VISITS);
    // In whatever order the columns are written.
    replaceInVisits(
      /"timestamp": ("2026-11-20T09[^"]*"), "visits": 2, "urls": 1/,
      '"visits": 3, "urls": 2, "timestamp": $1',
    );
    replaceInVisits(/"expected_http_status": 400,\s+"expected_reason".*/, '"expected_result": []');
    expect(await check('web.visit-counts', '--update')).toEqual({
      code: 1,
      said: `sql/endpoints/web.visit-counts/tests/visits.json:27:3: no interval: expected 200 with 0 rows, but got 400 INVALID_PARAMETERS (Invalid parameters: interval is required and must not be empty); --update-status records 400 INVALID_PARAMETERS
sql/endpoints/web.visit-counts/tests/visits.json:2:3: two hours of visits: 2 rows returned, but not as expected:
    row 1, visits: expected 3, got 2
    row 1, urls: expected 2, got 1
Error: 2 faults
`,
    });
    expect(await check('web.visit-counts', '--update', '--update-status')).toEqual({
      code: 0,
      said: `ok  web.visit-counts (3 columns, 2 tests)
${WARMING}updated: sql/endpoints/web.visit-counts/tests/visits.json:2:3: two hours of visits
updated: sql/endpoints/web.visit-counts/tests/visits.json:27:3: no interval: now expects 400 INVALID_PARAMETERS
`,
    });
    expect(tree.read(VISITS)).toBe(before);
  });

  it('completes a new test', async () => {
    const before = tree.read(VISITS);
    replaceInVisits(/,\s+"expected_result": [^\]]*\]/, '');
    replaceInVisits(/,\s+"expected_reason".*/, '');
    expect((await check('web.visit-counts')).said).toBe(
      `sql/endpoints/web.visit-counts/tests/visits.json:2:3: two hours of visits: the test has no expected_result; it returned 200 with 2 rows (npm run check -- --update records it)
sql/endpoints/web.visit-counts/tests/visits.json:23:3: no interval: the test has no expected_reason; it returned 400 INVALID_PARAMETERS (Invalid parameters: interval is required and must not be empty) (npm run check -- --update records it)
Error: 2 faults
`,
    );
    expect((await check('web.visit-counts', '--update')).code).toBe(0);
    expect(tree.read(VISITS)).toBe(before);
  });

  it('writes nothing while there is another fault', async () => {
    tree.replace(RUNS, '"avg_duration": 15', '"avg_duration": 16');
    tree.replace(WARM_RUNS, 'MAX(run.duration_ms)', 'MIN(run.duration_ms)');
    const before = tree.read(RUNS);
    const { code, said } = await check('tasks.run-stats', '--update');
    expect(said).toContain('row 1, max_duration: query.sql 20, warm.sql 10');
    expect(said).toContain('row 1, avg_duration: expected 16, got 15');
    expect(code).toBe(1);
    expect(tree.read(RUNS)).toBe(before);
  });

  it('neither accepts nor records NULL in a REQUIRED column, from query.sql or warm.sql', async () => {
    const [query, warm] = ['query', 'warm'].map((name) => `endpoints/web.visit-counts/${name}.sql`);
    const unchanged = { query: tree.read(query ?? ''), warm: tree.read(warm ?? '') };
    const reason =
      'The result of BigQuery does not fit: row 1, visits is null, but its mode is REQUIRED; make it NULLABLE in endpoint.json, or return no NULL';
    replaceInVisits('"visits": 2,', '"visits": null,');
    const recorded = tree.read(VISITS);
    tree.replace(query ?? '', 'COUNT(*) AS', 'NULLIF(COUNT(*), 2) AS');
    tree.replace(warm ?? '', 'SUM(visited.visits) AS', 'NULLIF(SUM(visited.visits), 2) AS');
    for (const options of [[], ['--update']]) {
      const { code, said } = await check('web.visit-counts', ...options);
      expect(code).toBe(1);
      expect(said).toContain(`web.visit-counts/query.sql: ${reason} (in the test "two hours of`);
    }
    expect(tree.read(VISITS)).toBe(recorded);
    replaceInVisits(/,\s*"expected_result": \[[^\]]*\]/, '');
    expect((await check('web.visit-counts')).said).toContain(
      `web.visit-counts/query.sql: ${reason} (in the test "two hours of`,
    );

    tree.write(VISITS, recorded.replace('"visits": null,', '"visits": 2,'));
    tree.write(query ?? '', unchanged.query);
    expect((await check('web.visit-counts')).said).toContain(`warm.sql fails: ${reason}`);

    tree.replace(query ?? '', 'COUNT(*) AS', 'NULLIF(COUNT(*), 2) AS');
    tree.write(VISITS, recorded);
    const file = 'endpoints/web.visit-counts/endpoint.json';
    tree.replace(file, /("visits": {\s*"type": "INT64",\s*"mode": )"REQUIRED"/, '$1"NULLABLE"');
    for (const options of [[], ['--update']]) {
      expect((await check('web.visit-counts', ...options)).code).toBe(0);
    }
  });

  it('does not record a failure in place of rows, and shows why the query failed', async () => {
    tree.replace('endpoints/web.visit-counts/query.sql', 'COUNT(*) AS', 'DIV(COUNT(*), 0) AS');
    const before = tree.read(VISITS);
    const { code, said } = await check('web.visit-counts', '--update');
    expect(said).toContain(
      'web.visit-counts/query.sql: division by zero: 2 / 0 (in the test "two hours of visits"); --update-status records 400 INVALID_PARAMETERS',
    );
    expect(code).toBe(1);
    expect(tree.read(VISITS)).toBe(before);
  });
});

it.each<[string, string, RegExp]>([
  [
    'a zone that does not exist, at its place',
    "FORMAT_TIMESTAMP('%c', CURRENT_TIMESTAMP(), 'Europe/Berln') = 'x'",
    /query\.sql:\d+:\d+: Invalid time zone: Europe\/Berln \(in the test "two hours of visits"\)/,
  ],
  [
    'what the local engine lacks',
    "CAST(COUNT(*) AS STRING FORMAT 'RN') = 'x'",
    /^ok .*, not run locally: the local engine lacks a feature: Roman numeral is not supported yet$/m,
  ],
])('says of %s', async (_, condition, said) => {
  tree.replace(
    'endpoints/web.visit-counts/query.sql',
    'COUNT(*) AS',
    `IF(${condition}, 1, COUNT(*)) AS`,
  );
  expect((await check('web.visit-counts')).said).toMatch(said);
});

it('refuses a folder of tests with another name, and warns of a test whose rows are cut', async () => {
  tree.replace('endpoints/web.visit-counts/endpoint.json', '"maxRows": 1000', '"maxRows": 1');
  const { said } = await check('web.visit-counts', '--update');
  expect(said).toContain(
    'two hours of visits: the query returns more than 1 rows, and maxRows cuts the others',
  );
  tree.write('endpoints/web.visit-counts/test/visits.json', '[]');
  expect((await check('web.visit-counts')).said).toContain(
    'sql/endpoints/web.visit-counts/test: is not read: the tests of an endpoint are in the folder tests/',
  );
});

it.each<[string, string | RegExp, string, string]>([
  [
    'that mixes up its keys',
    'run.project = keys.project AND ',
    '',
    `the runs of all functions: warm.sql differs from query.sql for project=a function_id=, in one job with 2 other keys:
    row 2, avg_duration: query.sql null, warm.sql 5
    row 2, max_duration: query.sql null, warm.sql 5
    row 2, count: query.sql 1, warm.sql 2`,
  ],
  [
    'that has rows only for other keys',
    /keys\.key,\n([^]*)ORDER BY keys\.key/,
    "CONCAT('k', keys.key) AS key,\n$1ORDER BY key",
    'the runs of one function: warm.sql fails: A batch returned an unknown key, or one again: its query must return key of @keys as it is, and order the rows by key:\n    it was run for project=a function_id=f; ',
  ],
])('warm.sql %s is reported', async (_, from, to, message) => {
  tree.replace(WARM_RUNS, from, to);
  const { code, said } = await check('tasks.run-stats');
  expect(said).toContain(`sql/${RUNS}:`);
  expect(said).toContain(message);
  expect(code).toBe(1);
});

describe('a warm.sql with optional parameters', () => {
  const CASE = {
    tables: { places: ['a', 'b'].map((city) => ({ city, kind: 'k' })) },
    parameters: 'cities=a&kind=k',
    expected_result: [{ city: 'a' }],
  };
  const DEFINITION = {
    warming: { batchOver: ['cities', 'kind'], maxKeys: 10 },
    parameters: {
      cities: parameter({ type: 'ARRAY<STRING>', example: 'b' }),
      kind: parameter({ example: 'k' }),
    },
    row: rowOf('city STRING'),
  };
  const QUERY =
    "SELECT city FROM places WHERE (ARRAY_LENGTH(@cities) = 0 OR city IN UNNEST(@cities)) AND (@kind = '' OR kind = @kind) ORDER BY city";
  const RIGHT =
    "SELECT keys.key, p.city FROM UNNEST(@keys) AS keys CROSS JOIN places AS p WHERE (ARRAY_LENGTH(keys.cities) = 0 OR p.city IN UNNEST(keys.cities)) AND (keys.kind = '' OR p.kind = keys.kind) ORDER BY key, city";
  const IN_ONE_JOB = 'in one job with 6 other keys:\n    missing row';

  it.each([
    ['is correct', /$/, '', /^$/],
    [
      'uses only the first value of an array',
      'IN UNNEST(keys.cities)',
      '= keys.cities[SAFE_OFFSET(0)]',
      `warm.sql differs from query.sql for cities=a,b kind=k, ${IN_ONE_JOB} 2: {"city":"b"}`,
    ],
    [
      'differs if all parameters are absent',
      '= 0 OR',
      "= 0 AND keys.kind != '' OR",
      `warm.sql differs from query.sql for cities= kind=, ${IN_ONE_JOB} 1: {"city":"a"}`,
    ],
    ['has the rows of a key in another order', /$/, ' DESC', 'the same rows in another order:'],
  ])('that %s is checked', async (_, from, to, fault) => {
    const fake = new FakeSqlTree()
      .source('places', 'city STRING, kind STRING')
      .endpoint(DEFINITION, QUERY, RIGHT.replace(from, to))
      .test(CASE);
    expect((await checkTree(fake)).said).toMatch(fault);
  });
});

describe('a test file', () => {
  it.each(rejected)('that contains %j is rejected, with the position', async (text, message) => {
    tree.write('endpoints/web.visit-counts/tests/wrong.json', text);
    tree.write('endpoints/web.visit-counts/tests/bad.ndjson', '{"timestamp":"2026-11-20"}\nno\n');
    const { code, said } = await check('web.visit-counts');
    expect(said).toContain(`sql/endpoints/web.visit-counts/tests/${message}`);
    expect(said).toContain('\nError: 1 fault\n');
    expect(code).toBe(1);
  });
});

it('a test needs now if only warm.sql uses the current time', async () => {
  const warming = { batchOver: ['city'], maxKeys: 10 };
  const fake = new FakeSqlTree()
    .source('places', 'city STRING')
    .endpoint(
      { row: rowOf('city STRING'), parameters: { city: parameter({ required: true }) }, warming },
      'SELECT city FROM places WHERE city = @city',
      `SELECT k.key, p.city FROM UNNEST(@keys) AS k JOIN places AS p ON p.city = k.city
       WHERE CURRENT_DATE() > DATE '2020-01-01' ORDER BY key`,
    )
    .test({ parameters: 'city=Rome', expected_result: [] });
  expect((await checkTree(fake)).said).toContain('a: the query uses the current time');
});

it('an expected row may have its columns and the fields of a STRUCT in any order', async () => {
  const fake = new FakeSqlTree()
    .source('places', 'city STRING')
    .endpoint(
      { row: rowOf('place RECORD, n INT64') },
      "SELECT STRUCT('DE' AS country, 'Bonn' AS city) AS place, 1 AS n",
    )
    .test({ expected_result: [{ n: 1, place: { city: 'Bonn', country: 'DE' } }] });
  expect(await checkTree(fake)).toEqual({ code: 0, said: '' });
});

it('a test with more rows than the local BigQuery reads fails, whatever it expects', async () => {
  const people = Array.from({ length: 3 }, (_, id) => ({ id, name: 'x'.repeat(2_000_000) }));
  const fake = new FakeSqlTree()
    .source('people', 'id INT64, name STRING')
    .endpoint(
      { row: rowOf('n INT64 NULLABLE') },
      'SELECT COUNT(a.name) AS n FROM people AS a JOIN people AS b USING (id)',
    )
    .test({ tables: { people }, expected_result: [{ n: 1 }] });
  const { code, said } = await checkTree(fake);
  expect(code).toBe(1);
  expect(said).toContain('501 NOT_RUN_LOCALLY (The rows of the test are too many for the local');
  expect(said).toMatch(/\(logs\.people; read=\d; of=3\)/);
});

describe('a warning', () => {
  const row = rowOf('names STRING');
  let fake: FakeSqlTree;

  beforeEach(() => void (fake = new FakeSqlTree().source('people', 'name STRING, city STRING')));

  async function said(): Promise<string> {
    const { code, said } = await checkTree(fake);
    expect(code).toBe(0);
    return said;
  }

  it.each(warned.order ?? [])('of the order of %s', async (sql, message) => {
    fake.endpoint({ row }, sql);
    const warning = `warning: sql/endpoints/group.example/${message}\n`;
    expect(await said()).toBe(message === '' ? '' : warning);
  });

  it.each([
    ['swapped bounds', "ts BETWEEN '2026-11-30' AND '2026-11-01'"],
    ['bounds that exclude each other', "ts >= CURRENT_TIMESTAMP() AND ts < '2026-11-01'"],
    ['a default that is NULL', 'ts >= @from'],
  ])('is given for a filter that no row can pass: %s', async (_, where) => {
    const parameters = where.includes('@')
      ? { from: parameter({ type: 'TIMESTAMP', example: '2026-11-01T00:00:00Z' }) }
      : {};
    fake
      .endpoint({ row, parameters }, `SELECT name AS names FROM people WHERE ${where}`)
      .source('people', 'name STRING, ts TIMESTAMP', {
        partitioning: { type: 'DAY', field: 'ts' },
      });
    expect(await said()).toMatch(
      /^warning: group\.example\/query\.sql(?: by default)? reads nothing of people: no time passes its filter\n$/,
    );
  });

  it.each(warned.suffix ?? [])('of a suffix of another format: %s', async (where, text) => {
    fake
      .endpoint({ row }, `SELECT name AS names FROM \`web.log_*\` WHERE ${where}`)
      .source('web.log', 'name STRING', { shards: { prefix: 'log_', format: 'YYYYMMDD' } });
    const found = `compares the suffix of web.log_* with ${text}, which is not part of YYYYMMDD`;
    expect(await said()).toBe(text ? `warning: group.example/query.sql ${found}\n` : '');
  });

  const people = (names: string[]): object[] => names.map((name) => ({ name, city: 'c' }));
  it('reports a non-deterministic order once a test has as many rows as maxRows', async () => {
    fake
      .endpoint({ row, maxRows: 2 }, 'SELECT ANY_VALUE(city) AS names FROM people GROUP BY name')
      .test({
        tables: { people: people(['0', '1', '2']) },
        expected_result: [{ names: 'c' }, { names: 'c' }],
      });
    expect(await said()).toBe(
      'warning: sql/endpoints/group.example/query.sql:1:1: maxRows (2) cuts rows non-deterministically: there is no ORDER BY\n',
    );
  });

  describe('for a warm.sql whose tests have rows for only one key', () => {
    const example = parameter({ required: true });
    const warming = { batchOver: ['city'], maxKeys: 10 };

    async function said(query: string, warm: string, city = example): Promise<string> {
      fake.endpoint({ row, warming, parameters: { city } }, query, warm).test({
        tables: { people: [{ name: '1', city: 'a' }] },
        parameters: 'city=a',
        expected_result: [{ names: '1' }],
      });
      const { code, said } = await checkTree(fake);
      return `${code} ${said}`;
    }

    it.each(warned['one key'] ?? [])('is an error instead if it is wrong: %s', async (text, is) => {
      const [query = '', warm = ''] = text.split(';\n');
      expect(await said(query, warm)).toMatch(
        is === 'right'
          ? /^0 $/
          : /^1 sql\/endpoints\/group\.example\/tests\/a\.json:1:2: a: on more rows like those of the test, also for city=x, warm\.sql differs from query\.sql for city=/,
      );
    });

    it('is not given for rows that cannot be varied', async () => {
      fake
        .source('days', 'day DATE, city STRING, n INT64')
        .endpoint(
          { row, warming, parameters: { city: example } },
          'SELECT CAST(n AS STRING) AS names FROM days WHERE city = @city',
          'SELECT key, CAST(n AS STRING) AS names FROM UNNEST(@keys) AS k JOIN days USING (city) ORDER BY key',
        )
        .test({
          tables: { days: [{ day: '0001-01-01', city: 'a', n: '9223372036854775807' }] },
          parameters: 'city=a',
          expected_result: [{ names: '9223372036854775807' }],
        });
      expect((await checkTree(fake)).code).toBe(0);
    });

    it('is given if no rows can be generated for a second key', async () => {
      const only = { ...example, enum: ['a'] };
      const [[right = ''] = []] = warned['one key'] ?? [];
      const [query = '', warm = ''] = right.split(';\n');
      expect(await said(query, warm, only)).toBe(
        '0 warning: sql/endpoints/group.example/tests: no test has rows for two keys of one job; add a test with another city, for which its tables have rows\n',
      );
    });
  });

  it('reports a result that, with the most rows, fails', async () => {
    const warning =
      "be about 9\\.\\d MiB in BigQuery's answer, more than MAX_RESULT_MIB \\(8 by default\\): such a request fails";
    const names = Array.from({ length: 20 }, () => randomBytes(720).toString('base64'));
    const query = "SELECT name AS names FROM people WHERE @any = '' ORDER BY name";
    fake.endpoint({ row, maxRows: 10_000, parameters: { any: parameter() } }, query).test({
      tables: { people: people(names) },
      expected_result: names.toSorted().map((name) => ({ names: name })),
    });
    const place = 'warning: sql/endpoints/group.example/tests/a.json:1:2: a';
    const rows = '10000 such rows \\(maxRows\\) would';
    expect(await said()).toMatch(new RegExp(`^${place}: ${rows} ${warning}\n$`));
  });
});
