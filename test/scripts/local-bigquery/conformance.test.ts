// Conformance of the local BigQuery: small queries with the rows that BigQuery's SQL reference gives, and what it does not run.
import { globSync, readFileSync } from 'node:fs';
import { type Cell, runCase } from './conformance/run-case.ts';
import tables from './conformance/tables.json' with { type: 'json' };
import { startLocalBigQuery } from '../../support/bigquery/local-bigquery.ts';
import { columns } from '../../support/sql/columns.ts';
import { readExpectations } from '../../support/sql/read-expectations.ts';

const folder = 'test/scripts/local-bigquery/conformance';
const { url } = await startLocalBigQuery({
  tables: tables.map((table) => ({ ...table, fields: columns(table.columns) })),
});

describe.each(globSync(`${folder}/cases/*/*.sql`))('%s', (file) => {
  const [, , ...cases] = readFileSync(file, 'utf8').split(/^-- /m);
  /** Its rows are comments of the query. A row is its cells, or has the names of the columns where the case is about these. */
  it.each(cases.map((text) => text.split(/\n([^]*)/)))('%s', async (_, sql = '') => {
    const rows = Array.from(
      sql.matchAll(/^--> (.*)$/gm),
      ([, row = '']) => JSON.parse(row) as Cell[] | Record<string, Cell>,
    );
    const outcome = await runCase(url, sql);
    expect('rows' in outcome ? outcome.rows : outcome).toEqual(
      rows.map((row) => Object.values(row)),
    );
    for (const row of rows.filter((one) => !Array.isArray(one))) {
      expect(outcome).toMatchObject({ columns: Object.keys(row) });
    }
  });
});

/** The whole messages, with the line and column of the author's text. */
const { errors = [] } = readExpectations(`${folder}/errors.sql`);
/** By the item of docs/reference/local-sql.md, which says what is not run. */
const notRun = Object.values(readExpectations(`${folder}/not-run.sql`))
  .flat()
  .map(([sql, reason]) => [
    sql,
    `Not run locally: ${reason}; run the query on BigQuery, or rewrite it without this`,
  ]);

it.each([...errors, ...notRun])('%j fails: %s', async (sql = '', error = '') => {
  expect(await runCase(url, sql)).toEqual({ error });
});
