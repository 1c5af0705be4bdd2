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
const MINUTE_OF_NOW = 'EXTRACT(MINUTE FROM CURRENT_TIMESTAMP())';
const BY_DAY = 'GROUP BY day ORDER BY day';
const YESTERDAY = 'TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 1 DAY)';
/** One more condition of query.sql. */
const where = (condition: string): Given =>
  query(`AND sold.shop => AND ${condition} AND sold.shop`);
const CUT_START = 'sold.at >= TIMESTAMP_SUB(@now, INTERVAL 30 DAY)';
const IN_TWO = `${CUT_START} AND sold.at >= @since UNION ALL SELECT * FROM sales AS sold WHERE ${CUT_START} AND sold.at < @until`;
/** With a window that cuts a bucket, and these conditions of the rows of warm.sql. */
const cut = (condition: string): Given => ({
  query: SALES.query.replace(START, START.slice('TIMESTAMP_TRUNC('.length, -', DAY)'.length)),
  warm: SALES.warm
    .replace('FROM sales', `FROM (SELECT * FROM sales AS sold WHERE ${condition})`)
    .replace(/WHERE\n[^]*(?=GROUP)/, ''),
  bucket: { ...bucket, whole: false },
});
/** Another start of the window. */
const start = (sql: string): Given => query(`${START} => ${sql}`);
/** With hours or days as `@cut` says, and a step that `@step` says. */
const byTwo = (sql: string): Given => {
  const chosen = sql
    .replace('HOURS', 'DATETIME_TRUNC(DATETIME(sold.at), HOUR)')
    .replace('DAYS', 'DATETIME(TIMESTAMP_TRUNC(sold.at, DAY))');
  const sum = 'SUM(sold.amount) => SUM(sold.amount + LENGTH(@step))';
  const listed = { enum: ['d', 'h'], example: 'd', required: true };
  return {
    ...stepOf('P1D'),
    query: changed(changed(SALES.query, `DATE(sold.at) => ${chosen}`), sum),
    warm: changed(changed(SALES.warm, `DATE(sold.at) => ${chosen}`), sum),
    bucket: { ...bucket, step: { parameter: 'step', values: { d: 'P1D', h: 'PT1H' } } },
    parameters: { ...parameters, cut: parameter(listed), step: parameter(listed) },
  };
};
/** With a start of the window that a parameter `long` decides. */
const long = (condition: string, definition: object): Given => ({
  ...query(`>= ${START} => >= IF(${condition}, TIMESTAMP '2020-01-01', ${START})`),
  ...warm(`>= ${START_OF_WARM} => >= IF(${condition}, TIMESTAMP '2020-01-01', ${START_OF_WARM})`),
  parameters: { ...parameters, long: parameter(definition) },
});
const DAYS = 'GENERATE_DATE_ARRAY(DATE_SUB(CURRENT_DATE(), INTERVAL 30 DAY), CURRENT_DATE())';
const other = (name: string): string =>
  `uses ${name}, whose value may be another one for rows that are kept`;
const window = (needed: string): string =>
  `reads other rows than bucket.window says: needed is ${needed}`;
