// The tables of test/scripts/local-bigquery/reference/: queries with their answers, and the rows that these are of.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LocalTable } from '../../../scripts/local-bigquery/index.ts';
import { columns } from '../sql/columns.ts';

export type Answer = string | number | boolean | null | Answer[] | { [name: string]: Answer };

const folder = join(import.meta.dirname, '../../scripts/local-bigquery/reference');

export function readReference<Entry>(name: string): Entry[] {
  return JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')) as Entry[];
}

const schemas = {
  orders: [
    ...columns('order_id STRING, customer_id STRING, created_at TIMESTAMP, order_day DATE'),
    ...columns('status STRING, country STRING, total NUMERIC, discount FLOAT'),
    ...columns(
      'items RECORD REPEATED (sku STRING, category STRING, quantity INTEGER, price NUMERIC)',
    ),
  ],
  customers: [
    ...columns('customer_id STRING, name STRING, email STRING, segment STRING'),
    ...columns('signed_up DATE, referrer_id STRING'),
  ],
  events: [
    ...columns('user_id STRING, session_id STRING, event_name STRING, event_at TIMESTAMP'),
    ...columns('page STRING, duration_ms INTEGER, properties JSON'),
  ],
};

function rowsOf(name: string): Record<string, unknown>[] {
  const lines = readFileSync(join(folder, `${name}.ndjson`), 'utf8')
    .trim()
    .split('\n');
  return lines.map((line) => {
    const row = JSON.parse(line) as Record<string, unknown>;
    const { properties = null } = row;
    return 'properties' in row && properties !== null
      ? { ...row, properties: JSON.stringify(properties) }
      : row;
  });
}

/** With the rows as they are, or with that many rows a table: copies with identifiers of their own. */
export function referenceTables(rowCount?: number): LocalTable[] {
  return Object.entries(schemas).map(([name, fields]) => {
    const rows = rowsOf(name);
    if (rowCount === undefined) return { name, fields, rows };
    const copies = Array.from({ length: rowCount }, (_, index) => {
      const copy = Math.floor(index / rows.length);
      const identified = Object.entries(rows[index % rows.length] ?? {}).map(([key, value]) =>
        key.endsWith('_id') && typeof value === 'string' ? [key, `${value}-${copy}`] : [key, value],
      );
      return Object.fromEntries(identified) as object;
    });
    return { name, fields, rows: copies };
  });
}
