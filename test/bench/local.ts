// Measures how the time of queries of the local BigQuery grows with the rows of the tables.
import { createLocalBigQuery, startGoogleSql } from '../../scripts/local-bigquery/index.ts';
import { runCase } from '../scripts/local-bigquery/conformance/run-case.ts';
import { readReference, referenceTables } from '../support/service/reference.ts';
import { columns } from '../support/sql/columns.ts';
import { type Findings, round } from './table.ts';

const QUERIES = [
  'not_exists',
  'in_subquery_having',
  'correlated_scalar',
  'first_order_cohort_retention',
  'group_expr_qualify',
];
/** Shapes of other teams: two equalities of which the first finds many rows, EXISTS, and a running total. */
const SHAPES = [
  {
    name: 'two_equalities',
    sql: 'SELECT o.order_id, (SELECT COUNT(*) FROM orders AS b WHERE b.status = o.status AND b.order_id = o.order_id) AS n FROM orders AS o',
  },
  {
    name: 'exists_two_equalities',
    sql: 'SELECT COUNT(*) AS n FROM orders AS o WHERE EXISTS (SELECT 1 FROM orders AS b WHERE b.status = o.status AND b.order_id = UPPER(o.order_id))',
  },
  {
    name: 'running_total',
    sql: 'SELECT order_id, SUM(total) OVER (PARTITION BY status ORDER BY order_id) AS total FROM orders',
  },
];
const ROWS = [300, 3000];
const TURNS = 3;

export async function measureLocalQueries(): Promise<Findings> {
  const known = readReference<{ name: string; sql: string }>('analyst');
  const queries = [...known.filter(({ name }) => QUERIES.includes(name)), ...SHAPES];
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
  const large = await largeMs();
  const rows = [...times].map(([name, [few = 0, many = 0]]) => ({ name, few, many }));
  return {
    title: 'Queries of the local BigQuery, by rows a table',
    columns: ['query', ...ROWS.map((count) => `${count} rows, ms`), 'growth'],
    rows: [
      ...rows.map(({ name, few, many }) => [name, round(few), round(many), round(many / few)]),
      [`GROUP BY of ${LARGE_ROWS.toLocaleString('en')} rows, four columns`, '', round(large), ''],
    ],
    figures: {
      'local.growth': Math.max(...rows.map(({ few, many }) => many / few)),
      'local.large.ms': large,
    },
  };
}

const LARGE_ROWS = 100_000;

/** A query of more rows than the engine takes at once, which is read part by part each time. */
async function largeMs(): Promise<number> {
  const engine = await startGoogleSql();
  const rows = Array.from({ length: LARGE_ROWS }, (_, id) => ({
    ...{ id, path: `/rest/v1/table-${id % 50}`, level: ['info', 'warn', 'error'][id % 3] },
    ms: (id * 7919) % 1000,
  }));
  const fields = columns('id INTEGER, path STRING, level STRING, ms INTEGER');
  const tables = [{ name: 'events', fields, rows }];
  const bigquery = await createLocalBigQuery({ engine, freshMs: 0, tables });
  try {
    const sql =
      'SELECT path, level, COUNT(*) AS n, AVG(ms) AS ms, MAX(id) AS last FROM logs.events GROUP BY path, level';
    return await fastestMs(bigquery.url, sql);
  } finally {
    await bigquery.close();
    await engine.close();
  }
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
