// Tests what `check` finds out of each query: the tables and slow clocks that its answer depends on, or why it runs each time.
import { join } from 'node:path';
import { checkEndpoint } from '../../../scripts/check/check-endpoint.ts';
import { checkSources } from '../../../scripts/check/check-sources.ts';
import { inspectCatalogue } from '../../../scripts/compile/inspect-catalogue.ts';
import { FakeSqlTree, endpointDefinition, parameter } from '../../support/sql/fake-sql-tree.ts';
import { sharedEngine } from '../../support/bigquery/shared-engine.ts';

const engine = await sharedEngine();
const tree = new FakeSqlTree();
const FROM = 'SELECT COUNT(*) AS count FROM orders WHERE';
const READS_PRICES = '((SELECT COUNT(*) + x FROM prices))';

const AGAIN = 'in each run: ';
/** What each query depends on; a condition alone stands for a query of `orders`. */
const CASES = Object.entries({
  orders: [
    "day >= DATE '2026-01-01'",
    'TRUE -- CURRENT_TIMESTAMP()',
    "note = 'CURRENT_TIMESTAMP() or RAND()'",
    'orders.current_date IS NULL',
    // Noticed, and nothing is there: it costs money.
    'SELECT COUNT(keys.day) AS count FROM orders AS keys',
    'SELECT COUNT(ai.day) AS count FROM orders AS ai',
    'system_time IS NULL',
    // Casts that have all of a date in the text, or that make a text.
    "day = CAST('2026-12-25' AS DATE FORMAT 'YYYY-MM-DD')",
    "day = CAST(note AS DATE FORMAT 'DD MON yyyy')",
    "note = CAST(day AS STRING FORMAT 'MM-DD')",
    "CAST(note AS TIME FORMAT 'HH24') IS NULL",
    "PARSE_DATE('%m-%d', note) = day",
    'CREATE TEMP FUNCTION f(x ANY TYPE) AS (x + 1); SELECT COUNT(*) AS count FROM orders WHERE f(1) > 0',
    'FROM orders |> AGGREGATE COUNT(*) AS count',
    "REGEXP_CONTAINS(note, 'a') AND note LIKE ANY ('b%', 'c%') AND LENGTH(note) IN UNNEST([1, 2])",
  ],
  'orders; DAY UTC': [
    'day = CURRENT_DATE()',
    'day = current_date',
    'day = CAST(CURRENT_TIMESTAMP() AS DATE)',
    'ts > TIMESTAMP_TRUNC(CURRENT_TIMESTAMP, WEEK(MONDAY))',
    'WITH(today AS CURRENT_DATE, day = today)',
    `CREATE TEMP FUNCTION f(x ANY TYPE) AS (x = CURRENT_DATE()); ${FROM} f(day)`,
    `CREATE TEMP FUNCTION f(x ANY TYPE) RETURNS BOOL AS (x = CURRENT_DATE()); ${FROM} f(day)`,
  ],
  'orders; DAY Asia/Kathmandu': ["day = CURRENT_DATE('Asia/Kathmandu')"],
  'orders; DAY Europe/Berlin': ["day = DATE(CURRENT_TIMESTAMP(), 'Europe/Berlin')"],
  'orders; DAY America/New_York': [
    "ts > TIMESTAMP(DATETIME_TRUNC(CURRENT_DATETIME('America/New_York'), MONTH))",
  ],
  'orders; DAY UTC; DAY Europe/Berlin': [
    "day = CURRENT_DATE() OR day = CURRENT_DATE('Europe/Berlin')",
  ],
  'orders; HOUR UTC': ['ts > TIMESTAMP_TRUNC(CURRENT_TIMESTAMP(), HOUR)'],
  [`${AGAIN}CURRENT_TIMESTAMP`]: [
    'ts > CURRENT_TIMESTAMP()',
    'ts > `CURRENT_TIMESTAMP`()',
    // A name in back quotes may have escapes.
    'ts > `CURRENT\\x5fTIMESTAMP`()',
    'ts > `\\u0043urrent_timestamp`()',
    'CREATE TEMP FUNCTION f(x ANY TYPE) AS (x > `\\103URRENT_TIMESTAMP`()); SELECT COUNT(*) AS count FROM orders WHERE f(ts)',
    'ts > TIMESTAMP_TRUNC(CURRENT_TIMESTAMP(), MINUTE)',
    'ts > TIMESTAMP_TRUNC(TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 1 MINUTE), HOUR)',
    // The expression WITH: its variables are written as aliases are, and are no aliases.
    'WITH(now AS CURRENT_TIMESTAMP, ts > now)',
    // A comment ends with a carriage return too.
    '-- Old.\r ts > CURRENT_TIMESTAMP()',
  ],
  [`${AGAIN}CURRENT_DATE`]: ['day = CURRENT_DATE(@zone)', "day = CURRENT_DATE(CONCAT('UT', 'C'))"],
  [`${AGAIN}CURRENT_DATETIME`]: [
    'EXTRACT(HOUR FROM CURRENT_DATETIME()) > 1',
    'WITH(now AS CURRENT_DATETIME, day = DATE(now))',
  ],
  [`${AGAIN}CURRENT_TIME`]: ["TIME_TRUNC(CURRENT_TIME(), HOUR) > TIME '01:00:00'"],
  [`${AGAIN}RAND`]: [
    'IF(FALSE, RAND() > 0.5, TRUE)',
    '# Old.\r RAND() > 0.5',
    '`RAN\\x44`() > 0.5',
    '0.5 < (SELECT MAX(x) FROM UNNEST([RAND()]) AS x)',
    'EXISTS (SELECT 1 FROM prices ORDER BY RAND() LIMIT 1)',
    'SELECT COUNT(*) OVER (ORDER BY RAND()) AS count FROM orders',
    'WITH other AS (SELECT RAND() AS r FROM prices) SELECT COUNT(*) AS count FROM orders, other WHERE r > 1',
    `CREATE TEMP FUNCTION f(x INT64) AS (x + RAND()); ${FROM} f(1) > 0`,
    `CREATE TEMP FUNCTION f(x ANY TYPE) AS (x + RAND()); ${FROM} f(1) > 0`,
    `CREATE TEMP FUNCTION g(x ANY TYPE) AS (x + \`RAN\\x44\`()); CREATE TEMP FUNCTION f(x INT64) AS (g(x)); ${FROM} f(1) > 0`,
    `CREATE TEMP AGGREGATE FUNCTION f(x ANY TYPE) AS (SUM(x) + RAND()); SELECT CAST(f(1) AS INT64) AS count FROM orders`,
    // The engine resolves the body where it is called, although the type of its value is declared.
    `CREATE TEMP FUNCTION f(x ANY TYPE) RETURNS FLOAT64 AS (x + RAND()); ${FROM} f(1) > 0`,
    `CREATE TEMP FUNCTION g(x ANY TYPE) RETURNS FLOAT64 AS (x + RAND()); CREATE TEMP FUNCTION f(x INT64) AS (g(x)); ${FROM} f(1) > 0`,
    `CREATE TEMP AGGREGATE FUNCTION f(x ANY TYPE) RETURNS FLOAT64 AS (SUM(x) + RAND()); SELECT CAST(f(1) AS INT64) AS count FROM orders`,
    'FROM orders |> EXTEND RAND() AS r |> WHERE r > 0 |> AGGREGATE COUNT(*) AS count',
  ],
  [`${AGAIN}CAST WITH A FORMAT WITHOUT YYYY AND MM`]: [
    "day = CAST('12-25' AS DATE FORMAT 'MM-DD')",
    "day = SAFE_CAST(note AS DATE FORMAT 'YY-MM-DD')",
    "day = CAST(note AS DATE FORMAT 'RRRR-MM-DD')",
    "day = CAST(note AS DATE FORMAT 'YYYY')",
    `day = CAST(note AS DATE FORMAT 'MM"YYYY"')`,
    "DATE(ts) = DATE(CAST(note AS DATETIME FORMAT 'DD HH24'))",
    "ts = CAST(note AS TIMESTAMP FORMAT 'HH24:MI')",
    "day = CAST(note AS DATE FORMAT CONCAT('YYYY', '-MM-DD'))",
    `CREATE TEMP FUNCTION f(x STRING) AS (CAST(x AS DATE FORMAT 'MM-DD')); ${FROM} f(note) = day`,
    `CREATE TEMP FUNCTION f(x ANY TYPE) AS (CAST(x AS DATE FORMAT 'MM-DD')); ${FROM} f(note) = day`,
    `CREATE TEMP FUNCTION f(x ANY TYPE) RETURNS DATE AS (CAST(x AS DATE FORMAT 'MM-DD')); ${FROM} f(note) = day`,
    // TZM and MI, not MM.
    "ts = CAST(note AS TIMESTAMP FORMAT 'YYYY-DD TZHTZMMI')",
    // HH12, AM and MI: BigQuery may read what the engine does not.
    "ts = CAST(note AS TIMESTAMP FORMAT 'YYYY-DD HH12AMMI')",
  ],
  // Keys may be revoked, and a new version of one decrypts differently.
  [`${AGAIN}AEAD.DECRYPT_STRING`]: ["note = AEAD.DECRYPT_STRING(b'', b'', '')"],
  [`${AGAIN}FOR SYSTEM_TIME`]: [
    "SELECT COUNT(*) AS count FROM orders FOR SYSTEM_TIME AS OF TIMESTAMP '2026-11-20'",
  ],
  [`${AGAIN}GENERATE_UUID`]: ['note != GENERATE_UUID()'],
  [`${AGAIN}SESSION_USER`]: [
    'note = SESSION_USER()',
    `CREATE TEMP FUNCTION f(x ANY TYPE) AS (CONCAT(x, \`SESSION\\x5fUSER\`())); ${FROM} f('') = note`,
    `CREATE TEMP FUNCTION f(x ANY TYPE) AS (CONCAT(x, SESSION_USER())); ${FROM} f(note) = note`,
  ],
  [`${AGAIN}TABLESAMPLE`]: ['SELECT COUNT(*) AS count FROM orders TABLESAMPLE SYSTEM (10 PERCENT)'],
  [`${AGAIN}it reads no table`]: ['SELECT 1 AS count'],
  [`${AGAIN}@@CURRENT_JOB_ID`]: [
    'note = @@ current_job_id',
    'note = @@`current_job_id`',
    `CREATE TEMP FUNCTION f(x ANY TYPE) AS (CONCAT(x, @@current_job_id)); ${FROM} f(note) = note`,
    `CREATE TEMP FUNCTION f(x ANY TYPE) RETURNS STRING AS (CONCAT(x, @@\`current_job_id\`)); ${FROM} f(note) = note`,
  ],
  // The engine resolves the body of a function of ANY TYPE where it is called.
  'orders, prices': [
    `CREATE TEMP FUNCTION f(x ANY TYPE) AS ${READS_PRICES}; ${FROM} f(1) > 0`,
    'any_type(1) > 0',
    `CREATE TEMP FUNCTION g(x ANY TYPE) AS ${READS_PRICES};
     CREATE TEMP FUNCTION f(x INT64) AS (g(x)); ${FROM} f(1) > 0`,
    `CREATE TEMP AGGREGATE FUNCTION f(x ANY TYPE) AS (SUM(x) + (SELECT COUNT(*) FROM prices));
     SELECT f(1) AS count FROM orders`,
    // The name of the table is found by what is resolved, not by its spelling.
    `CREATE TEMP FUNCTION f(x ANY TYPE) AS ((SELECT COUNT(*) + x FROM \`pri\\x63es\`)); ${FROM} f(1) > 0`,
    `CREATE TEMP FUNCTION f(x ANY TYPE) RETURNS INT64 AS ((SELECT COUNT(*) + x FROM PRICES)); ${FROM} f(1) > 0`,
  ],
}).flatMap(([expected, queries]) =>
  queries.map(
    (sql) => [/^(SELECT|CREATE|WITH|FROM) /.test(sql) ? sql : `${FROM} ${sql}`, expected] as const,
  ),
);

