// Conformance of the local BigQuery: small queries with the rows that BigQuery's SQL reference gives.
import { readFileSync } from 'node:fs';
import { errors, families, notRun } from './conformance/read-cases.ts';
import { runCase } from './conformance/run-case.ts';
import tables from './conformance/tables.json' with { type: 'json' };
import { columns } from '../../support/sql/columns.ts';
import { testBigQuery } from './rest/local-bigquery.ts';

const bigquery = await testBigQuery({
  tables: tables.map((table) => ({ ...table, fields: columns(table.columns) })),
});

describe.each(families)('%s', (_family, cases) => {
  it.each(cases.map((one) => [one.name, one] as const))('%s', async (_name, { sql, rows }) => {
    const outcome = await runCase(bigquery.url, sql);
    expect('rows' in outcome ? outcome.rows : outcome).toEqual(
      rows.map((row) => Object.values(row)),
    );
    for (const row of rows.filter((row) => !Array.isArray(row))) {
      expect(outcome).toMatchObject({ columns: Object.keys(row) });
    }
  });
});

describe('errors', () => {
  it.each(errors)('%j', async (sql, error) => {
    expect(await runCase(bigquery.url, sql)).toEqual({ error });
  });
});

describe('the documented list of unsupported SQL', () => {
  const page = readFileSync('docs/reference/local-sql.md', 'utf8');
  const list = /## What does not run locally\n([\s\S]*?)\n`test/.exec(page)?.[1] ?? '';
  const items = list.split('\n- ').slice(1);

  it('has test queries for each of its items', () => {
    expect(items).toHaveLength(Object.keys(notRun).length);
    for (const [index, start] of Object.keys(notRun).entries()) {
      expect(items[index]?.replaceAll(/\s+/g, ' ').slice(0, start.length)).toBe(start);
    }
  });

  const cases = Object.entries(notRun).flatMap(([item, queries]) =>
    queries.map(([sql, reason]) => [item, sql, reason] as const),
  );
  it.each(cases)('%s …: %s', async (_, sql, reason) => {
    const error = `Not run locally: ${reason}; run the query on BigQuery, or rewrite it without this`;
    expect(await runCase(bigquery.url, sql)).toEqual({ error });
  });
});
