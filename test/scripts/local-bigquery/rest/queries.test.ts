// Tests of queries on the local BigQuery: parameters, types, nested rows and pages.
import { BigQuery } from '@google-cloud/bigquery';
import { readExpectations } from '../../../support/sql/read-expectations.ts';
import { casesBeside } from '../../../support/cases.ts';
import { columns } from '../../../support/sql/columns.ts';
import { createLocalBigQueryClient } from '../../../support/bigquery/local-bigquery.ts';
import { defaultDataset, testBigQuery } from './local-bigquery.ts';

const cases = casesBeside(import.meta.filename);
const now = '2026-11-20T10:00:00.000Z';
const fields = columns(
  'id STRING REQUIRED, timestamp TIMESTAMP REQUIRED, metadata RECORD REPEATED (name STRING)',
);
const rows = [{ id: '5', timestamp: '1795168800.5' }];

const bigquery = await testBigQuery({
  tables: [{ name: 'events', fields, rows }],
  clock: { nowMs: () => Date.parse(now) },
});

const { values = [] } = readExpectations('test/scripts/local-bigquery/rest/queries.sql');

describe('a value in a response', () => {
  it.each(values)('of %s is %s %j', async (sql, expected) => {
    const [, type, json = ''] = /^(\w+) (.*)$/.exec(expected) ?? [];
    const value: unknown = JSON.parse(json);
    const query = { query: `SELECT ${sql} AS x` };
    expect(await bigquery.first(query)).toEqual([value]);
    expect((await bigquery.answer(query)).schema?.fields[0]).toMatchObject({
      name: 'x',
      type,
      mode: Array.isArray(value) ? 'REPEATED' : 'NULLABLE',
    });
  });

  it('is decoded by the client as from BigQuery', async () => {
    const [[row]] = await bigquery.client.query(
      "SELECT 1 AS i, 1.5 AS f, TRUE AS b, TIMESTAMP '2026-11-20 10:00:00.123456+00' AS t, [STRUCT('a' AS s)] AS r",
    );
    expect(row).toEqual({
      i: 1,
      f: 1.5,
      b: true,
      t: BigQuery.timestamp('2026-11-20T10:00:00.123456000Z'),
      r: [{ s: 'a' }],
    });
  });
});

describe('parameters', () => {
  it.each(cases<[type: string, value: string, text: string]>('parameters'))(
    'binds a %s, %j',
    async (type, value, text) => {
      // The client sends text in place of a timestamp, date or time as nothing at all.
      const p = /DATE|TIME/.test(type) ? { value } : value;
      const query = { query: 'SELECT @p', params: { p }, types: { p: type } };
      expect(await bigquery.first(query)).toEqual([text]);
    },
  );

  it('binds the parameters that the client creates from JavaScript values', async () => {
    const struct = { x: 'y', z: 2 };
    const params = { s: "it's", i: 1, f: 0.1, b: false, d: new Date(now), l: [1, 2], r: struct };
    const list = [{ v: '1' }, { v: '2' }];
    const expected = ["it's", '1', '0.1', 'false', '1795168800000000', list, 'y', '2'];
    const query = 'SELECT @s, @i, @f, @b, @d, @l, @r.x, @r.z';
    expect(await bigquery.first({ query, params })).toEqual(expected);
  });

  it('binds typed NULLs, and an array without values as NULL', async () => {
    const query = {
      query: "SELECT ARRAY_LENGTH(@l), @n IS NULL, 'a' IN UNNEST(@l)",
      params: { l: [], n: null },
      types: { l: ['STRING'], n: 'STRING' },
    };
    expect(await bigquery.first(query)).toEqual([null, 'true', 'false']);
  });

  it('finds a parameter in any letter case', async () => {
    expect(await bigquery.first({ query: 'SELECT @Project', params: { project: 'a' } })).toEqual([
      'a',
    ]);
  });
});

it('reads an absent optional column as NULL or an empty array', async () => {
  const query = "SELECT timestamp, ARRAY_LENGTH(metadata) FROM events WHERE id = '5'";
  expect(await bigquery.first(query)).toEqual(['1795168800500000', '0']);
});

describe('the injected clock', () => {
  it('determines the time in temporary functions, separately for each query', async () => {
    let nowMs = Date.parse('2026-01-01T00:00:00Z');
    const local = await testBigQuery({ tables: [], clock: { nowMs: () => nowMs } });
    const query =
      'CREATE TEMP FUNCTION later(s INT64) AS (TIMESTAMP_ADD(CURRENT_TIMESTAMP(), INTERVAL s SECOND)); SELECT later(1)';
    expect(await local.first(query)).toEqual(['1767225601000000']);
    nowMs += 60_000;
    expect(await local.first(query)).toEqual(['1767225661000000']);
  });

  it('defaults to the real time', async () => {
    const local = await testBigQuery({ tables: [] });
    const before = Date.now();
    const [micros] = await local.first('SELECT CURRENT_TIMESTAMP()');
    expect(Number(micros) / 1000).toBeGreaterThanOrEqual(before - 1);
    expect(Number(micros) / 1000).toBeLessThanOrEqual(Date.now() + 1);
  });
});

it('separates functions of the same name in different queries', async () => {
  const declared = (body: string) => `CREATE TEMP FUNCTION f() AS (${body}); SELECT f()`;
  const bodies = ['1', '2', '3', '4', '1', '2'];
  const results = await Promise.all(bodies.map((body) => bigquery.first(declared(body))));
  expect(results).toEqual(bodies.map((body) => [body]));
  await expect(bigquery.first('SELECT f()')).rejects.toThrow('Function not found: f at [1:8]');
});

it('serves BIGQUERY_EMULATOR_HOST, which the client uses without /bigquery/v2', async () => {
  const { BIGQUERY_EMULATOR_HOST: earlier } = process.env;
  process.env['BIGQUERY_EMULATOR_HOST'] = bigquery.url;
  const client = createLocalBigQueryClient('');
  if (earlier === undefined) delete process.env['BIGQUERY_EMULATOR_HOST'];
  else process.env['BIGQUERY_EMULATOR_HOST'] = earlier;
  expect(client.baseUrl).toBe(bigquery.url);
  const [found] = await client.query({ query: 'SELECT COUNT(*) AS n FROM events', defaultDataset });
  expect(found).toEqual([{ n: 1 }]);
});
