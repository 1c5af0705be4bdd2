// Tests of what `check` refuses of an endpoint with warming.incremental, because rows that are kept would be wrong.
import { checkCatalogue } from '../../../scripts/check/check-endpoint.ts';
import { SALES } from '../../support/bigquery/kept-rows.ts';
import { sharedEngine } from '../../support/bigquery/shared-engine.ts';
import { FakeSqlTree, parameter } from '../../support/sql/fake-sql-tree.ts';

interface Given {
  query?: string;
  warm?: string;
  bucket?: object;
  row?: object;
  parameters?: object;
  partitioning?: object;
}

/** What is said of SALES with these changes; '' if it passes. */
async function said({ query = SALES.query, warm = SALES.warm, ...given }: Given): Promise<string> {
  const { partitioning = { type: 'HOUR', field: 'at' }, ...definition } = given;
  const columns = 'at TIMESTAMP, seen TIMESTAMP, shop STRING, kind STRING, amount INT64';
  const { directory } = new FakeSqlTree()
    .source('sales', `${columns}, text STRING`, { partitioning })
    .source('prices', 'name STRING, price INT64')
    .source('orders', 'ts TIMESTAMP', { partitioning: { type: 'DAY', field: 'ts' } })
    .endpoint({ ...SALES.definition, ...definition }, query, warm);
  const found = checkCatalogue(await sharedEngine(), directory).then(() => '', String);
  return `${await found}\n`.replaceAll(`${directory}/endpoints/sales.by-day/`, '');
}

/** `a => b` in query.sql; or in warm.sql. */
const query = (change: string): Given => ({ query: changed(SALES.query, change) });
const warm = (change: string): Given => ({ warm: changed(SALES.warm, change) });

function changed(sql: string, change: string): string {
  const [from = '', to = ''] = change.split(' => ');
  expect(sql).toContain(from);
  return sql.replace(from, to);
}

const [, WHERE = ''] = /WHERE([^]*)GROUP/.exec(SALES.query) ?? [];
/** A query of the rows of `sold`. */
const of = (sql: string): Given => ({
  query: `WITH sold AS (SELECT * FROM sales AS sold WHERE ${WHERE}) ${sql}`,
});
const { bucket, row, parameters } = SALES.definition;
const TRUNCATED = 'DATE(sold.at) => DATETIME(TIMESTAMP_TRUNC(sold.at, DAY))';
/** With `day` a DATETIME, and steps of this length. */
const stepOf = (step: string): Given => ({
  ...{ ...query(TRUNCATED), ...warm(TRUNCATED), bucket: { ...bucket, step } },
  row: { ...row, day: { ...row.day, type: 'DATETIME' } },
});
const SUMS = 'SUM(sold.amount) AS total, MAX(sold.text) AS text';
const START = 'TIMESTAMP_TRUNC(TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 30 DAY), DAY)';
const HOUR = 'TIMESTAMP_TRUNC(sold.at, HOUR)';
const START_OF_WARM = START.replace('CURRENT_TIMESTAMP()', '@now');
const NOON = '2026-11-20T12:00:00Z';
const BY_DAY = 'GROUP BY day ORDER BY day';
const YESTERDAY = 'TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 1 DAY)';
/** One more condition of query.sql. */
const where = (condition: string): Given =>
  query(`AND sold.shop => AND ${condition} AND sold.shop`);
/** Another start of the window, in both files. */
const since = (start: string, length = 'P30D'): Given => ({
  ...query(`${START} => ${start}`),
  ...warm(
    `${START_OF_WARM} => ${start.replace(/CURRENT_DATE\((.*?)\)/, 'DATE(@now, $1)').replace(', )', ')')}`,
  ),
  bucket: { ...bucket, window: length },
});
/** With a start of the window that a parameter `long` decides. */
const long = (condition: string, definition: object): Given => ({
  ...query(`>= ${START} => >= IF(${condition}, TIMESTAMP '2020-01-01', ${START})`),
  ...warm(`>= ${START_OF_WARM} => >= IF(${condition}, TIMESTAMP '2020-01-01', ${START_OF_WARM})`),
  parameters: { ...parameters, long: parameter(definition) },
});
const DAYS = 'GENERATE_DATE_ARRAY(DATE_SUB(CURRENT_DATE(), INTERVAL 30 DAY), CURRENT_DATE())';
const other = (name: string): string =>
  `uses ${name}, whose value may be another one for rows that are kept`;
