// Tests of the GoogleSQL engine: analysis, evaluation, errors, and its process.
import { spawnSync } from 'node:child_process';
import { startGoogleSql } from '../../../../scripts/local-bigquery/dialect/google-sql.ts';
import type { GoogleSqlError } from '../../../../scripts/local-bigquery/engine/error.ts';
import { columns } from '../../../support/sql/columns.ts';

const engine = await startGoogleSql();
afterAll(() => engine.close());

describe('analysis', () => {
  it('returns parameters in order of use, with the types implied by their use', async () => {
    const tables = [{ name: 'events', fields: columns('id STRING, timestamp TIMESTAMP') }];
    const sql =
      'SELECT @open FROM events WHERE id = @Project AND timestamp > @since AND id IN UNNEST(@ids) AND id != @project';
    expect((await engine.analyze({ sql, tables })).parameters).toEqual([
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

  it('returns the types of an aggregate function in JavaScript, which it cannot run', async () => {
    const sql = `CREATE TEMP AGGREGATE FUNCTION f(x FLOAT64) RETURNS FLOAT64 LANGUAGE js AS 'export';
      SELECT f(x) AS y FROM UNNEST([1.5]) AS x`;
    expect(await engine.analyze({ sql, tables: [] })).toMatchObject({
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
    const running = other.analyze({ sql: 'SELECT 1', tables: [] });
    const settled = running.then(
      () => 'done',
      (err: GoogleSqlError) => err.kind,
    );
    await other.close();
    expect(['done', 'engine', 'cancelled']).toContain(await settled);
    await expect(other.analyze({ sql: 'SELECT 1', tables: [] })).rejects.toMatchObject({
      kind: 'engine',
    });
  });
});
