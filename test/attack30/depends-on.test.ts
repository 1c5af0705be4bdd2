// Attacks on what `check` finds out: queries that read a clock or a table without being noticed, and some that are noticed wrongly.
import { join } from 'node:path';
import { checkEndpoint } from '../../scripts/check/check-endpoint.ts';
import { checkSources } from '../../scripts/check/check-sources.ts';
import { inspectCatalogue } from '../../scripts/compile/inspect-catalogue.ts';
import { FakeSqlTree, endpointDefinition, parameter } from '../support/fake-sql-tree.ts';
import { sharedEngine } from '../support/shared-engine.ts';

const engine = await sharedEngine();
const tree = new FakeSqlTree();
const FROM = 'SELECT COUNT(*) AS count FROM orders WHERE';
const AGAIN = 'in each run';
const READS_PRICES = '((SELECT COUNT(*) + x FROM prices))';

const CASES: [string, string, string][] = [
  // The expression WITH: its variables are written as aliases are, and are no aliases.
  ['a clock in WITH', `${FROM} WITH(now AS CURRENT_TIMESTAMP, ts > now)`, AGAIN],
  ['a datetime in WITH', `${FROM} WITH(now AS CURRENT_DATETIME, day = DATE(now))`, AGAIN],
  ['a day in WITH', `${FROM} WITH(today AS CURRENT_DATE, day = today)`, 'orders; DAY UTC'],
  // A comment ends with a carriage return too.
  ['a clock after a comment', `${FROM} -- Old.\r ts > CURRENT_TIMESTAMP()`, AGAIN],
  ['RAND after a comment', `${FROM} # Old.\r RAND() > 0.5`, AGAIN],
  ['a variable with a blank', `${FROM} note = @@ current_job_id`, AGAIN],
  // The engine resolves the body of a function of ANY TYPE where it is called.
  [
    'a table in a function of ANY TYPE',
    `CREATE TEMP FUNCTION f(x ANY TYPE) AS ${READS_PRICES}; ${FROM} f(1) > 0`,
    'orders, prices',
  ],
  ['a table in a routine of ANY TYPE', `${FROM} any_type(1) > 0`, 'orders, prices'],
  [
    'a table in a function that another one calls',
    `CREATE TEMP FUNCTION g(x ANY TYPE) AS ${READS_PRICES};
     CREATE TEMP FUNCTION f(x INT64) AS (g(x)); ${FROM} f(1) > 0`,
    'orders, prices',
  ],
  [
    'a table in an aggregate function of ANY TYPE',
    `CREATE TEMP AGGREGATE FUNCTION f(x ANY TYPE) AS (SUM(x) + (SELECT COUNT(*) FROM prices));
     SELECT f(1) AS count FROM orders`,
    'orders, prices',
  ],
  // Noticed, and nothing is there: it costs money.
  ['a table with the alias keys', 'SELECT COUNT(keys.day) AS count FROM orders AS keys', 'orders'],
  ['a table with the alias ai', 'SELECT COUNT(ai.day) AS count FROM orders AS ai', 'orders'],
  ['a column system_time', `${FROM} system_time IS NULL`, 'orders'],
];

let found: Map<string, string>;

beforeAll(async () => {
  const columns = ['day DATE', 'ts TIMESTAMP', 'note STRING', 'system_time TIMESTAMP'];
  const schema = columns.map((column) => {
    const [name = '', type = ''] = column.split(' ');
    return { name, type, mode: 'NULLABLE', description: `The ${name}.` };
  });
  for (const name of ['orders', 'prices']) {
    tree.write(`sources/${name}/schema.json`, schema);
    const plain = { partitioning: null, requirePartitionFilter: false };
    tree.write(`sources/${name}/table.json`, plain);
  }
  const routine = `CREATE TEMP FUNCTION any_type(x ANY TYPE) AS ${READS_PRICES};`;
  tree.write('routines/any_type.sql', routine);
  CASES.forEach(([, sql], index) => {
    const id = endpointDefinition().id.replace(/^1+/, String(10_000_000 + index));
    tree.endpoint({ id, name: `case.n${index}` }, sql);
  });
  const batched = { id: endpointDefinition().id, name: 'case.batched' };
  const parameters = { note: parameter({ required: true }) };
  const warming = { batchOver: ['note'], maxKeys: 100 };
  tree.endpoint({ ...batched, parameters, warming }, `${FROM} note = @note`);
  // As `npm run new -- --warm` writes it.
  tree.write(
    'endpoints/case.batched/warm.sql',
    `SELECT keys.key AS key, COUNT(*) AS count
     FROM orders INNER JOIN UNNEST(@keys) AS keys ON orders.note = keys.note
     GROUP BY keys.key ORDER BY keys.key`,
  );
  const { sources } = await checkSources(join(tree.directory, 'sources'), { withSamples: false });
  found = new Map();
  for (const inspected of inspectCatalogue(tree.directory).endpoints) {
    const { endpoint, faults, runsAgain } = await checkEndpoint(engine, sources, inspected);
    const { dependsOn } = endpoint ?? {};
    const tables = dependsOn?.sources.map(({ table }) => table).sort();
    const clocks = dependsOn?.clocks.map(({ unit, timeZone }) => `; ${unit} ${timeZone}`);
    const text = runsAgain ? AGAIN : `${tables?.join(', ')}${clocks?.join('')}`;
    found.set(inspected.folder, faults.map(({ message }) => message).join() || text);
  }
});

afterAll(() => tree.remove());

it.each(
  CASES.map(([what, , expected], index): [string, string, number] => [what, expected, index]),
)('finds %s: %s', (_, expected, index) => {
  expect(found.get(`case.n${index}`)).toBe(expected);
});

it('finds that a warm.sql over @keys depends on its tables alone', () => {
  expect(found.get('case.batched')).toBe('orders');
});
