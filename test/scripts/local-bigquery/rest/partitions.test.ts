// What the local BigQuery reads of partitioned tables: bytes worked out by hand, rows, and the required filter.
import type { LocalTable } from '../../../../scripts/local-bigquery/rest/server.ts';
import type { Partitioning } from '../../../../scripts/local-bigquery/values/table-definition.ts';
import { type TestBigQuery, defaultDataset, failureOf, testBigQuery } from './local-bigquery.ts';
import { columns } from '../../../support/sql/columns.ts';

const NOW = '2026-11-20T10:15:00Z';
const clock = { nowMs: () => Date.parse(NOW) };

interface Answer {
  rows: unknown[];
  bytes: number;
}

/** The first column of all rows, and the bytes processed. */
async function ask(
  bigquery: TestBigQuery,
  query: string,
  params: Record<string, string> = {},
): Promise<Answer> {
  const { totalBytesProcessed } = await bigquery.answer({ query, params });
  const rows = await bigquery.raw({ query, params });
  return { rows: rows.map(({ f }) => f[0]?.v), bytes: Number(totalBytesProcessed) };
}

describe.each<[string, string[]]>([
  ['TIMESTAMP', ['HOUR', 'DAY', 'MONTH', 'YEAR', 'none']],
  ['DATETIME', ['HOUR', 'DAY', 'MONTH', 'YEAR', 'none']],
  ['DATE', ['DAY', 'MONTH', 'YEAR', 'none']],
])('a table partitioned by a column of type %s', (columnType, types) => {
  // Row 9 is in the partition of NULL. `n` and `ts` are 8 bytes each, the NULL none.
  const instants = [
    '2024-12-31T23:59:59.999999',
    '2025-11-20T10:00:00',
    '2026-10-31T23:30:00',
    '2026-11-01T00:00:00',
    '2026-11-19T23:59:59',
    '2026-11-20T09:59:59',
    '2026-11-20T10:00:00',
    '2026-11-20T10:14:00',
    null,
  ];
  const rows = instants.map((instant, index) => ({
    n: index + 1,
    ts: columnType === 'DATE' ? (instant?.slice(0, 10) ?? null) : instant,
  }));
  const fields = columns(`n INTEGER, ts ${columnType}`);
  let bigquery: TestBigQuery;
  beforeAll(async () => {
    const tables = types.map((type) => ({
      name: `by_${type}`,
      fields,
      rows,
      definition: {
        partitioning: type === 'none' ? null : ({ type, field: 'ts' } as Partitioning),
        requirePartitionFilter: false,
      },
    }));
    bigquery = await testBigQuery({ tables, clock });
  });

  const isDate = columnType === 'DATE';
  const sub = isDate ? 'DATE_SUB' : `${columnType}_SUB`;
  const now = isDate ? 'CURRENT_DATE()' : `CURRENT_${columnType}()`;
  const span = `ts >= ${sub}(${now}, INTERVAL CASE @span WHEN 'year' THEN 365 ELSE 1 END DAY)`;

  interface Bound {
    where: string;
    params?: Record<string, string>;
    rows: string[];
    bytes: Record<string, number>;
  }
  const instantBounds: Record<string, Bound> = {
    'a literal': {
      where: "ts >= '2026-11-20 10:00:00'",
      rows: ['7', '8'],
      bytes: { HOUR: 32, DAY: 48, MONTH: 80, YEAR: 96, none: 136 },
    },
    'a parameter': {
      where: `ts = CAST(@ts AS ${columnType})`,
      params: { ts: '2026-10-31 23:30:00' },
      rows: ['3'],
      bytes: { HOUR: 16, DAY: 16, MONTH: 16, YEAR: 96, none: 136 },
    },
    'the current time': {
      where: `ts >= ${sub}(${now}, INTERVAL 30 MINUTE)`,
      rows: ['6', '7', '8'],
      bytes: { HOUR: 48, DAY: 48, MONTH: 80, YEAR: 96, none: 136 },
    },
    'a CASE over a parameter': {
      where: span,
      params: { span: 'day' },
      rows: ['5', '6', '7', '8'],
      bytes: { HOUR: 64, DAY: 64, MONTH: 80, YEAR: 96, none: 136 },
    },
    'the CASE with another value': {
      where: span,
      params: { span: 'year' },
      rows: ['3', '4', '5', '6', '7', '8'],
      bytes: { HOUR: 112, DAY: 112, MONTH: 112, YEAR: 112, none: 136 },
    },
  };
  const dateBounds: Record<string, Bound> = {
    'a literal': {
      where: "ts > '2026-11-19'",
      rows: ['6', '7', '8'],
      bytes: { DAY: 48, MONTH: 80, YEAR: 96, none: 136 },
    },
    'a parameter': {
      where: 'ts = CAST(@ts AS DATE)',
      params: { ts: '2026-10-31' },
      rows: ['3'],
      bytes: { DAY: 16, MONTH: 16, YEAR: 96, none: 136 },
    },
    'the current time': {
      where: `ts >= ${sub}(${now}, INTERVAL 1 DAY)`,
      rows: ['5', '6', '7', '8'],
      bytes: { DAY: 64, MONTH: 80, YEAR: 96, none: 136 },
    },
    'a CASE over a parameter': {
      where: span,
      params: { span: 'day' },
      rows: ['5', '6', '7', '8'],
      bytes: { DAY: 64, MONTH: 80, YEAR: 96, none: 136 },
    },
    'the CASE with another value': {
      where: span,
      params: { span: 'year' },
      rows: ['2', '3', '4', '5', '6', '7', '8'],
      bytes: { DAY: 112, MONTH: 112, YEAR: 112, none: 136 },
    },
  };
  const cases = Object.entries(isDate ? dateBounds : instantBounds).flatMap(([name, bound]) =>
    types.map((type) => [type, name, bound] as const),
  );

  it.each(cases)('by %s: reads only the partitions selected by %s', async (type, _, bound) => {
    const query = `SELECT n FROM by_${type} WHERE ${bound.where} ORDER BY n`;
    expect(await ask(bigquery, query, bound.params)).toEqual({
      rows: bound.rows,
      bytes: bound.bytes[type],
    });
  });

  it.each(types)('by %s: reads all partitions without a filter', async (type) => {
    const query = `SELECT n FROM by_${type} WHERE n > 0 ORDER BY n`;
    expect(await ask(bigquery, query)).toEqual({
      rows: ['1', '2', '3', '4', '5', '6', '7', '8', '9'],
      bytes: 72,
    });
  });
});

