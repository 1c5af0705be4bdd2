// What the local BigQuery reads of partitioned tables: bytes worked out by hand, rows, and the required filter.
import { PLAIN_TABLE } from '../../../../scripts/sources/read-definition.ts';
import type { LocalTable } from '../../../../scripts/local-bigquery/rest/server.ts';
import { readExpectations } from '../../../support/sql/read-expectations.ts';
import { type TestBigQuery, defaultDataset, failureOf, testBigQuery } from './local-bigquery.ts';
import { columns } from '../../../support/sql/columns.ts';

const NOW = '2026-11-20T10:15:00Z';
const clock = { nowMs: () => Date.parse(NOW) };

const {
  prunes = [],
  'prunes through': prunesThrough = [],
  'reads more': readsMore = [],
} = readExpectations('test/scripts/local-bigquery/rest/partitions.sql');

/** The first column of all rows, and the bytes processed. */
async function ask(bigquery: TestBigQuery, query: string, params: Record<string, string> = {}) {
  const { totalBytesProcessed } = await bigquery.answer({ query, params });
  const rows = await bigquery.raw({ query, params });
  return { rows: rows.map(({ f }) => f[0]?.v), bytes: Number(totalBytesProcessed) };
}

const UNITS = ['YEAR', 'MONTH', 'DAY', 'HOUR'] as const;
const by = (type: (typeof UNITS)[number], field: string) => ({
  ...PLAIN_TABLE,
  partitioning: { type, field },
});

describe.each(['TIMESTAMP', 'DATETIME', 'DATE'])(
  'a table partitioned by a column of type %s',
  (columnType) => {
    const isDate = columnType === 'DATE';
    const types = ['none', ...UNITS.slice(0, isDate ? 3 : 4)] as const;
    // Row 9 is in the partition of NULL. `n` and `ts` are 8 bytes each, the NULL none.
    const instants = [
      ...['2024-12-31T23:59:59.999999', '2025-11-20T10:00:00', '2026-10-31T23:30:00'],
      ...['2026-11-01T00:00:00', '2026-11-19T23:59:59', '2026-11-20T09:59:59'],
      ...['2026-11-20T10:00:00', '2026-11-20T10:14:00', null],
    ];
    const rows = instants.map((instant, index) => ({
      n: index + 1,
      ts: isDate ? (instant?.slice(0, 10) ?? null) : instant,
    }));
    const fields = columns(`n INTEGER, ts ${columnType}`);
    let bigquery: TestBigQuery;
    beforeAll(async () => {
      const tables = types.map((type) => ({
        name: `by_${type}`,
        fields,
        rows,
        definition: type === 'none' ? PLAIN_TABLE : by(type, 'ts'),
      }));
      bigquery = await testBigQuery({ tables, clock });
    });

    const since = (length: string) =>
      `ts >= ${columnType}_SUB(CURRENT_${columnType}(), INTERVAL ${length})`;
    const span = since("CASE @span WHEN 'year' THEN 365 ELSE 1 END DAY");
    const given = `ts = CAST(@ts AS ${columnType})`;

    /** The bytes without partitions, and by YEAR, MONTH, DAY and HOUR. */
    type Bound = [where: string, params: Record<string, string>, rows: string, bytes: number[]];
    const ofInstants: Bound[] = [
      ["ts >= '2026-11-20 10:00:00'", {}, '7 8', [136, 96, 80, 48, 32]],
      [given, { ts: '2026-10-31 23:30:00' }, '3', [136, 96, 16, 16, 16]],
      [since('30 MINUTE'), {}, '6 7 8', [136, 96, 80, 48, 48]],
      [span, { span: 'day' }, '5 6 7 8', [136, 96, 80, 64, 64]],
      [span, { span: 'year' }, '3 4 5 6 7 8', [136, 112, 112, 112, 112]],
    ];
    const ofDays: Bound[] = [
      ["ts > '2026-11-19'", {}, '6 7 8', [136, 96, 80, 48]],
      [given, { ts: '2026-10-31' }, '3', [136, 96, 16, 16]],
      [since('1 DAY'), {}, '5 6 7 8', [136, 96, 80, 64]],
      [span, { span: 'day' }, '5 6 7 8', [136, 96, 80, 64]],
      [span, { span: 'year' }, '2 3 4 5 6 7 8', [136, 112, 112, 112]],
    ];
    const cases = (isDate ? ofDays : ofInstants).flatMap(([where, params, found, bytes]) =>
      types.map((type, index) => [type, where, params, found, bytes[index]] as const),
    );

    it.each(cases)(
      'by %s: reads only the partitions selected by %s %j',
      async (type, where, params, found, bytes) => {
        const query = `SELECT n FROM by_${type} WHERE ${where} ORDER BY n`;
        expect(await ask(bigquery, query, params)).toEqual({ rows: found.split(' '), bytes });
      },
    );

    it.each(types)('by %s: reads all partitions without a filter', async (type) => {
      const query = `SELECT n FROM by_${type} WHERE n > 0 ORDER BY n`;
      const all = ['1', '2', '3', '4', '5', '6', '7', '8', '9'];
      expect(await ask(bigquery, query)).toEqual({ rows: all, bytes: 72 });
    });
  },
);

