// What the local BigQuery answers, by tables that were written from BigQuery's reference before its code was read:
// the queries that an analyst types first, queries that BigQuery refuses, and all functions.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLocalBigQuery, startGoogleSql } from '../../../scripts/local-bigquery/index.ts';
import type { GoogleSql, LocalBigQuery } from '../../../scripts/local-bigquery/index.ts';
import { runCase } from './conformance/run-case.ts';

type Answer = string | number | boolean | null | Answer[] | { [name: string]: Answer };

const folder = join(import.meta.dirname, 'reference');
const read = <Entry>(name: string) =>
  JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')) as Entry[];

const queries = read<{ name: string; sql: string; columns: string[]; rows: Answer[][] }>('analyst');
const refused = read<{ name: string; sql: string; reason: string }>('refused');
const functions = read<{
  name: string;
  sql: string;
  expected?: Answer;
  isNotRun?: boolean;
  error?: string;
}>('functions');

/** `name TYPE`, of STRING without a type. */
const columns = (list: string) =>
  list.split(', ').map((column) => {
    const [name = '', type = 'STRING'] = column.split(' ');
    return { name, type };
  });
const schemas = {
  orders: [
    ...columns('order_id, customer_id, created_at TIMESTAMP, order_day DATE, status, country'),
    ...columns('total NUMERIC, discount FLOAT'),
    {
      name: 'items',
      type: 'RECORD',
      mode: 'REPEATED' as const,
      fields: columns('sku, category, quantity INTEGER, price NUMERIC'),
    },
  ],
  customers: columns('customer_id, name, email, segment, signed_up DATE, referrer_id'),
  events: columns(
    'user_id, session_id, event_name, event_at TIMESTAMP, page, duration_ms INTEGER, properties JSON',
  ),
};

function rowsOf(name: string): object[] {
  const lines = readFileSync(join(folder, `${name}.ndjson`), 'utf8')
    .trim()
    .split('\n');
  return lines.map((line) => {
    const row = JSON.parse(line) as { properties?: unknown };
    const { properties = null } = row;
    return 'properties' in row && properties !== null
      ? { ...row, properties: JSON.stringify(properties) }
      : row;
  });
}

let engine: GoogleSql;
let bigquery: LocalBigQuery;
beforeAll(async () => {
  engine = await startGoogleSql();
  const tables = Object.entries(schemas).map(([name, fields]) => ({
    name,
    fields,
    rows: rowsOf(name),
  }));
  bigquery = await createLocalBigQuery({ engine, freshMs: 0, tables });
});
afterAll(async () => {
  await bigquery.close();
  await engine.close();
});

/** Numbers by their value, and times by their instant: the tables write them in other ways than the wire. */
function plain(value: Answer): Answer {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, plain(field)]));
  }
  const text = String(value);
  if (value === null) return null;
  if (/^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(text)) return Number(Number(text).toPrecision(12));
  return /^\d{4}-\d\d-\d\d[T ][\d:.]+Z$/.test(text) ? new Date(text).toISOString() : text;
}

it.each(queries)('an analyst gets the rows of $name', async ({ sql, columns: names, rows }) => {
  const outcome = await runCase(bigquery.url, sql);
  if ('error' in outcome) throw new Error(outcome.error);
  expect({ columns: outcome.columns, rows: outcome.rows.map(plain) }).toEqual({
    columns: names,
    rows: rows.map(plain),
  });
});

it.each(refused)('BigQuery refuses $name, and so does this', async ({ sql, reason }) => {
  const outcome = await runCase(bigquery.url, sql);
  if ('rows' in outcome) throw new Error(`it ran: ${JSON.stringify(outcome.rows).slice(0, 200)}`);
  expect(outcome.error).toMatch(new RegExp(reason, 'i'));
});

it.each(functions)('$name: $sql', async ({ sql, expected, isNotRun, error }) => {
  const outcome = await runCase(bigquery.url, sql);
  if (isNotRun || error !== undefined) {
    expect(outcome).toEqual({
      error: isNotRun ? expect.stringMatching(/^Not run locally: /) : error,
    });
    return;
  }
  if ('error' in outcome) throw new Error(outcome.error);
  expect(plain(outcome.rows[0]?.[0] ?? null)).toEqual(plain(expected ?? null));
});