describe('a filter on a table partitioned by day', () => {
  const event = (n: number, ts: string | null) => ({ n, ts });
  let bigquery: TestBigQuery;
  beforeAll(async () => {
    const byDay = (field: string) => ({
      partitioning: { type: 'DAY', field } as const,
      requirePartitionFilter: false,
    });
    bigquery = await testBigQuery({
      clock,
      tables: [
        {
          // 16 bytes a day in the columns n and ts, and 8 in the partition of NULL.
          name: 'events',
          fields: columns('n INTEGER, ts TIMESTAMP'),
          definition: byDay('ts'),
          rows: [
            event(1, '2026-11-17T10:00:00Z'),
            event(2, '2026-11-18T10:00:00Z'),
            event(3, '2026-11-19T10:00:00Z'),
            event(4, '2026-11-20T10:00:00Z'),
            event(5, null),
          ],
        },
        {
          name: 'days',
          fields: columns('n INTEGER, Day DATE'),
          definition: byDay('day'),
          rows: [
            { n: 3, Day: '2026-11-19' },
            { n: 4, Day: '2026-11-20' },
          ],
        },
        { name: 'plain', fields: columns('n INTEGER'), rows: [{ n: 3 }, { n: 4 }] },
        {
          name: 'tagged',
          fields: columns('n INTEGER, ts TIMESTAMP, tags STRING REPEATED'),
          definition: byDay('ts'),
          rows: [
            { n: 1, ts: '2026-11-19T00:00:00Z', tags: [] },
            { n: 2, ts: '2026-11-20T00:00:00Z', tags: ['a', 'bc'] },
          ],
        },
      ],
    });
  });

  it.each<[string, string[], number]>([
    ["ts = '2026-11-19 10:00:00'", ['3'], 16],
    ["ts = '2026-11-19 11:00:00'", [], 16],
    ["ts = '2025-01-01'", [], 0],
    ["ts > '2026-11-19 23:59:59.999998'", ['4'], 32],
    ["ts > '2026-11-19 23:59:59.999999'", ['4'], 16],
    ["ts >= '2026-11-19 23:59:59.999999'", ['4'], 32],
    ["ts < '2026-11-18'", ['1'], 16],
    ["ts <= '2026-11-18'", ['1'], 32],
    ["'2026-11-20' <= ts", ['4'], 16],
    ["ts BETWEEN '2026-11-18' AND '2026-11-19 12:00:00'", ['2', '3'], 32],
    ["ts IN ('2026-11-17 10:00:00', '2026-11-20 10:00:00')", ['1', '4'], 32],
    ["ts >= '2026-11-18' AND n < 9 AND ts < TIMESTAMP('2026-11-19')", ['2'], 16],
    ["ts > '2026-11-20' AND ts < '2026-11-17'", [], 0],
    ["ts < '2026-11-18' OR ts >= '2026-11-20'", ['1', '4'], 32],
    ["ts < '2026-11-18' OR ts IS NULL", ['1', '5'], 24],
    ["(ts < '2026-11-18' AND n > 1) OR ts > '2026-11-20'", ['4'], 32],
    ['ts IS NULL', ['5'], 8],
    ['ts >= CAST(NULL AS TIMESTAMP)', [], 0],
    ["ts IN (NULL, '2026-11-20 10:00:00')", ['4'], 16],
    ["DATE(ts) = '2026-11-19'", ['3'], 16],
    ["DATE(ts) > '2026-11-19'", ['4'], 16],
    ["CAST(ts AS DATE) <= '2026-11-17'", ['1'], 16],
    ["EXTRACT(DATE FROM ts) IN ('2026-11-18')", ['2'], 16],
    ['EXTRACT(YEAR FROM ts) < 2026', [], 0],
    ["TIMESTAMP_TRUNC(ts, DAY) = '2026-11-20'", ['4'], 16],
    ["TIMESTAMP_TRUNC(ts, WEEK(THURSDAY)) > '2026-11-12'", ['3', '4'], 32],
    ["TIMESTAMP_ADD(ts, INTERVAL 1 DAY) >= '2026-11-21'", ['4'], 16],
    ["TIMESTAMP_SUB(ts, INTERVAL 24 HOUR) < '2026-11-17'", ['1'], 16],
    ['TIMESTAMP_DIFF(CURRENT_TIMESTAMP(), ts, DAY) < 1', ['4'], 32],
    ["TIMESTAMP_DIFF(ts, '2026-11-19 10:00:00', HOUR) > 0", ['4'], 32],
    ['DATE_DIFF(CURRENT_DATE(), DATE(ts), DAY) <= 1', ['3', '4'], 32],
    ["FORMAT_TIMESTAMP('%F', ts) >= '2026-11-2'", ['4'], 16],
    ["FORMAT_TIMESTAMP('%Y%m%d', ts) = '20261118'", ['2'], 16],
    ["'né' != '' AND ts >= '2026-11-20'", ['4'], 16],
    ['ts >= TIMESTAMP_SUB(CURRENT_TIMESTAMP(), -- one hour\nINTERVAL 1 HOUR)', ['4'], 16],
    ["(ts) >= ((TIMESTAMP '2026-11-21') - (INTERVAL 1 DAY))", ['4'], 16],
    ["ts >= COALESCE(NULL, IF(TRUE, TIMESTAMP '2026-11-20', NULL))", ['4'], 16],
  ])('prunes by %s', async (where, rows, bytes) => {
    const query = `SELECT n FROM events WHERE ${where} ORDER BY n`;
    expect(await ask(bigquery, query)).toEqual({ rows, bytes });
  });

  it.each<[string, string, number]>([
    ['a subquery', 'ts >= (SELECT TIMESTAMP(MAX(day)) FROM days)', 72 + 16],
    ['a subquery without a table', "ts >= (SELECT TIMESTAMP '2026-11-20')", 72],
    ['another column', 'ts >= TIMESTAMP_SECONDS(n)', 72],
    ['OR with another column', "ts >= '2026-11-20' OR n = 4", 72],
    ['OR with a constant', "ts >= '2026-11-20' OR CURRENT_DATE() < '2026-01-01'", 72],
    ['arithmetic on the column', "ts + INTERVAL 1 DAY >= '2026-11-21'", 72],
    ['a function that is not listed', 'UNIX_SECONDS(ts) >= 1795132800', 72],
    ['a day of another time zone', "DATE(ts, 'Asia/Tokyo') >= '2026-11-20'", 72],
    ['NOT', "NOT ts < '2026-11-20'", 72],
    ['IS NOT NULL', 'ts IS NOT NULL AND n = 4', 72],
    ['!=', "ts != '2026-11-19 10:00:00' AND n > 3", 72],
    ['a comparison in a function', "IFNULL(ts >= '2026-11-20', FALSE)", 72],
    ['chance', 'ts >= TIMESTAMP_SECONDS(CAST(FLOOR(RAND()) AS INT64)) AND n = 4', 72],
    ['months added to days', "TIMESTAMP(DATE_ADD(DATE(ts), INTERVAL 1 MONTH)) >= '2026-12-20'", 72],
  ])('does not prune by %s', async (_, where, bytes) => {
    const answer = await ask(bigquery, `SELECT n FROM events WHERE ${where} ORDER BY n`);
    expect(answer.bytes).toBe(bytes);
    expect(answer.rows[0]).toMatch(/^[1-5]$/);
  });

  it.each(
    Object.entries<[string[], number]>({
      "SELECT n FROM (SELECT n, ts AS z FROM events) WHERE z >= '2026-11-20'": [['4'], 16],
      "SELECT n FROM (SELECT n, DATE(ts) AS day FROM events) WHERE day = '2026-11-18'": [['2'], 16],
      "SELECT n FROM (SELECT n, ts FROM events ORDER BY ts) WHERE ts < '2026-11-18'": [['1'], 16],
      "SELECT n FROM events JOIN plain USING (n) WHERE ts >= '2026-11-20'": [['4'], 16 + 16],
      [`SELECT e.n FROM events AS e JOIN days AS d
        ON e.n = d.n AND e.ts >= '2026-11-19' AND d.day = '2026-11-19'`]: [['3'], 32 + 16],
      [`SELECT e.n FROM events AS e LEFT JOIN days AS d
        ON e.n = d.n AND d.day = '2026-11-19' AND e.ts < '2026-11-18'
        WHERE e.ts >= '2026-11-20'`]: [['4'], 16 + 16],
      [`SELECT d.n FROM events AS e RIGHT JOIN days AS d
        ON e.n = d.n AND e.ts >= '2026-11-20' WHERE d.day = '2026-11-20'`]: [['4'], 16 + 16],
      "SELECT tag FROM tagged, UNNEST(tags) AS tag WHERE ts >= '2026-11-20'": [
        ['a', 'bc'],
        8 + 3 + 4,
      ],
      [`SELECT n FROM tagged LEFT JOIN UNNEST(tags) AS tag ON tag = 'bc'
        WHERE ts < '2026-11-20'`]: [['1'], 8 + 8],
      [`SELECT n FROM plain AS p WHERE EXISTS (
        SELECT 1 FROM events AS e WHERE e.n = p.n AND e.ts >= '2026-11-20')`]: [['4'], 16 + 16],
      "WITH e AS (SELECT n, ts FROM events) SELECT n FROM e WHERE ts >= '2026-11-20'": [['4'], 16],
      [`WITH e AS (SELECT n, ts FROM events WHERE ts < '2026-11-20')
        SELECT a.n FROM e AS a JOIN e AS b ON a.n = b.n
        WHERE a.ts >= '2026-11-18' AND b.ts < '2026-11-19'`]: [['2'], 32 + 32],
      [`WITH e AS (SELECT n, ts AS x FROM events), f AS (SELECT n AS m, x AS y FROM e)
        SELECT m FROM f WHERE y >= '2026-11-20'`]: [['4'], 16],
      [`SELECT n FROM events WHERE ts < '2026-11-18'
        UNION ALL SELECT n FROM events WHERE ts >= '2026-11-20'`]: [['1', '4'], 32],
    }),
  )('prunes the table through %j', async (query, [rows, bytes]) => {
    const answer = await ask(bigquery, query);
    expect({ ...answer, rows: [...answer.rows].sort() }).toEqual({ rows, bytes });
  });

  it.each(
    Object.entries<number>({
      "SELECT n FROM (SELECT * FROM events LIMIT 9) WHERE ts >= '2026-11-20'": 72,
      "SELECT COUNT(*) FROM (SELECT ts FROM events GROUP BY ts) WHERE ts >= '2026-11-20'": 32,
      "SELECT n FROM (SELECT n, ts FROM events UNION ALL SELECT 1, NULL) WHERE ts >= '2026-11-20'": 72,
      "SELECT n FROM plain LEFT JOIN events USING (n) WHERE ts >= '2026-11-20'": 72 + 16,
      "SELECT e.n FROM events AS e FULL JOIN plain USING (n) WHERE e.ts >= '2026-11-20'": 72 + 16,
      "SELECT e.n FROM events AS e FULL JOIN days AS d ON e.n = d.n AND e.ts >= '2026-11-20'":
        72 + 16,
      "SELECT n FROM (SELECT n, ts, RANK() OVER (ORDER BY n) FROM events) WHERE ts >= '2026-11-20'": 72,
    }),
  )('does not prune the table through %j', async (query, bytes) => {
    expect((await ask(bigquery, query)).bytes).toBe(bytes);
  });

  it.each([
    ['a TIMESTAMP', new Date('2026-11-19T12:00:00Z'), 'TIMESTAMP', '32'],
    ['a STRING', '2026-11-20 00:00:00', 'STRING', '16'],
    ['NULL', null, 'TIMESTAMP', '0'],
  ])('prunes by a parameter with %s', async (_, since, type, bytes) => {
    const query = 'SELECT n FROM events WHERE ts > TIMESTAMP(@since)';
    const answer = await bigquery.answer({ query, params: { since }, types: { since: type } });
    expect(answer['totalBytesProcessed']).toBe(bytes);
  });

  it('does not prune by a function defined in the query', async () => {
    const query = `CREATE TEMP FUNCTION today() AS (CURRENT_TIMESTAMP());
      SELECT n FROM events WHERE ts >= TIMESTAMP_TRUNC(today(), DAY)`;
    expect(await ask(bigquery, query)).toEqual({ rows: ['4'], bytes: 72 });
  });

  it('prunes the tables read by a function of the query', async () => {
    const query = `CREATE TEMP FUNCTION last_n() AS ((SELECT MAX(n) FROM events WHERE ts < '2026-11-18'));
      SELECT last_n()`;
    expect(await ask(bigquery, query)).toEqual({ rows: ['1'], bytes: 16 });
  });

  it('does not count an unused WITH query', async () => {
    const query = 'WITH unread AS (SELECT n, ts FROM events) SELECT n FROM plain';
    expect((await ask(bigquery, query)).bytes).toBe(16);
  });

  it('counts no bytes for a table without used columns', async () => {
    expect(await ask(bigquery, 'SELECT COUNT(*) FROM events')).toEqual({ rows: ['5'], bytes: 0 });
  });

  it('does not prune by unknown parameters in a dry run', async () => {
    const bytesOf = async (query: string) => (await bigquery.dryRun(query)).totalBytesProcessed;
    expect(await bytesOf('SELECT n FROM events WHERE ts >= @since')).toBe('64');
    expect(await bytesOf("SELECT n FROM events WHERE ts >= @s AND ts < '2026-11-18'")).toBe('16');
  });
});

