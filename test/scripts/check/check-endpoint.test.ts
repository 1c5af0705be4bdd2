// Tests of the check of warm.sql: its tables, its parameters, and its columns.
import { join } from 'node:path';
import { inspectCatalogue } from '../../../scripts/compile/inspect-catalogue.ts';
import { checkEndpoint } from '../../../scripts/check/check-endpoint.ts';
import { formatFault } from '../../../scripts/faults/definition-fault.ts';
import { readSources } from '../../../scripts/sources/read-sources.ts';
import { FakeSqlTree } from '../../support/sql/fake-sql-tree.ts';
import { TEST_SQL } from '../../support/sql/test-sql.ts';
import { sharedEngine } from '../../support/bigquery/shared-engine.ts';

const NAME = 'tasks.run-stats';
const engine = await sharedEngine();
let tree: FakeSqlTree;

beforeEach(() => {
  tree = new FakeSqlTree(TEST_SQL);
});

async function faultsOfTree(): Promise<string[]> {
  const declared = { description: 'A day.', required: false, type: 'DATE', example: '2026-11-20' };
  const definition = `endpoints/${NAME}/endpoint.json`;
  if (tree.read(`endpoints/${NAME}/warm.sql`).includes('@from_day')) {
    tree.replace(
      definition,
      '"parameters": {',
      `"parameters": {"from_day": ${JSON.stringify(declared)},`,
    );
    tree.replace(`endpoints/${NAME}/query.sql`, 'WHERE', 'WHERE (@from_day IS NULL OR TRUE) AND');
  }
  const { endpoints } = inspectCatalogue(tree.directory);
  const inspected = endpoints.find(({ folder }) => folder === NAME);
  if (inspected === undefined) throw new Error(`There is no ${NAME}.`);
  const tables = await readSources(join(tree.directory, 'sources'));
  const { faults } = await checkEndpoint(engine, tables, inspected);
  return faults.map((fault) => formatFault(fault).replaceAll(tree.directory, 'sql'));
}

/** The faults of the endpoint when `from` in its warm.sql is `to`. */
function faultsWith(from: string | RegExp, to: string): Promise<string[]> {
  tree.replace(`endpoints/${NAME}/warm.sql`, from, to);
  return faultsOfTree();
}

it('passes a correct endpoint', async () => {
  expect(await faultsOfTree()).toEqual([]);
});

it.each<[string | RegExp, string, RegExp]>([
  [
    'run.duration_ms',
    'run.duration',
    /^sql\/endpoints\/tasks\.run-stats\/warm\.sql:7:11: .*duration/,
  ],
  [
    'SELECT key, project, function_id',
    'SELECT key, project, functions AS function_id',
    /warm\.sql:\d+:\d+: Unrecognized name: functions/,
  ],
  ['FROM UNNEST(@keys)', 'FROM UNNEST([@keys])', /warm\.sql:\d+:\d+: /],
  [
    'ORDER BY keys.key, timestamp',
    'ORDER BY keys.key, timestamp; SELECT 1',
    /warm\.sql:20:31: has 2 statements, but must be one SELECT; the second begins here$/,
  ],
  [
    /^/,
    'CREATE TEMP TABLE few AS SELECT 1 AS x;\nSELECT x FROM few;\n',
    /warm\.sql:2:1: has 3 statements, but must be one SELECT; the second begins here$/,
  ],
  [
    /run\.timestamp >= TIMESTAMP_SUB[^]*?MINUTE\)/,
    'TRUE',
    /^sql\/endpoints\/tasks\.run-stats\/warm\.sql:10:6: Cannot query over table 'task_runs' without a filter over column\(s\) 'timestamp' that can be used for partition elimination$/,
  ],
  [
    /run\.timestamp >= TIMESTAMP_SUB[^]*?MINUTE\)/,
    '(@from_day IS NULL OR DATE(run.timestamp) >= @from_day)',
    /warm\.sql:10:6: .* partition elimination\. A call without from_day reads all partitions: write DATE\(timestamp\) >= COALESCE\(@from_day, DATE_SUB\(CURRENT_DATE\(\), INTERVAL 29 DAY\)\) for the last 30 days$/,
  ],
  [
    'AS count\nFROM',
    'AS count, 1 AS Count\nFROM',
    /warm\.sql:9:27: returns two columns named count: rename one with AS$/,
  ],
  [
    /SELECT\n {2}keys\.key,/,
    'SELECT',
    /warm\.sql:4:1: must return key, a STRING, as its first column$/,
  ],
  [
    'ORDER BY keys.key, timestamp',
    '',
    /warm\.sql:4:1: must return all rows of a key together: end it with ORDER BY key, then the order of query\.sql$/,
  ],
  [
    'ORDER BY keys.key, timestamp',
    'ORDER BY timestamp, keys.key',
    /warm\.sql:20:1: must return all rows of a key together: end it with ORDER BY key, /,
  ],
  [
    'AS count\nFROM',
    'AS count, COUNT(run.duration_ms) AS timed_count\nFROM',
    /endpoint\.json:\d+:3: row lacks the column timed_count INT64, which warm\.sql returns$/,
  ],
  [
    'COUNT(*) AS count',
    'CAST(COUNT(*) AS STRING) AS count',
    /endpoint\.json:\d+:5: row\.count is INT64, but warm\.sql returns STRING$/,
  ],
])('rejects %s changed to %j', async (from, to, message) => {
  const faults = await faultsWith(from, to);
  expect(faults.at(-1)).toMatch(message);
});

describe('counts a tab as one column, as editors do, after two tabs', () => {
  it('before a table without a filter', async () => {
    const filter = /run\.timestamp >= TIMESTAMP_SUB[^]*?MINUTE\)/;
    const [first] = await faultsWith('FROM task_runs', '\t\tFROM\ttask_runs');
    expect(first).toBeUndefined();
    const [fault] = await faultsWith(filter, 'TRUE');
    expect(fault).toMatch(/warm\.sql:10:8: Cannot query over table 'task_runs'/);
  });

  it('before a table in another letter case', async () => {
    const [fault] = await faultsWith('FROM task_runs', '\t\tFROM\tTask_Runs');
    expect(fault).toMatch(/warm\.sql:10:8: Table not found: Task_Runs; Did you mean task_runs\?/);
  });

  it('before the name of a built-in function', async () => {
    const routine = '-- Capitals.\nCREATE TEMP FUNCTION\t\tINITCAP(text STRING) AS (text);\n';
    tree.write('routines/initcap.sql', routine);
    const [fault] = await faultsWith('SELECT\n  keys.key', "SELECT\n  initcap('a'),\n  keys.key");
    expect(fault).toMatch(/^sql\/routines\/initcap\.sql:2:23: Function INITCAP has the name/);
  });

  it('before a misspelt column', async () => {
    const [fault] = await faultsWith('run.duration_ms', '\t\trun.duration');
    expect(fault).toMatch(/warm\.sql:7:13: .*duration/);
  });
});