let found: Map<string, string>;

beforeAll(async () => {
  const list = 'day DATE, ts TIMESTAMP, note STRING, system_time TIMESTAMP, current_date DATE';
  tree.source('orders', list).source('prices', list);
  const routine = `CREATE TEMP FUNCTION any_type(x ANY TYPE) AS ${READS_PRICES};`;
  tree.write('routines/any_type.sql', routine);
  CASES.forEach(([sql], index) => {
    const id = endpointDefinition().id.replace(/^1+/, String(10_000_000 + index));
    const zone = parameter({ example: 'UTC' });
    const parameters = sql.includes('@zone') ? { zone } : {};
    tree.endpoint({ id, name: `case.n${index}`, parameters }, sql);
  });
  const batched = { id: endpointDefinition().id, name: 'case.batched' };
  const parameters = { note: parameter({ required: true }) };
  const warming = { batchOver: ['note'], maxKeys: 100 };
  tree.endpoint(
    { ...batched, parameters, warming },
    `${FROM} note = @note`,
    // As `npm run new -- --warm` writes it.
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
    const text = runsAgain ? `${AGAIN}${runsAgain.message}` : depends;
    found.set(inspected.folder, faults.map(({ message }) => message).join() || text);
  }
});

it.each(CASES.map((one, index) => [...one, index] as const))('%s: %s', (_, expected, index) => {
  expect(found.get(`case.n${index}`)).toBe(expected);
});

it('finds that a warm.sql over @keys depends only on its tables', () => {
  expect(found.get('case.batched')).toBe('orders');
});