const WINDOW = 'at >= TIMESTAMP_TRUNC(now - P30D, P1D)';
const CONDITION =
  'has a condition on at that is not known to be the same bound at all times: compare at by >=, >, <, <= or BETWEEN with the current time (@now in warm.sql), shifted by lengths that are constants or chosen by parameters with enum, and truncated in UTC to at most a DAY';
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
  ],
  'day is not TIMESTAMP_TRUNC or DATE of the partition column in UTC, to SECOND, MINUTE, HOUR or DAY, as constants or parameters with enum choose':
    [
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
      query(`AS sold => AS sold CROSS JOIN UNNEST([${YESTERDAY}]) AS t`),
      query(`AS sold => AS sold CROSS JOIN UNNEST(GENERATE_ARRAY(1, ${MINUTE_OF_NOW})) AS t`),
      query(`GROUP BY day => GROUP BY day, ${MINUTE_OF_NOW}`),
      query(`ORDER BY day => ORDER BY day, DATE_DIFF(CURRENT_DATE(), day, DAY)`),
      query(`AS sold => AS sold LEFT JOIN prices ON name = text AND sold.at > ${YESTERDAY}`),
      query(
        `MAX(sold.text) => CAST(COUNTIF(EXISTS(SELECT 1 FROM UNNEST([1]) WHERE sold.at > ${YESTERDAY})) AS STRING)`,
      ),
      where('sold.seen < CURRENT_TIMESTAMP()'),
    ],
  [CONDITION]: [
    ...[
      `${YESTERDAY}, CURRENT_TIMESTAMP()`,
      `${START}, TIMESTAMP_ADD(CURRENT_TIMESTAMP(), INTERVAL 1 MINUTE)`,
    ].map((ends) =>
      of(
        `SELECT DATE(sold.at) AS day, ${SUMS} FROM UNNEST(GENERATE_TIMESTAMP_ARRAY(${ends}, INTERVAL 1 DAY)) AS d JOIN sold ON TIMESTAMP_TRUNC(sold.at, DAY) = d ${BY_DAY}`,
      ),
    ),
    long("@long = ''", { enum: ['x'], example: 'x' }),
    long('@long', { type: 'BOOL', example: 'false' }),
    long("'y' IN UNNEST(@long)", {
      type: 'ARRAY<STRING>',
      enum: ['x', 'y'],
      example: 'x',
      required: true,
    }),
    query(`GROUP BY day => GROUP BY day HAVING MAX(sold.at) > ${YESTERDAY}`),
    ...[
      ...['[CURRENT_DATE()]', DAYS.replace(/\)$/, ', INTERVAL 7 DAY)')],
      DAYS.replace(/\)$/, ', INTERVAL SAFE_CAST(@shop AS INT64) DAY)'),
      `ARRAY_CONCAT(${DAYS}, ${DAYS})`,
    ].map((list) =>
      of(
        `SELECT DATE(sold.at) AS day, ${SUMS} FROM UNNEST(${list}) AS d JOIN sold ON DATE(sold.at) = d ${BY_DAY}`,
      ),
    ),
    ...[
      `(sold.at > ${YESTERDAY} OR sold.amount > 1)`,
      `sold.at > TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL sold.amount DAY)`,
      'UNIX_DATE(DATE(sold.at)) > UNIX_DATE(CURRENT_DATE())',
      'EXTRACT(HOUR FROM sold.at) BETWEEN 9 AND 17',
      `NOT EXISTS(SELECT 1 FROM prices WHERE sold.at < ${YESTERDAY})`,
      'CAST(DATE(sold.at) AS STRING) < CAST(CURRENT_DATE() AS STRING)',
      `sold.at < (SELECT ${YESTERDAY})`,
      `sold.at BETWEEN ${HOUR} AND ${YESTERDAY}`,
      `sold.at < '${NOON}'`,
    ].map(where),
    ...[
      `IF(EXTRACT(DAYOFWEEK FROM CURRENT_TIMESTAMP()) = 2, ${YESTERDAY}, ${START})`,
      `CASE WHEN EXTRACT(HOUR FROM CURRENT_TIMESTAMP()) < 9 THEN ${YESTERDAY} ELSE ${START} END`,
      `TIMESTAMP_SUB(${START}, INTERVAL IF(EXTRACT(MONTH FROM CURRENT_DATE()) = 2, 2, 0) DAY)`,
      `TIMESTAMP_SUB(${START}, INTERVAL MOD(${MINUTE_OF_NOW}, 2) DAY)`,
      `GREATEST(${START}, ${YESTERDAY})`,
      'TIMESTAMP(DATE_SUB(CURRENT_DATE(), INTERVAL 2 MONTH))',
      'TIMESTAMP_TRUNC(CURRENT_TIMESTAMP(), WEEK(MONDAY))',
      "TIMESTAMP(DATE_SUB(CURRENT_DATE('Europe/London'), INTERVAL 30 DAY))",
      "TIMESTAMP_TRUNC(CURRENT_TIMESTAMP(), DAY, 'Asia/Tokyo')",
    ].map(start),
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
    warm(`AND sold.at >= @since => AND sold.at >= @since AND sold.at < CURRENT_TIMESTAMP()`),
    {
      warm: `CREATE TEMP FUNCTION f() AS (CURRENT_TIMESTAMP()); ${changed(SALES.warm, 'AND sold.at >= @since => AND sold.at >= @since AND sold.at <= f()')}`,
    },
  ],
  [window(`${WINDOW} AND at >= @since`)]: [
    warm(`sold.at >= @since => sold.at > @since`),
    warm(
      `FROM sales => FROM (SELECT * FROM sales AS a WHERE a.at >= @since UNION ALL SELECT * FROM sales)`,
    ),
    warm(`AND sold.at >= @since => AND @since IS NOT NULL`),
    warm(`INTERVAL 30 DAY => INTERVAL 31 DAY`),
  ],
  [`warm.sql:7:7: warming.incremental: ${CONDITION}`]: [
    warm(`sold.at >= @since => UNIX_SECONDS(sold.at) >= UNIX_SECONDS(@since)`),
  ],
  [`warm.sql:7:8: warming.incremental: ${CONDITION}`]: [
    warm(`sold.at >= @since => (sold.at >= @since OR sold.amount > 1)`),
    warm(`sold.at >= @since => (sold.at >= @since OR sold.at IS NULL)`),
  ],
  'warm.sql:1:1: does not use @since': [warm(`AND sold.at >= @since => `)],
  [window('at >= TIMESTAMP_TRUNC(now - P29D, P1D)')]: [{ bucket: { ...bucket, window: 'P29D' } }],
  [`query.sql:4:3: warming.incremental: ${window(WINDOW)}`]: [
    start('TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 30 DAY)'),
    start(`TIMESTAMP_ADD(${START}, INTERVAL 1 MICROSECOND)`),
    query(`>= ${START} => > ${START}`),
  ],
  [window(WINDOW)]: [
    query(`GROUP BY day => GROUP BY day HAVING day > DATE(${YESTERDAY})`),
    query(`AS sold => AS sold JOIN prices ON name = text AND sold.at > ${YESTERDAY}`),
    { query: `CREATE TEMP FUNCTION f() AS (${YESTERDAY}); ${where('sold.at < f()').query}` },
    ...[
      'DATE(sold.at) < CURRENT_DATE()',
      `DATETIME(${HOUR}) < DATETIME_SUB(CURRENT_DATETIME(), INTERVAL 1 DAY)`,
      `sold.at >= TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 30 DAY)`,
    ].map(where),
    days('CURRENT_DATE()', 'DATE_SUB(CURRENT_DATE(), INTERVAL 2 DAY)'),
  ],
  [window('at >= now - P30D AND at >= @since, and by UNION ALL that start AND at < @until')]: [
    cut(`${CUT_START} AND sold.at >= @since AND @until IS NOT NULL`),
    cut(IN_TWO.replace('>= @since', '> @since')),
    cut(IN_TWO.replace('< @until', '<= @until')),
    cut(`${IN_TWO} AND sold.at > TIMESTAMP_SUB(@now, INTERVAL 30 DAY)`),
    cut(`${IN_TWO} AND sold.at >= TIMESTAMP_SUB(@until, INTERVAL 1 HOUR)`),
    cut(IN_TWO.replace(`${CUT_START} AND sold.at < @until`, 'sold.at < @until')),
    cut(`${IN_TWO} UNION ALL SELECT * FROM sales AS sold WHERE ${CUT_START} AND sold.at < @until`),
  ],
  'day (step=d cut=h) is truncated to another length than bucket.step': [
    byTwo("IF(@cut = 'h', HOURS, DAYS)"),
    byTwo("CASE WHEN @cut = 'h' THEN HOURS WHEN @cut = 'd' THEN DAYS END"),
    byTwo("CASE @cut WHEN 'd' THEN DAYS ELSE HOURS END"),
  ],
};

