// What the local BigQuery answers, by tables that were written from BigQuery's reference before its code was read:
// the queries that an analyst types first, queries that BigQuery refuses, and all functions.
import { readReference as read, referenceTables } from '../../support/service/reference.ts';
import type { Answer } from '../../support/service/reference.ts';
import { runCase } from './conformance/run-case.ts';
import { startLocalBigQuery } from '../../support/bigquery/local-bigquery.ts';

const queries = read<{ name: string; sql: string; columns: string[]; rows: Answer[][] }>('analyst');
const refused = read<{ name: string; sql: string; reason: string }>('refused');
const functions = read<{
  name: string;
  sql: string;
  expected?: Answer;
  isNotRun?: boolean;
  error?: string;
}>('functions');

const { url } = await startLocalBigQuery({ tables: referenceTables() });

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

it.each(queries)('returns the expected rows of $name', async ({ sql, columns: names, rows }) => {
  const outcome = await runCase(url, sql);
  if ('error' in outcome) throw new Error(outcome.error);
  expect({ columns: outcome.columns, rows: outcome.rows.map(plain) }).toEqual({
    columns: names,
    rows: rows.map(plain),
  });
});

it.each(refused)('rejects $name, as BigQuery does', async ({ sql, reason }) => {
  const outcome = await runCase(url, sql);
  if ('rows' in outcome) throw new Error(`it ran: ${JSON.stringify(outcome.rows).slice(0, 200)}`);
  expect(outcome.error).toMatch(new RegExp(reason, 'i'));
});

it.each(functions)('$name: $sql', async ({ sql, expected, isNotRun, error }) => {
  const outcome = await runCase(url, sql);
  if (isNotRun || error !== undefined) {
    const found = 'error' in outcome ? outcome.error : 'it ran';
    expect(isNotRun ? found.slice(0, 17) : found).toBe(error ?? 'Not run locally: ');
    return;
  }
  if ('error' in outcome) throw new Error(outcome.error);
  expect(plain(outcome.rows[0]?.[0] ?? null)).toEqual(plain(expected ?? null));
});
