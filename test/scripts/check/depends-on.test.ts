// Tests what `check` finds out of each query: the tables and slow clocks that its answer depends on, or why it runs each time.
import { join } from 'node:path';
import { checkEndpoint } from '../../../scripts/check/check-endpoint.ts';
import { checkSources } from '../../../scripts/check/check-sources.ts';
import { inspectCatalogue } from '../../../scripts/compile/inspect-catalogue.ts';
import { columns } from '../../support/sql/columns.ts';
import { FakeSqlTree, endpointDefinition, parameter } from '../../support/sql/fake-sql-tree.ts';
import { sharedEngine } from '../../support/bigquery/shared-engine.ts';

const engine = await sharedEngine();
const tree = new FakeSqlTree();
const FROM = 'SELECT COUNT(*) AS count FROM orders WHERE';
const READS_PRICES = '((SELECT COUNT(*) + x FROM prices))';

const again = (reason: string): string => `in each run: ${reason}`;
const CASES: [string, string, string][] = [
  ['a filter', `${FROM} day >= DATE '2026-01-01'`, 'orders'],
  ['a clock in a comment', `${FROM} TRUE -- CURRENT_TIMESTAMP()`, 'orders'],
  ['a clock in a text', `${FROM} note = 'CURRENT_TIMESTAMP() or RAND()'`, 'orders'],
  ['a column with the name of a clock', `${FROM} orders.current_date IS NULL`, 'orders'],
  ['a day', `${FROM} day = CURRENT_DATE()`, 'orders; DAY UTC'],
  ['a day without brackets', `${FROM} day = current_date`, 'orders; DAY UTC'],
  ['a day of a zone', `${FROM} day = CURRENT_DATE('Asia/Kathmandu')`, 'orders; DAY Asia/Kathmandu'],
  [
    'DATE of a time and a zone',
    `${FROM} day = DATE(CURRENT_TIMESTAMP(), 'Europe/Berlin')`,
    'orders; DAY Europe/Berlin',
  ],
  ['CAST to a day', `${FROM} day = CAST(CURRENT_TIMESTAMP() AS DATE)`, 'orders; DAY UTC'],
  ['an hour', `${FROM} ts > TIMESTAMP_TRUNC(CURRENT_TIMESTAMP(), HOUR)`, 'orders; HOUR UTC'],
  [
    'a week from Monday',
    `${FROM} ts > TIMESTAMP_TRUNC(CURRENT_TIMESTAMP, WEEK(MONDAY))`,
    'orders; DAY UTC',
  ],
  [
    'a month of a zone',
    `${FROM} ts > TIMESTAMP(DATETIME_TRUNC(CURRENT_DATETIME('America/New_York'), MONTH))`,
    'orders; DAY America/New_York',
  ],
  [
    'days of two zones',
    `${FROM} day = CURRENT_DATE() OR day = CURRENT_DATE('Europe/Berlin')`,
    'orders; DAY UTC; DAY Europe/Berlin',
  ],
  ['a clock', `${FROM} ts > CURRENT_TIMESTAMP()`, again('CURRENT_TIMESTAMP')],
  [
    'a minute',
    `${FROM} ts > TIMESTAMP_TRUNC(CURRENT_TIMESTAMP(), MINUTE)`,
    again('CURRENT_TIMESTAMP'),
  ],
  [
    'an hour of another time',
    `${FROM} ts > TIMESTAMP_TRUNC(TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 1 MINUTE), HOUR)`,
    again('CURRENT_TIMESTAMP'),
  ],
  ['a zone in a parameter', `${FROM} day = CURRENT_DATE(@zone)`, again('CURRENT_DATE')],
  ['a zone in a call', `${FROM} day = CURRENT_DATE(CONCAT('UT', 'C'))`, again('CURRENT_DATE')],
  [
    'a part of a time',
    `${FROM} EXTRACT(HOUR FROM CURRENT_DATETIME()) > 1`,
    again('CURRENT_DATETIME'),
  ],
  [
    'an hour of the day',
    `${FROM} TIME_TRUNC(CURRENT_TIME(), HOUR) > TIME '01:00:00'`,
    again('CURRENT_TIME'),
  ],
  ['a quoted clock', `${FROM} ts > \`CURRENT_TIMESTAMP\`()`, again('`CURRENT_TIMESTAMP`')],
  ['RAND where it is never called', `${FROM} IF(FALSE, RAND() > 0.5, TRUE)`, again('RAND')],
  ['GENERATE_UUID', `${FROM} note != GENERATE_UUID()`, again('GENERATE_UUID')],
  ['the user', `${FROM} note = SESSION_USER()`, again('SESSION_USER')],
  [
    'a sample',
    'SELECT COUNT(*) AS count FROM orders TABLESAMPLE SYSTEM (10 PERCENT)',
    again('TABLESAMPLE'),
  ],
  ['no table', 'SELECT 1 AS count', again('it reads no table')],
  // The expression WITH: its variables are written as aliases are, and are no aliases.
  [
    'a clock in WITH',
    `${FROM} WITH(now AS CURRENT_TIMESTAMP, ts > now)`,
    again('CURRENT_TIMESTAMP'),
  ],
  [
    'a datetime in WITH',
    `${FROM} WITH(now AS CURRENT_DATETIME, day = DATE(now))`,
    again('CURRENT_DATETIME'),
  ],
  ['a day in WITH', `${FROM} WITH(today AS CURRENT_DATE, day = today)`, 'orders; DAY UTC'],
  // A comment ends with a carriage return too.
  [
    'a clock after a comment',
    `${FROM} -- Old.\r ts > CURRENT_TIMESTAMP()`,
    again('CURRENT_TIMESTAMP'),
  ],
  ['RAND after a comment', `${FROM} # Old.\r RAND() > 0.5`, again('RAND')],
  ['a variable with a blank', `${FROM} note = @@ current_job_id`, again('@')],
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
  const schema = columns(
    'day DATE, ts TIMESTAMP, note STRING, system_time TIMESTAMP, current_date DATE',
  );
  for (const name of ['orders', 'prices']) {
    tree.write(`sources/${name}/schema.json`, schema);
    const plain = { partitioning: null, requirePartitionFilter: false };
    tree.write(`sources/${name}/table.json`, plain);
  }
  const routine = `CREATE TEMP FUNCTION any_type(x ANY TYPE) AS ${READS_PRICES};`;
  tree.write('routines/any_type.sql', routine);
  CASES.forEach(([, sql], index) => {
    const id = endpointDefinition().id.replace(/^1+/, String(10_000_000 + index));
    const zone = parameter({ example: 'UTC' });
    const parameters = sql.includes('@zone') ? { zone } : {};
    tree.endpoint({ id, name: `case.n${index}`, parameters }, sql);
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
    const depends = `${tables?.join(', ')}${clocks?.join('')}`;
    const text = runsAgain ? again(runsAgain.message) : depends;
    found.set(inspected.folder, faults.map(({ message }) => message).join() || text);
  }
});

afterAll(() => tree.remove());

it.each(
  CASES.map(([what, , expected], index): [string, string, number] => [what, expected, index]),
)('finds %s: %s', (_, expected, index) => {
  expect(found.get(`case.n${index}`)).toBe(expected);
});

it('finds that a warm.sql over @keys depends only on its tables', () => {
  expect(found.get('case.batched')).toBe('orders');
});
