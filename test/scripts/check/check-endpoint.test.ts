// Tests of the check of warm.sql: its tables, its parameters, and its columns.
import { join } from 'node:path';
import { inspectCatalogue } from '../../../scripts/compile/inspect-catalogue.ts';
import { checkEndpoint } from '../../../scripts/check/check-endpoint.ts';
import { formatFault } from '../../../scripts/faults/definition-fault.ts';
import { readSources } from '../../../scripts/sources/read-sources.ts';
import { FakeSqlTree } from '../../support/sql/fake-sql-tree.ts';
import { TEST_SQL } from '../../support/sql/test-sql.ts';
import { sharedEngine } from '../../support/bigquery/shared-engine.ts';

const FOLDER = 'endpoints/tasks.run-stats';
const FILTER = /run\.timestamp >= TIMESTAMP_SUB[^]*?MINUTE\)/;
const engine = await sharedEngine();
let tree: FakeSqlTree;

beforeEach(() => void (tree = new FakeSqlTree(TEST_SQL)));

/** The faults of the endpoint when `from` in its warm.sql is `to`. */
async function faultsWith(from: string | RegExp, to: string): Promise<string[]> {
  tree.replace(`${FOLDER}/warm.sql`, from, to);
  const { endpoints } = inspectCatalogue(tree.directory);
  const inspected = endpoints.find(({ folder }) => FOLDER.endsWith(folder));
  if (inspected === undefined) throw new Error(`There is no ${FOLDER}.`);
  const tables = await readSources(join(tree.directory, 'sources'));
  const { faults } = await checkEndpoint(engine, tables, inspected);
  return faults.map((fault) => formatFault(fault).replaceAll(`${tree.directory}/`, ''));
}

it.each<[from: string | RegExp, to: string, fault: string]>([
  [
    'FROM UNNEST(@keys)',
    'FROM UNNEST([@keys])',
    '11:59: Cannot construct array with element type ARRAY<STRUCT<key STRING, project STRING, function_id STRING>> because nested arrays are not supported',
  ],
  [
    'ORDER BY keys.key, timestamp',
    'ORDER BY keys.key, timestamp; SELECT 1',
    '20:31: has 2 statements, but must be one SELECT; the second begins here',
  ],
  [
    /^/,
    'CREATE TEMP TABLE few AS SELECT 1 AS x;\nSELECT x FROM few;\n',
    '2:1: has 3 statements, but must be one SELECT; the second begins here',
  ],
  [
    'AS count\nFROM',
    'AS count, 1 AS Count\nFROM',
    '9:27: returns two columns named count: rename one with AS',
  ],
  [
    'ORDER BY keys.key, timestamp',
    'ORDER BY keys.key, timestamp LIMIT 500',
    '20:30: LIMIT cuts the rows of all keys together: write QUALIFY ROW_NUMBER() OVER (PARTITION BY key ORDER BY …) <= n',
  ],
  [
    'ORDER BY keys.key, timestamp',
    "HAVING REGEXP_CONTAINS(keys.key, r'(capt')\n  OR REGEXP_EXTRACT(keys.key, '[') = 'x'\nORDER BY keys.key, timestamp",
    '21:31: Cannot parse regular expression: missing ]: [',
  ],
  [/SELECT\n {2}keys\.key,/, 'SELECT', '4:1: must return key, a STRING, as its first column'],
  [
    'ORDER BY keys.key, timestamp',
    '',
    '4:1: must return all rows of a key together: end it with ORDER BY key, then the order of query.sql',
  ],
  [
    'ORDER BY keys.key, timestamp',
    'ORDER BY timestamp, keys.key',
    '20:1: must return all rows of a key together: end it with ORDER BY key, then the order of query.sql',
  ],
])('rejects %s changed to %j', async (from, to, fault) => {
  expect((await faultsWith(from, to)).at(-1)).toBe(`${FOLDER}/warm.sql:${fault}`);
});

it('says how to bound days that a call may leave out', async () => {
  const day = { description: 'A day.', required: false, type: 'DATE', example: '2026-11-20' };
  const declared = `"parameters": {"from_day": ${JSON.stringify(day)},`;
  tree.replace(`${FOLDER}/endpoint.json`, '"parameters": {', declared);
  tree.replace(`${FOLDER}/query.sql`, 'WHERE', 'WHERE (@from_day IS NULL OR TRUE) AND');
  const to = '(@from_day IS NULL OR DATE(run.timestamp) >= @from_day)';
  expect((await faultsWith(FILTER, to)).at(-1)).toMatch(
    /warm\.sql:10:6: .* partition elimination\. A call without from_day reads all partitions: write DATE\(timestamp\) >= COALESCE\(@from_day, DATE_SUB\(CURRENT_DATE\(\), INTERVAL 29 DAY\)\) for the last 30 days$/,
  );
});

it('compares the columns of warm.sql with row', async () => {
  const further = 'AS count, COUNT(run.duration_ms) AS timed_count\nFROM';
  expect(await faultsWith('AS count\nFROM', further)).toEqual([
    expect.stringMatching(
      /endpoint\.json:\d+:3: row lacks the column timed_count INT64, which warm\.sql returns$/,
    ),
  ]);
});

describe('counts a tab as one column, as editors do, after two tabs', () => {
  it('before a table without a filter', async () => {
    expect(await faultsWith('FROM task_runs', '\t\tFROM\ttask_runs')).toEqual([]);
    expect(await faultsWith(FILTER, 'TRUE')).toEqual([
      `${FOLDER}/warm.sql:10:8: Cannot query over table 'task_runs' without a filter over column(s) 'timestamp' that can be used for partition elimination: add timestamp >= TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 30 DAY) for the last 30 days`,
    ]);
  });

  it('before the name of a built-in function', async () => {
    const routine = '-- Capitals.\nCREATE TEMP FUNCTION\t\tINITCAP(text STRING) AS (text);\n';
    tree.write('routines/initcap.sql', routine);
    const [fault] = await faultsWith('SELECT\n  keys.key', "SELECT\n  initcap('a'),\n  keys.key");
    expect(fault).toMatch(/^routines\/initcap\.sql:2:23: Function INITCAP has the name/);
  });

  it('before a misspelt column', async () => {
    const [fault] = await faultsWith('run.duration_ms', '\t\trun.duration');
    expect(fault).toMatch(/warm\.sql:7:13: .*duration/);
  });
});