const read = (ranges: string): string =>
  `warm.sql reads ${ranges} at 2026-11-20T23:37:41.250Z, but is asked for rows since 2026-10-22T00:00:00Z: filter the partition column by @since`;
const window = (length: string, from: string, ranges: string, at = '2026-11-20T23:37:41.250Z') =>
  `bucket.window is ${length} at ${at}: from ${from}, but query.sql reads ${ranges}`;

const lists = (from: string, until: string): string =>
  `lists the times from ${from} to ${until} at 2026-11-20T23:37:41.250Z, but bucket.window has the times from 2026-10-21T00:00:00Z to 2026-11-20T00:00:00Z`;
/** With a list of days from 30 days before one date to another. */
const days = (from: string, until: string): Given =>
  of(
    `SELECT DATE(sold.at) AS day, ${SUMS} FROM UNNEST(GENERATE_DATE_ARRAY(DATE_SUB(${from}, INTERVAL 30 DAY), ${until})) AS d JOIN sold ON DATE(sold.at) = d ${BY_DAY}`,
  );

const REFUSED: Record<string, Given[]> = {
  'has a window function, whose value depends on other buckets': [
    query(`SUM(sold.amount) => SUM(SUM(sold.amount)) OVER (ORDER BY MIN(sold.at))`),
    query(`ORDER BY day => QUALIFY ROW_NUMBER() OVER (ORDER BY day) < 3 ORDER BY day`),
  ],
  'has LIMIT, which cuts rows of some buckets': [
    query(`ORDER BY day => ORDER BY day LIMIT 3`),
    of(`SELECT DATE(sold.at) AS day, ${SUMS} FROM (SELECT * FROM sold LIMIT 9) sold ${BY_DAY}`),
  ],
  'has a PivotScan, which may mix buckets': [
    of(
      `SELECT day, k AS total, text FROM (SELECT DATE(sold.at) AS day, text, kind FROM sold) PIVOT(COUNT(*) FOR kind IN ('x' AS k)) ORDER BY day`,
    ),
  ],
  'must begin its ORDER BY with day, ascending': [
    query(`ORDER BY day => ORDER BY day DESC`),
    query(`ORDER BY day => ORDER BY total, day`),
    query(`ORDER BY day => `),
    {
      ...stepOf('PT1H'),
      ...of(
        `SELECT DATETIME(h) AS day, COUNT(*) AS total, '' AS text FROM (SELECT ${HOUR} AS h FROM sold) GROUP BY h ORDER BY DATE(h)`,
      ),
    },
    {
      ...stepOf('PT1H'),
      ...of(
        `SELECT DATETIME(h) AS day, COUNT(*) AS total, '' AS text FROM (SELECT IF(@shop = 'a', ${HOUR}, ${HOUR}) AS h, IF(@kind = 'x', ${HOUR}, ${HOUR}) AS i FROM sold) GROUP BY h, i ORDER BY i`,
      ),
    },
  ],
  'day is not TIMESTAMP_TRUNC of the partition column to SECOND, MINUTE, HOUR or DAY in UTC': [
    query(`DATE(sold.at) => DATE(sold.at, 'Europe/Berlin')`),
    query(`DATE(sold.at) => DATE(TIMESTAMP_TRUNC(sold.at, DAY, 'America/New_York'))`),
    query(`DATE(sold.at) => DATE_TRUNC(DATE(sold.at), WEEK)`),
    query(`DATE(sold.at) => DATE(sold.seen)`),
    query(`DATE(sold.at) => IF(sold.amount > 1, DATE(sold.at), DATE(sold.at))`),
    query(`DATE(sold.at) => IF(sold.amount > 1, DATE(sold.at), NULL)`),
    query(
      `DATE(sold.at) => CAST(CAST(TIMESTAMP_TRUNC(sold.at, DAY) AS STRING FORMAT 'YYYY-MM') AS DATE FORMAT 'YYYY-MM')`,
    ),
  ],
  'groups rows of several buckets together: GROUP BY the bucket, a UTC truncation of the partition column':
    [
      of(`SELECT DATE(MAX(sold.at)) AS day, SUM(amount) AS total, text FROM sold GROUP BY text`),
      of(
        `SELECT DATE(sold.at) AS day, ${SUMS} FROM (SELECT ARRAY_AGG(sold) AS list FROM sold), UNNEST(list) AS sold ${BY_DAY}`,
      ),
      query(`GROUP BY day => GROUP BY ROLLUP(day)`),
    ],
  'reads its partitioned table twice, so a row may depend on other buckets': [
    of(
      `SELECT DATE(sold.at) AS day, amount AS total, text FROM (SELECT * FROM sold UNION ALL SELECT * FROM sold) AS sold`,
    ),
    query(`MAX(sold.text) => (SELECT MAX(text) FROM sales)`),
  ],
  'joins its partitioned table with itself, so a row may depend on other buckets': [
    of(`SELECT DATE(b.at) AS day, ${SUMS} FROM sold JOIN sold AS b ON sold.at < b.at ${BY_DAY}`),
  ],
  'joins rows that are grouped by bucket already': [
    of(
      `SELECT day, total, name AS text FROM (SELECT DATE(sold.at) AS day, SUM(amount) AS total FROM sold GROUP BY day) JOIN prices ON price = total ORDER BY day`,
    ),
  ],
  'has an outer join that keeps rows without a bucket': [
    of(
      `SELECT d AS day, ${SUMS} FROM UNNEST(${DAYS}) AS d LEFT JOIN sold ON DATE(sold.at) = d ${BY_DAY}`,
    ),
    of(`SELECT DATE(sold.at) AS day, ${SUMS} FROM sold FULL JOIN prices ON name = text ${BY_DAY}`),
  ],
  'reads its partitioned table in a subquery': [
    query(`MAX(sold.text) => (SELECT MAX(text) FROM sales)`),
  ],
  'has a set operation other than UNION ALL': [
    of(
      `SELECT day, 1 AS total, '' AS text FROM (SELECT DATE(sold.at) AS day FROM sold EXCEPT DISTINCT SELECT DATE '2026-11-01') ORDER BY day`,
    ),
  ],
  'uses the time elsewhere than to bound the partition column, so rows that are kept would be those of an earlier time':
    [
      query(`SUM(sold.amount) => COUNTIF(sold.at > ${YESTERDAY})`),
      { query: `CREATE TEMP FUNCTION f() AS (CURRENT_DATE()); ${SALES.query} , f()` },
      query(`GROUP BY day => GROUP BY day HAVING day > DATE(${YESTERDAY})`),
      query(`AND sold.shop => AND (sold.at > ${YESTERDAY} OR sold.amount > 1) AND sold.shop`),
      query(
        `AND sold.shop => AND sold.at > TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL sold.amount DAY) AND sold.shop`,
      ),
      query(
        `AND sold.shop => AND UNIX_DATE(DATE(sold.at)) > UNIX_DATE(CURRENT_DATE()) AND sold.shop`,
      ),
      query(`AS sold => AS sold CROSS JOIN UNNEST([${YESTERDAY}]) AS t`),
      ...['[CURRENT_DATE()]', DAYS.replace(/\)$/, ', INTERVAL 7 DAY)')].map((days) =>
        of(
          `SELECT DATE(sold.at) AS day, ${SUMS} FROM UNNEST(${days}) AS d JOIN sold ON DATE(sold.at) = d ${BY_DAY}`,
        ),
      ),
      long('@long', { type: 'BOOL', example: 'false' }),
      long("@long = ''", { enum: ['x'], example: 'x' }),
      long("'y' IN UNNEST(@long)", {
        type: 'ARRAY<STRING>',
        enum: ['x', 'y'],
        example: 'x',
        required: true,
      }),
      query(
        `MAX(sold.text) => CAST(COUNTIF(EXISTS(SELECT 1 FROM UNNEST([1]) WHERE sold.at > ${YESTERDAY})) AS STRING)`,
      ),
      ...[
        `NOT EXISTS(SELECT 1 FROM prices WHERE sold.at < ${YESTERDAY})`,
        `DATETIME(${HOUR}) < DATETIME_SUB(CURRENT_DATETIME(), INTERVAL 1 DAY)`,
        'CAST(DATE(sold.at) AS STRING) < CAST(CURRENT_DATE() AS STRING)',
        'SAFE_CAST(sold.at AS DATE) < CURRENT_DATE()',
        `sold.at < (SELECT ${YESTERDAY})`,
        `sold.at BETWEEN ${HOUR} AND ${YESTERDAY}`,
      ].map(where),
      { query: `CREATE TEMP FUNCTION f() AS (${YESTERDAY}); ${where('sold.at < f()').query}` },
    ],
  [other('RAND')]: [query(`MAX(sold.text) => CAST(RAND() AS STRING)`)],
  [other('SESSION_USER')]: [
    query(`MAX(sold.text) => SESSION_USER()`),
    warm(`MAX(sold.text) => SESSION_USER()`),
  ],
  [other('TABLESAMPLE')]: [query(`AS sold => AS sold TABLESAMPLE SYSTEM (10 PERCENT)`)],
  [other('FOR SYSTEM_TIME')]: [query(`AS sold => AS sold FOR SYSTEM_TIME AS OF ${YESTERDAY}`)],
  'calls a function with an argument of ANY TYPE: give it a type, so that it can be checked': [
    { query: `CREATE TEMP FUNCTION f(x ANY TYPE) AS (x); ${SALES.query}, f(1)` },
  ],
  'needs bucket with step and window, each of seconds, minutes, hours or days; a step divides a day':
    [
      { bucket: { ...bucket, step: 'P1M' } },
      stepOf('PT7H'),
      { bucket: { ...bucket, window: undefined } },
      { bucket: { ...bucket, window: 'P1M' } },
    ],
  'day is truncated to another length than bucket.step': [stepOf('PT1H'), stepOf('PT1S')],
  'needs one table that is partitioned by a TIMESTAMP column, but there is none': [
    { partitioning: { type: 'HOUR' } },
    { partitioning: { type: 'DAY' } },
  ],
  'needs one table that is partitioned by a TIMESTAMP column, but there are sales, orders': [
    query(`AS sold => AS sold JOIN orders ON sold.at = ts`),
  ],
  'warm.sql has a time of the service in @now: rename the parameter': [
    {
      ...where('sold.seen < @now'),
      ...warm(`AND sold.at >= @since => AND sold.at >= @since AND sold.seen < @now`),
      parameters: {
        ...parameters,
        now: parameter({ type: 'TIMESTAMP', example: NOON, required: true }),
      },
    },
  ],
  'warm.sql uses CURRENT_TIMESTAMP, but its clock is @now': [
    warm(`AND sold.at >= @since => AND sold.at >= @since AND sold.seen < CURRENT_TIMESTAMP()`),
  ],
  [read('after 2026-10-22T00:00:00Z')]: [warm(`sold.at >= @since => sold.at > @since`)],
  [read('from 2026-10-21T00:00:00Z')]: [
    warm(`sold.at >= @since => UNIX_SECONDS(sold.at) >= UNIX_SECONDS(@since)`),
    warm(`sold.at >= @since => (sold.at >= @since OR sold.amount > 1)`),
  ],
  [read('from 2026-10-22T00:00:00Z and rows without a time')]: [
    {
      warm: SALES.warm
        .replace(/sold\.at >= TIMESTAMP_TRUNC.*/, '@now IS NOT NULL')
        .replace('sold.at >= @since', '(sold.at >= @since OR sold.at IS NULL)'),
    },
  ],
  [read('from the first row and rows without a time')]: [
    warm(
      `FROM sales => FROM (SELECT * FROM sales AS a WHERE a.at >= @since UNION ALL SELECT * FROM sales)`,
    ),
  ],
  'warm.sql:1:1: does not use @since': [warm(`AND sold.at >= @since => `)],
  [window('P29D (whole)', '2026-10-22T00:00:00Z', 'from 2026-10-21T00:00:00Z')]: [
    { bucket: { ...bucket, window: 'P29D' } },
  ],
  [window(
    'P61D (whole)',
    '2026-12-30T00:00:00Z',
    'from 2027-01-01T00:00:00Z',
    '2027-03-01T00:07:30.500Z',
  )]: [since('TIMESTAMP(DATE_SUB(CURRENT_DATE(), INTERVAL 2 MONTH))', 'P61D')],
  [window(
    'P365D (whole)',
    '2027-07-09T00:00:00Z',
    'from 2027-07-08T00:00:00Z',
    '2028-07-08T23:37:41.250Z',
  )]: [since('TIMESTAMP(DATE_SUB(CURRENT_DATE(), INTERVAL 1 YEAR))', 'P365D')],
  [window(
    'P30D (whole)',
    '2028-06-08T00:00:00Z',
    'from 2028-06-09T00:00:00Z',
    '2028-07-08T23:37:41.250Z',
  )]: [since("TIMESTAMP(DATE_SUB(CURRENT_DATE('Europe/London'), INTERVAL 30 DAY))")],
  [window(
    'P30D (whole)',
    '2026-06-07T00:00:00Z',
    'from 2026-06-06T00:00:00Z',
    '2026-07-07T00:07:30.500Z',
  )]: [since("TIMESTAMP(DATE_SUB(CURRENT_DATE('America/Sao_Paulo'), INTERVAL 30 DAY))")],
  'lists times, and not each bucket once at 2026-11-20T23:37:41.250Z, but bucket.window has the times from 2026-10-21T00:00:00Z to 2026-11-20T00:00:00Z':
    [
      'ARRAY_CONCAT(x, x)',
      'GENERATE_DATE_ARRAY(x[OFFSET(0)], CURRENT_DATE(), INTERVAL 7 DAY)',
      'NULL',
    ].map((list) => ({
      query: `CREATE TEMP FUNCTION f(x ARRAY<DATE>) RETURNS ARRAY<DATE> AS (${list}); ${of(`SELECT DATE(sold.at) AS day, ${SUMS} FROM UNNEST(f(${DAYS})) AS d JOIN sold ON DATE(sold.at) = d ${BY_DAY}`).query}`,
    })),
  [lists('2026-10-21T00:00:00Z', '2026-11-18T00:00:00Z')]: [
    days('CURRENT_DATE()', 'DATE_SUB(CURRENT_DATE(), INTERVAL 2 DAY)'),
  ],
  [lists('2026-10-22T00:00:00Z', '2026-11-20T00:00:00Z')]: [
    days("CURRENT_DATE('Asia/Tokyo')", 'CURRENT_DATE()'),
  ],
  // The same start on each Friday.
  [window(
    'P5D (whole)',
    '2026-07-02T00:00:00Z',
    'from 2026-07-05T00:00:00Z',
    '2026-07-07T00:07:30.500Z',
  )]: [
    {
      ...query(`${START} => TIMESTAMP_TRUNC(CURRENT_TIMESTAMP(), WEEK)`),
      ...warm(`${START_OF_WARM} => TIMESTAMP_TRUNC(@now, WEEK)`),
      bucket: { ...bucket, window: 'P5D' },
    },
  ],
  [window('P30D (whole)', '2026-10-21T00:00:00Z', 'from 2026-10-22T00:00:00Z')]: [
    query(`${START} => TIMESTAMP(DATE_SUB(CURRENT_DATE('Europe/Berlin'), INTERVAL 30 DAY))`),
  ],
  [window('P30D (whole)', '2026-10-21T00:00:00Z', 'from 2026-10-21T23:37:41.250Z')]: [
    query(`${START} => TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 30 DAY)`),
  ],
  [window('P30D (whole)', '2026-10-21T00:00:00Z', `from 2026-10-21T00:00:00Z until ${NOON}`)]: [
    query(`AND sold.shop => AND sold.at < '${NOON}' AND sold.shop`),
  ],
};

