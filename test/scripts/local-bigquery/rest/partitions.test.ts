// What the local BigQuery reads of partitioned tables: bytes worked out by hand, rows, and the required filter.
import { PLAIN_TABLE } from '../../../../scripts/sources/read-definition.ts';
import type { LocalTable } from '../../../../scripts/local-bigquery/rest/server.ts';
import { casesBeside } from '../../../support/cases.ts';
import { readExpectations } from '../../../support/sql/read-expectations.ts';
import { type TestBigQuery, defaultDataset, failureOf, testBigQuery } from './local-bigquery.ts';
import { columns } from '../../../support/sql/columns.ts';

const cases = casesBeside(import.meta.filename);
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

const COLUMN_TYPES = ['TIMESTAMP', 'DATETIME', 'DATE'] as const;
const types = ['none', ...UNITS] as const;

describe('a table with each unit of partitions', () => {
  // Row 9 is in the partition of NULL. `n` and `ts` are 8 bytes each, the NULL none.
  const instants = [
    ...['2024-12-31T23:59:59.999999', '2025-11-20T10:00:00', '2026-10-31T23:30:00'],
    ...['2026-11-01T00:00:00', '2026-11-19T23:59:59', '2026-11-20T09:59:59'],
    ...['2026-11-20T10:00:00', '2026-11-20T10:14:00', null],
  ];
  let bigquery: TestBigQuery;
  beforeAll(async () => {
    const tables = COLUMN_TYPES.flatMap((columnType) => {
      const length = columnType === 'DATE' ? 10 : undefined;
      const rows = instants.map((instant, index) => {
        return { n: index + 1, ts: instant?.slice(0, length) ?? null };
      });
      return types.slice(0, columnType === 'DATE' ? 4 : 5).map((type) => ({
        ...{ name: `${columnType}_${type}`, fields: columns(`n INTEGER, ts ${columnType}`), rows },
        definition: type === 'none' ? PLAIN_TABLE : by(type, 'ts'),
      }));
    });
    bigquery = await testBigQuery({ tables, clock });
  });

  type Units = [type: string, where: string, Record<string, string>, rows: string, number[]];
  it.each(cases<Units>('units'))(
    'of a %s reads only the partitions selected by %s %j',
    async (columnType, where, params, found, bytes) => {
      for (const [index, size] of bytes.entries()) {
        const query = `SELECT n FROM ${columnType}_${types[index]} WHERE ${where} ORDER BY n`;
        const answer = await ask(bigquery, query, params);
        expect(answer).toEqual({ rows: found.split(' '), bytes: size });
      }
    },
  );
});

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

  it.each(cases<string>('not pruned'))('does not prune by %s', async (where) => {
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

  it.each(cases<string>('refused without a filter'))('rejects %s', async (query) => {
    const params = { now: new Date(NOW) };
    const run = bigquery.client.query({ query, params, defaultDataset });
    expect(await failureOf(run)).toBe(refused);
    const dryRun = bigquery.client.createQueryJob({ query, params, defaultDataset, dryRun: true });
    expect(await failureOf(dryRun)).toBe(refused);
  });

  it.each(cases<[string, string[][]]>('accepted with a filter'))(
    'accepts %s',
    async (query, found) => {
      expect(await bigquery.cells(query)).toEqual(found);
    },
  );

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