describe('a table that requires a partition filter', () => {
  const tables: LocalTable[] = [
    {
      name: 'events',
      fields: columns('ts TIMESTAMP'),
      rows: [{ ts: '2026-11-20T10:00:00Z' }],
      definition: { partitioning: { type: 'HOUR', field: 'ts' }, requirePartitionFilter: true },
    },
  ];
  let bigquery: TestBigQuery;
  beforeAll(async () => void (bigquery = await testBigQuery({ clock, tables })));

  const refused =
    "400 invalidQuery: Cannot query over table 'test-project.logs.events' without a filter over column(s) 'ts' that can be used for partition elimination";

  it.each([
    ['without a filter', 'SELECT ts FROM events'],
    ['by its full name', 'SELECT ts FROM `test-project.logs.events`'],
    ['with a filter that cannot prune', 'SELECT ts FROM events WHERE TIMESTAMP(DATE(ts)) > @now'],
    ['for the rows without a day', 'SELECT ts FROM events WHERE DATE(ts) IS NULL'],
    [
      'with a filter in one of two places',
      'SELECT a.ts FROM events AS a, events AS b WHERE a.ts > CURRENT_TIMESTAMP()',
    ],
  ])('rejects a query %s', async (_, query) => {
    const params = { now: new Date(NOW) };
    const run = bigquery.client.query({ query, params, defaultDataset });
    expect(await failureOf(run)).toBe(refused);
    const dryRun = bigquery.client.createQueryJob({ query, params, defaultDataset, dryRun: true });
    expect(await failureOf(dryRun)).toBe(refused);
  });

  it.each([
    ['a bound', "SELECT ts FROM events WHERE ts > '2026-11-20'", ['2026-11-20T10:00:00Z']],
    ['a bound that is NULL', 'SELECT ts FROM events WHERE ts > CAST(NULL AS TIMESTAMP)', []],
    ['the rows without a value', 'SELECT ts FROM events WHERE ts IS NULL', []],
    ['a bound before a LIMIT', 'SELECT ts FROM events WHERE ts < CURRENT_TIMESTAMP() LIMIT 0', []],
  ])('accepts a query with %s', async (_, query, instants) => {
    const rows = await bigquery.raw(query);
    expect(rows.map(({ f }) => f[0]?.v)).toEqual(
      instants.map((instant) => `${Date.parse(instant)}000`),
    );
  });

  it('accepts a query that names the table without reading it', async () => {
    expect(await bigquery.first('WITH unread AS (SELECT ts FROM events) SELECT 1')).toEqual(['1']);
  });

  it('evaluates the filter at the time of the job, in UTC', async () => {
    let now = '2026-11-20T10:59:59Z';
    const moving = await testBigQuery({ clock: { nowMs: () => Date.parse(now) }, tables });
    const query = 'SELECT ts FROM events WHERE ts >= CURRENT_TIMESTAMP()';
    const bytes = async () => (await moving.answer({ query })).totalBytesProcessed;
    expect(await bytes()).toBe('8');
    now = '2026-11-20T11:00:00Z';
    expect(await bytes()).toBe('0');
  });
});
