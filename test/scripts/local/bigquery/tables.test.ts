// Tests of the tables of the local BigQuery: rows added later, limits, and columns.
import { startGoogleSql } from '../../../../scripts/local/googlesql/engine.ts';
import type { GoogleSql } from '../../../../scripts/local/googlesql/engine.ts';
import type { TableField } from '../../../../scripts/local/googlesql/table-schema.ts';
import { failureOf, testBigQuery } from './local-bigquery.ts';

let engine: GoogleSql;
beforeAll(async () => {
  engine = await startGoogleSql();
});
afterAll(() => engine.close());

describe('rows appended later', () => {
  const fields: TableField[] = [{ name: 'n', type: 'INTEGER', mode: 'NULLABLE' }];
  const count = 'SELECT COUNT(*) FROM numbers';

  it('are seen by the next query when nothing may be missed', async () => {
    const local = await testBigQuery({
      engine,
      tables: [{ name: 'numbers', fields, rows: [{ n: 1 }] }],
    });
    expect(await local.first(count)).toEqual(['1']);
    await local.appendRows('numbers', [{ n: 2 }, { n: '3' }]);
    expect(await local.first(count)).toEqual(['3']);
    await local.close();
  });

  it('keep no query waiting, and are seen when they have been registered', async () => {
    const local = await testBigQuery({
      engine,
      freshMs: 150,
      tables: [{ name: 'numbers', fields }],
    });
    expect(await local.first(count)).toEqual(['0']);
    await local.appendRows('numbers', [{ n: 1 }]);
    expect(await local.first(count)).toEqual(['0']);
    const deadline = Date.now() + 5000;
    while ((await local.first(count))[0] === '0' && Date.now() < deadline);
    expect(await local.first(count)).toEqual(['1']);
    await local.close();
  });

  it('are all refused when one of them does not fit the schema', async () => {
    const local = await testBigQuery({ engine, tables: [{ name: 'numbers', fields }] });
    const appended = local.appendRows('numbers', [{ n: 1 }, { n: 'one' }]);
    await expect(appended).rejects.toThrow('n: expected INT64, found "one"');
    expect(await local.first(count)).toEqual(['0']);
    await local.close();
  });
});

describe('tables over the 4 MiB that the engine takes', () => {
  const fields: TableField[] = ['id', 'message', 'value'].map((name) => ({ name, type: 'STRING' }));
  const rows = Array.from({ length: 3000 }, (_, id) => ({
    id: String(id),
    message: 'm'.repeat(1000),
    value: 'v'.repeat(1000),
  }));
  const local = () => testBigQuery({ engine, tables: [{ name: 'big', fields, rows }] });

  it('answer queries by the columns that they need, each on its own', async () => {
    const bigquery = await local();
    expect(await bigquery.first('SELECT COUNT(*) FROM big')).toEqual(['3000']);
    const lengths = await Promise.all([
      bigquery.first('SELECT SUM(LENGTH(message)) FROM big'),
      bigquery.first('SELECT SUM(LENGTH(value)), COUNT(id) FROM big'),
    ]);
    expect(lengths).toEqual([['3000000'], ['3000000', '3000']]);
    await bigquery.close();
  });

  it.each([
    'SELECT message, value FROM big',
    'SELECT * FROM big',
    'SELECT big FROM big',
    'SELECT id FROM big WHERE message < value',
  ])('refuse %s, and say why', async (query) => {
    const bigquery = await local();
    expect(await failureOf(bigquery.first(query))).toMatchObject({
      code: 400,
      reason: 'resourcesExceeded',
      message: expect.stringMatching(
        /^Too large to run locally: the columns that the query reads of big take 5\.\d MiB, the engine takes 4: use fewer rows$/,
      ) as string,
    });
    await bigquery.close();
  });

  it('keep the rows appended last when they may keep so many only', async () => {
    const bigquery = await testBigQuery({
      engine,
      rowsMax: 1000,
      tables: [{ name: 'big', fields, rows }],
    });
    await bigquery.appendRows('big', [{ id: 'last' }]);
    const [count, first] = await bigquery.first(
      'SELECT COUNT(*), MIN(SAFE_CAST(id AS INT64)) FROM big',
    );
    expect(Number(count)).toBeGreaterThanOrEqual(1000);
    expect(Number(count)).toBeLessThan(1250);
    expect(Number(first)).toBe(3001 - Number(count));
    await bigquery.close();
  });
});

describe('columns', () => {
  const fields: TableField[] = ['a', 'b', 'select'].map((name) => ({ name, type: 'STRING' }));
  const rows = [{ a: '1', b: '2', select: '3' }];

  // Each of these names or implies a column that its result does not need.
  it.each([
    ['SELECT COUNT(*) FROM t', ['1']],
    ['SELECT * FROM t', ['1', '2', '3']],
    ['SELECT * EXCEPT (b) FROM t', ['1', '3']],
    ['SELECT a FROM (SELECT * FROM t)', ['1']],
    ['WITH x AS (SELECT a, b FROM t) SELECT a FROM x', ['1']],
    ['SELECT `select` FROM t', ['3']],
    ['SELECT B FROM logs.t', ['2']],
    ['SELECT a FROM (SELECT * FROM t UNION ALL SELECT * FROM t) LIMIT 1', ['1']],
    ['SELECT TO_JSON_STRING(t) FROM t', ['{"a":"1","b":"2","select":"3"}']],
    ['SELECT x.a FROM t AS x JOIN t AS y USING (b)', ['1']],
    ['CREATE TEMP FUNCTION top() AS ((SELECT MAX(b) FROM t)); SELECT top()', ['2']],
    ["SELECT EXISTS (SELECT 1 FROM t WHERE b = '2')", ['true']],
  ])('are there for %s', async (query, expected) => {
    const bigquery = await testBigQuery({ engine, tables: [{ name: 't', fields, rows }] });
    expect(await bigquery.first(query)).toEqual(expected);
    await bigquery.close();
  });
});
