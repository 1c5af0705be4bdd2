// Tests that long queries are analysed, within the memory of the engine.
import { startGoogleSql } from '../../../../scripts/local-bigquery/dialect/google-sql.ts';
import { columns } from '../../../support/sql/columns.ts';

const COLUMNS = 3000;

const engine = await startGoogleSql();
afterAll(() => engine.close());

function lines(write: (index: number) => string): string {
  return Array.from({ length: COLUMNS }, (_, index) => write(index)).join(',\n');
}

const tables = [{ name: 't', fields: columns('url STRING, status INTEGER') }];

it('analyses 400 kB with 3,000 columns', async () => {
  /** Each column by itself, 400 kB in all. */
  const wide = `SELECT\n${lines(
    (index) =>
      `COUNTIF(STARTS_WITH(t.url, 'https://shop-${index}.example.com/a/path/that/is/long') AND t.status > ${index % 500} AND t.status <= 599) AS column_${index}`,
  )}\nFROM t`;
  expect(wide.length).toBeGreaterThan(400_000);
  expect((await engine.analyze({ sql: wide, tables })).columns).toHaveLength(COLUMNS);
});

it('rejects a query that exceeds the memory limit, and analyses the next one', async () => {
  /** Each column is a field of one STRUCT, whose type the engine writes out for each: 200 MB. */
  const struct = `WITH w AS (SELECT STRUCT(\n${lines(
    (index) =>
      `CONCAT(t.url, ' and some more text that makes it long ${index}') AS column_${index}`,
  )}) AS s FROM t)\nSELECT\n${lines((index) => `UPPER(w.s.column_${index}) AS name_${index}`)}\nFROM w`;
  await expect(engine.analyze({ sql: struct, tables })).rejects.toMatchObject({
    kind: 'unsupported',
    message: 'it needs more memory than the local engine may use',
  });
  expect((await engine.analyze({ sql: 'SELECT 1', tables })).columns).toHaveLength(1);
});

it('accepts expressions with 500 levels of nesting', async () => {
  const sql = `SELECT ${'1 + '.repeat(500)}1 AS n`;
  expect((await engine.analyze({ sql, tables })).columns).toEqual([
    { name: 'n', type: 'INTEGER', mode: 'NULLABLE' },
  ]);
});