describe('a filter on a table partitioned by day', () => {
  let bigquery: TestBigQuery;
  beforeAll(async () => {
    const days = ['2026-11-17', '2026-11-18', '2026-11-19', '2026-11-20'];
    const events = days.map((day, index) => ({ n: index + 1, ts: `${day}T10:00:00Z` }));
    bigquery = await testBigQuery({
      clock,
      tables: [
        {
          // 16 bytes a day in the columns n and ts, and 8 in the partition of NULL.
          name: 'events',
          fields: columns('n INTEGER, ts TIMESTAMP'),
          definition: by('DAY', 'ts'),
          rows: [...events, { n: 5, ts: null }],
        },
        {
          name: 'days',
          fields: columns('n INTEGER, Day DATE'),
          definition: by('DAY', 'day'),
          rows: [
            { n: 3, Day: '2026-11-19' },
            { n: 4, Day: '2026-11-20' },
          ],
        },
        { name: 'plain', fields: columns('n INTEGER'), rows: [{ n: 3 }, { n: 4 }] },
        {
          name: 'tagged',
          fields: columns('n INTEGER, ts TIMESTAMP, tags STRING REPEATED'),
          definition: by('DAY', 'ts'),
          rows: [
            { n: 1, ts: '2026-11-19T00:00:00Z', tags: [] },
            { n: 2, ts: '2026-11-20T00:00:00Z', tags: ['a', 'bc'] },
          ],
        },
      ],
    });
  });

  // Of each kind of condition one: column-ranges.test.ts has the ranges of random ones.
  it.each(prunes)('prunes by %s', async (where, expected) => {
    const query = `SELECT n FROM events WHERE ${where} ORDER BY n`;
    expect(await ask(bigquery, query)).toEqual(JSON.parse(expected));
  });

  it.each([
    "ts >= (SELECT TIMESTAMP '2026-11-20')",
    'ts >= TIMESTAMP_SECONDS(n)',
    "ts >= '2026-11-20' OR n = 4",
    "ts >= '2026-11-20' OR CURRENT_DATE() < '2026-01-01'",
    "ts + INTERVAL 1 DAY >= '2026-11-21'",
    'UNIX_SECONDS(ts) >= 1795132800',
    "DATE(ts, 'Asia/Tokyo') >= '2026-11-20'",
    "NOT ts < '2026-11-20'",
    'ts IS NOT NULL AND n = 4',
    "ts != '2026-11-19 10:00:00' AND n > 3",
    "IFNULL(ts >= '2026-11-20', FALSE)",
    'ts >= TIMESTAMP_SECONDS(CAST(FLOOR(RAND()) AS INT64)) AND n = 4',
    "TIMESTAMP(DATE_ADD(DATE(ts), INTERVAL 1 MONTH)) >= '2026-12-20'",
  ])('does not prune by %s', async (where) => {
    const answer = await ask(bigquery, `SELECT n FROM events WHERE ${where} ORDER BY n`);
    expect(answer.bytes).toBe(72);
    expect(answer.rows[0]).toMatch(/^[1-5]$/);
  });

  it.each(prunesThrough)('prunes the table through %j', async (query, expected) => {
    const answer = await ask(bigquery, query);
    expect({ ...answer, rows: [...answer.rows].sort() }).toEqual(JSON.parse(expected));
  });

  it.each(readsMore)('does not prune the table through %j', async (query, bytes) => {
    expect((await ask(bigquery, query)).bytes).toBe(Number(bytes));
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
      definition: { ...by('HOUR', 'ts'), requirePartitionFilter: true },
    },
  ];
  let bigquery: TestBigQuery;
  beforeAll(async () => void (bigquery = await testBigQuery({ clock, tables })));

  const refused =
    "400 invalidQuery: Cannot query over table 'test-project.logs.events' without a filter over column(s) 'ts' that can be used for partition elimination";

  it.each([
    'SELECT ts FROM events',
    'SELECT ts FROM `test-project.logs.events`',
    'SELECT ts FROM events WHERE TIMESTAMP(DATE(ts)) > @now',
    'SELECT ts FROM events WHERE DATE(ts) IS NULL',
    'SELECT a.ts FROM events AS a, events AS b WHERE a.ts > CURRENT_TIMESTAMP()',
  ])('rejects %s', async (query) => {
    const params = { now: new Date(NOW) };
    const run = bigquery.client.query({ query, params, defaultDataset });
    expect(await failureOf(run)).toBe(refused);
    const dryRun = bigquery.client.createQueryJob({ query, params, defaultDataset, dryRun: true });
    expect(await failureOf(dryRun)).toBe(refused);
  });

  it.each([
    ["SELECT ts FROM events WHERE ts > '2026-11-20'", [['1795168800000000']]],
    ['SELECT ts FROM events WHERE ts > CAST(NULL AS TIMESTAMP)', []],
    ['SELECT ts FROM events WHERE ts IS NULL', []],
    ['SELECT ts FROM events WHERE ts < CURRENT_TIMESTAMP() LIMIT 0', []],
    // It names the table without reading it.
    ['WITH unread AS (SELECT ts FROM events) SELECT 1', [['1']]],
  ])('accepts %s', async (query, found) => {
    expect(await bigquery.cells(query)).toEqual(found);
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
