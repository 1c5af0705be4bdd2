// Tests of the tables of the local BigQuery: rows added later, limits, and columns.
import { PLAIN_TABLE } from '../../../../scripts/sources/read-definition.ts';
import { casesBeside } from '../../../support/cases.ts';
import { columns } from '../../../support/sql/columns.ts';
import { type TestBigQuery, testBigQuery } from './local-bigquery.ts';

describe('rows appended later', () => {
  const fields = columns('n INTEGER NULLABLE');
  const count = 'SELECT COUNT(*) FROM numbers';

  it('are visible to the next query ', async () => {
    const local = await testBigQuery({ tables: [{ name: 'numbers', fields, rows: [{ n: 1 }] }] });
    expect(await local.first(count)).toEqual(['1']);
    await local.appendRows('numbers', [{ n: 2 }, { n: '3' }]);
    expect(await local.first(count)).toEqual(['3']);
  });

  it('are all rejected if one of them does not match the schema', async () => {
    const local = await testBigQuery({ tables: [{ name: 'numbers', fields }] });
    const appended = local.appendRows('numbers', [{ n: 1 }, { n: 'one' }]);
    await expect(appended).rejects.toThrow('n: expected INT64, found "one"');
    expect(await local.first(count)).toEqual(['0']);
  });
});

describe("tables larger than the engine's limit of 4 MiB", () => {
  const fields = columns('id STRING, message STRING, value STRING');
  const rows = Array.from({ length: 3000 }, (_, id) => ({
    id: String(id).padStart(4, '0'),
    message: 'm'.repeat(1000),
    value: 'v'.repeat(1000),
  }));
  const local = () => testBigQuery({ tables: [{ name: 'big', fields, rows }] });
  let shared: TestBigQuery;
  beforeAll(async () => void (shared = await local()));

  it('load only the columns that each query uses', async () => {
    const lengths = await Promise.all([
      shared.first('SELECT SUM(LENGTH(message)) FROM big'),
      shared.first('SELECT SUM(LENGTH(value)), COUNT(id) FROM big'),
    ]);
    expect(lengths).toEqual([['3000000'], ['3000000', '3000']]);
  });

  it.each([
    ['TIMESTAMP', '1960-01-01 00:00:00 UTC', null],
    ['DATETIME', '2026-11-20T10:00:00', '2026-10-31T23:00:00'],
    ['DATE', '2026-11-20', '2026-11-19'],
  ])('keep the newest rows by their partition column, a %s', async (type, newer, older) => {
    const big = {
      name: 'big',
      fields: [...fields, ...columns(`at ${type}`)],
      definition: { ...PLAIN_TABLE, partitioning: { type: 'DAY', field: 'AT' } as const },
      rows: rows.map(({ message }, id) => {
        const [age, at] = id % 3 === 0 ? ['older', older] : ['newer', newer];
        return { id: age, message, value: message, at };
      }),
    };
    const bigquery = await testBigQuery({ tables: [big] });
    const counts = 'SELECT COUNTIF(id = "newer"), COUNTIF(id = "older") FROM big';
    const cut = `${counts} WHERE message = value`;
    expect(await bigquery.first(cut)).toEqual(['2000', '0']);
    expect(await bigquery.first(counts)).toEqual(['2000', '1000']);
  });

  it('share the limit: small tables stay complete, and large ones get equal parts', async () => {
    const bigquery = await testBigQuery({
      tables: [
        { name: 'big', fields, rows },
        { name: 'small', fields, rows: rows.slice(0, 500) },
        { name: 'huge', fields, rows: [...rows, ...rows] },
      ],
    });
    const counts = ['big', 'small', 'huge'].map(
      (table) => `(SELECT COUNT(*) FROM ${table} WHERE message < value AND id != '')`,
    );
    const query = `SELECT ${counts.join(', ')}`;
    expect(await bigquery.first(query)).toEqual(['750', '500', '750']);
    const message = 'logs.big; read=750; of=3000, logs.huge; read=750; of=6000';
    expect((await bigquery.answer({ query })).errors).toEqual([
      { reason: 'localRowsCut', message },
    ]);
  });

  it('omit a row that exceeds the limit by itself', async () => {
    const huge = { id: 'huge', message: 'm'.repeat(5_000_000), value: '' };
    const tables = [{ name: 'big', fields, rows: [...rows, huge] }];
    const bigquery = await testBigQuery({ tables });
    expect(await bigquery.first('SELECT COUNT(message) FROM big')).toEqual(['0']);
    expect(await bigquery.first('SELECT COUNT(id) FROM big')).toEqual(['3001']);
  });

  it('keep the last appended rows if their number is limited', async () => {
    const tables = [{ name: 'big', fields, rows, rowsMax: 1000 }];
    const bigquery = await testBigQuery({ tables });
    await bigquery.appendRows('big', [{ id: 'last' }]);
    const [count, first] = await bigquery.first(
      'SELECT COUNT(*), MIN(SAFE_CAST(id AS INT64)) FROM big',
    );
    expect(Number(count)).toBeGreaterThanOrEqual(1000);
    expect(Number(count)).toBeLessThan(1250);
    expect(Number(first)).toBe(3001 - Number(count));
  });
});

// Each of these names or implies a column that its result does not need.
it.each(casesBeside(import.meta.filename)<[string, string[]]>('columns'))(
  'the columns are available for %s',
  async (query, expected) => {
    const rows = [{ a: '1', b: '2', select: '3' }];
    const fields = columns('a STRING, b STRING, select STRING');
    const bigquery = await testBigQuery({ tables: [{ name: 't', fields, rows }] });
    expect(await bigquery.first(query)).toEqual(expected);
  },
);