it.each(
  Object.entries(REFUSED).flatMap(([message, all]) => all.map((one) => [message, one] as const)),
)('refuses a query: %s %#', async (message, given) => {
  expect(await said(given)).toContain(`${message}\n`);
});

it.each<Given>([
  query(`ORDER BY => HAVING total > 1 ORDER BY`),
  query(`SUM(sold.amount) => COUNT(DISTINCT sold.amount) + (SELECT COUNT(*) FROM prices)`),
  query(
    `MAX(sold.text) => ANY_VALUE((SELECT x FROM UNNEST(SPLIT(sold.text)) AS x ORDER BY x LIMIT 1))`,
  ),
  query(`AND sold.shop => AND sold.at <= CURRENT_TIMESTAMP() AND sold.shop`),
  query(`GROUP BY day => GROUP BY ALL`),
  of(`SELECT DATE(sold.at) AS day, ${SUMS} FROM sold LEFT JOIN prices ON name = text ${BY_DAY}`),
  of(
    `SELECT DATE(sold.at) AS day, ${SUMS} FROM UNNEST(${DAYS}) AS d JOIN sold ON DATE(sold.at) = d ${BY_DAY}`,
  ),
  of(
    `SELECT DATE(hour) AS day, SUM(n) AS total, text FROM (SELECT TIMESTAMP_TRUNC(sold.at, HOUR) AS hour, text, COUNT(*) AS n FROM sold GROUP BY hour, text) GROUP BY day, text ORDER BY day, text`,
  ),
])('passes a query whose rows depend on their bucket alone %#', async (given) => {
  expect(await said(given)).toBe('\n');
});
