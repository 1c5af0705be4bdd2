// Tests of the GoogleSQL engine: analysis, evaluation, errors, and its process.
import { spawnSync } from 'node:child_process';
import { startGoogleSql } from '../../../../scripts/local-bigquery/dialect/google-sql.ts';
import type { GoogleSqlError } from '../../../../scripts/local-bigquery/engine/error.ts';
import { columns } from '../../../support/sql/columns.ts';

const fields = columns(
  `id STRING REQUIRED, timestamp TIMESTAMP REQUIRED,
  metadata RECORD REPEATED (project_ref STRING, execution_time_ms FLOAT)`,
);
const tables = [{ name: 'events', fields }];
const bucketFunction = `CREATE TEMP FUNCTION buckets(count INT64, unit STRING) RETURNS ARRAY<TIMESTAMP> AS (
  GENERATE_TIMESTAMP_ARRAY(TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL count MINUTE), CURRENT_TIMESTAMP(), INTERVAL 1 MINUTE)
);
`;

const engine = await startGoogleSql();
afterAll(() => engine.close());

describe('analysis', () => {
  it('returns the columns of a SELECT with their types, modes and nested fields', async () => {
    const { statementKind, columns: found } = await engine.analyze({
      sql: 'SELECT id, COUNT(*) AS count, ANY_VALUE(m) AS entry, ARRAY_AGG(m.execution_time_ms), 1 FROM events, UNNEST(metadata) AS m GROUP BY id',
      tables,
    });
    expect(statementKind).toBe('SELECT');
    expect(found).toEqual(
      columns(
        `id STRING NULLABLE, count INTEGER NULLABLE,
        entry RECORD NULLABLE (project_ref STRING NULLABLE, execution_time_ms FLOAT NULLABLE),
        f0_ FLOAT REPEATED, f1_ INTEGER NULLABLE`,
      ),
    );
  });

  it('returns parameters in order of use, with the types implied by their use', async () => {
    const { parameters } = await engine.analyze({
      sql: 'SELECT @open FROM events WHERE id = @Project AND timestamp > @since AND id IN UNNEST(@ids) AND id != @project',
      tables,
    });
    expect(parameters).toEqual([
      { name: 'open' },
      { name: 'project', type: 'STRING' },
      { name: 'since', type: 'TIMESTAMP' },
      { name: 'ids', type: 'ARRAY<STRING>' },
    ]);
  });

  it('supports columns of types whose values the engine cannot store', async () => {
    const place = { name: 'place', type: 'GEOGRAPHY' };
    const stay = { name: 'stay', type: 'RANGE', rangeElementType: { type: 'DATE' } };
    const sql = 'SELECT place, RANGE_START(stay) AS arrival FROM visits';
    const visits = { name: 'visits', fields: [place, stay] };
    const analysis = await engine.analyze({ sql, tables: [visits] });
    expect(analysis.columns).toEqual(columns('place GEOGRAPHY NULLABLE, arrival DATE NULLABLE'));
  });

  it('accepts temporary functions before the statement, with and without types', async () => {
    const analysis = await engine.analyze({
      sql: `${bucketFunction}CREATE TEMP FUNCTION twice(x ANY TYPE) AS (x * 2);
# twice('
SELECT bucket, twice(1.5) AS y FROM UNNEST(buckets(5, 'minute;second')) AS bucket -- the end;`,
      tables,
    });
    expect(analysis.statementKind).toBe('SELECT');
    expect(analysis.functions.map((f) => [f.name, f.arguments.map((a) => a.name)])).toEqual([
      ['buckets', ['count', 'unit']],
      ['twice', ['x']],
    ]);
    expect(analysis.columns.map(({ type }) => type)).toEqual(['TIMESTAMP', 'FLOAT']);
    expect(analysis.tables).toEqual([]);
  });

  it.each([
    ['INSERT', "INSERT INTO events (id, timestamp) VALUES ('a', CURRENT_TIMESTAMP())"],
    ['DELETE', 'DELETE FROM events WHERE TRUE'],
    ['CREATE_TABLE_AS_SELECT', 'CREATE TABLE copied AS SELECT id FROM events'],
    ['DROP', 'DROP TABLE events'],
    ['SCRIPT', 'SELECT 1; SELECT 2'],
    ['SCRIPT', `SELECT 1; ${bucketFunction}`],
    ['CREATE_FUNCTION', bucketFunction],
  ])('distinguishes %s from SELECT', async (kind, sql) => {
    expect((await engine.analyze({ sql, tables })).statementKind).toBe(kind);
  });

  it('reports a misspelt column with a suggestion and its position in the whole text', async () => {
    const sql = `${bucketFunction}SELECT m.project_reff FROM events, UNNEST(metadata) AS m`;
    await expect(engine.analyze({ sql, tables })).rejects.toMatchObject({
      kind: 'invalid',
      message:
        'Field name project_reff does not exist in STRUCT<project_ref STRING, execution_time_ms FLOAT64>; Did you mean project_ref? at [4:10]',
      line: 4,
      column: 10,
    });
  });

  it.each(['initcap', 'InitCap', '`if`', 'ceiling', 'generate_uuid'])(
    'rejects a function with the name of the built-in %s, and continues',
    async (name) => {
      const sql = `CREATE TEMP FUNCTION nothing() AS (1);\nCREATE TEMP FUNCTION ${name}(s STRING) AS (s);\nSELECT 1`;
      await expect(engine.analyze({ sql, tables })).rejects.toMatchObject({
        kind: 'invalid',
        message: `Function ${name.replaceAll('`', '')} has the name of a built-in function, which the local BigQuery cannot replace: give it another name at [2:22]`,
        line: 2,
        column: 22,
      });
      const { statementKind } = await engine.analyze({ sql: 'SELECT 1', tables });
      expect(statementKind).toBe('SELECT');
    },
  );

  it('returns the types of an aggregate function in JavaScript, which it cannot run', async () => {
    const sql = `CREATE TEMP AGGREGATE FUNCTION f(x FLOAT64) RETURNS FLOAT64 LANGUAGE js AS 'export';
      SELECT f(x) AS y FROM UNNEST([1.5]) AS x`;
    expect(await engine.analyze({ sql, tables })).toMatchObject({
      notRun: 'function f is written in JavaScript',
      columns: [{ name: 'y', type: 'FLOAT' }],
    });
  });
});

describe('the engine', () => {
  it('reports in one line that it is not installed', async () => {
    await expect(startGoogleSql({ packageDirectory: '/nowhere' })).rejects.toThrow(
      'the GoogleSQL engine is not installed: run npm ci',
    );
  });

  it('ends with a program that did not close it', () => {
    const program = `
      const { startGoogleSql } = await import('./scripts/local-bigquery/dialect/google-sql.ts');
      const engine = await startGoogleSql();
      console.log((await engine.analyze({ sql: 'SELECT 1', tables: [] })).statementKind);`;
    const run = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
      encoding: 'utf8',
      timeout: 20_000,
    });
    expect(run).toMatchObject({ status: 0, stdout: 'SELECT\n' });
  });

  it('rejects running and later calls when it is closed', async () => {
    const other = await startGoogleSql();
    const running = other.analyze({ sql: 'SELECT 1', tables });
    const settled = running.then(
      () => 'done',
      (err: GoogleSqlError) => err.kind,
    );
    await other.close();
    expect(['done', 'engine', 'cancelled']).toContain(await settled);
    await expect(other.analyze({ sql: 'SELECT 1', tables })).rejects.toMatchObject({
      kind: 'engine',
    });
  });
});
