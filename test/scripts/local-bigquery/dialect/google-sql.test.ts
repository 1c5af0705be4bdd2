// Tests of the process of the GoogleSQL engine: it is installed, ends with its program, and can be closed.
import { spawnSync } from 'node:child_process';
import { startGoogleSql } from '../../../../scripts/local-bigquery/dialect/google-sql.ts';
import type { GoogleSqlError } from '../../../../scripts/local-bigquery/engine/error.ts';

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
  const engine = await startGoogleSql();
  const analyze = () => engine.analyze({ sql: 'SELECT 1', tables: [] });
  const running = analyze().then(
    () => 'done',
    (err: GoogleSqlError) => err.kind,
  );
  await engine.close();
  expect(['done', 'engine', 'cancelled']).toContain(await running);
  await expect(analyze()).rejects.toMatchObject({ kind: 'engine' });
});