it.each(
  Object.entries(REFUSED).flatMap(([message, all]) => all.map((one) => [message, one] as const)),
)('refuses a query: %s %#', async (message, given) => {
  expect(await said(given)).toContain(`${message}\n`);
});

it.each<Given>([
  cut(IN_TWO),
  cut(`${IN_TWO} AND sold.at < @since AND sold.at >= TIMESTAMP_SUB(@until, INTERVAL 1 DAY)`),
  query(`ORDER BY => HAVING total > 1 ORDER BY`),
  query(`SUM(sold.amount) => COUNT(DISTINCT sold.amount) + (SELECT COUNT(*) FROM prices)`),
  query(
    `MAX(sold.text) => ANY_VALUE((SELECT x FROM UNNEST(SPLIT(sold.text)) AS x ORDER BY x LIMIT 1))`,
  ),
  query(`AND sold.shop => AND sold.at <= CURRENT_TIMESTAMP() AND sold.shop`),
  query(`GROUP BY day => GROUP BY ALL`),
  query(`GROUP BY day => GROUP BY day HAVING day >= DATE(${START})`),
  where(`sold.at IS NOT NULL AND sold.at BETWEEN ${START} AND CURRENT_TIMESTAMP()`),
  ...[
    'TIMESTAMP(CURRENT_DATE() - 30)',
    "TIMESTAMP_TRUNC(CURRENT_TIMESTAMP() - INTERVAL 24 * 30 HOUR, DAY, 'UTC')",
    'CAST(DATETIME_TRUNC(DATETIME_SUB(CURRENT_DATETIME(), INTERVAL 30 DAY), DAY) AS TIMESTAMP)',
    'TIMESTAMP_SUB(TIMESTAMP_TRUNC(CURRENT_TIMESTAMP(), DAY), INTERVAL 30 DAY)',
  ].map(start),
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
