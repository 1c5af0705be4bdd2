// Measures how the time of queries of the local BigQuery grows with the rows of the tables.
import { createLocalBigQuery, startGoogleSql } from '../../scripts/local-bigquery/index.ts';
import { runCase } from '../scripts/local-bigquery/conformance/run-case.ts';
import { readReference, referenceTables } from '../support/service/reference.ts';
import { type Findings, round } from './table.ts';

const QUERIES = [
  'not_exists',
  'in_subquery_having',
  'correlated_scalar',
  'first_order_cohort_retention',
  'group_expr_qualify',
];
const ROWS = [300, 3000];
const TURNS = 3;

export async function measureLocalQueries(): Promise<Findings> {
  const queries = readReference<{ name: string; sql: string }>('analyst').filter(({ name }) =>
    QUERIES.includes(name),
  );
  const times = new Map<string, number[]>();
  for (const rowCount of ROWS) {
    const engine = await startGoogleSql();
    const tables = referenceTables(rowCount);
    const bigquery = await createLocalBigQuery({ engine, freshMs: 0, tables });
    try {
      for (const { name, sql } of queries) {
        const fastest = await fastestMs(bigquery.url, sql);
        times.set(name, [...(times.get(name) ?? []), fastest]);
      }
    } finally {
      await bigquery.close();
      await engine.close();
    }
  }
  const rows = [...times].map(([name, [few = 0, many = 0]]) => ({ name, few, many }));
  return {
    title: 'Queries of the local BigQuery, by rows a table',
    columns: ['query', ...ROWS.map((count) => `${count} rows, ms`), 'growth'],
    rows: rows.map(({ name, few, many }) => [name, round(few), round(many), round(many / few)]),
    figures: { 'local.growth': Math.max(...rows.map(({ few, many }) => many / few)) },
  };
}

/** The first run registers the rows with the engine, and is not counted. */
async function fastestMs(url: string, sql: string): Promise<number> {
  const times: number[] = [];
  for (let turn = 0; turn <= TURNS; turn++) {
    const start = performance.now();
    const outcome = await runCase(url, sql);
    if ('error' in outcome) throw new Error(outcome.error);
    if (turn > 0) times.push(performance.now() - start);
  }
  return Math.min(...times);
}
