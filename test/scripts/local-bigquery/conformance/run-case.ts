// Runs one query through the REST API of the local BigQuery, and reads its answer as plain values.
import { globSync, readFileSync } from 'node:fs';
import type {
  Cell as WireCell,
  Row,
} from '../../../../scripts/local-bigquery/values/engine-values.ts';
import type { TableField } from '../../../../scripts/local-bigquery/values/table-schema.ts';
import { startLocalBigQuery } from '../../../support/bigquery/local-bigquery.ts';
import { columns } from '../../../support/sql/columns.ts';
import tables from './tables.json' with { type: 'json' };

export const FOLDER = 'test/scripts/local-bigquery/conformance';

/** Text of a scalar, NULL, the elements of an ARRAY, or the fields of a STRUCT by name. */
type Cell = string | null | Cell[] | { [field: string]: Cell };

interface Answer {
  error?: { message: string };
  schema: { fields: TableField[] };
  rows?: Row[];
}

export type Outcome = { columns: string[]; rows: Cell[][] } | { error: string };

/** The URL of a local BigQuery with tables.json. */
export async function startWithTables(): Promise<string> {
  const given = tables.map((table) => ({ ...table, fields: columns(table.columns) }));
  return (await startLocalBigQuery({ tables: given })).url;
}

export const filesOf = (part: string): string[] => globSync(`${FOLDER}/cases/${part}/*.sql`);

/** The queries of a file, each with its name. */
export function casesIn(file: string): [name: string, sql: string][] {
  const [, , ...cases] = readFileSync(file, 'utf8').split(/^-- /m);
  return cases.map((text) => /^(.*)\n([^]*)/.exec(text)!.slice(1) as [string, string]);
}

/**
 * The rows of a query are its comments. A row is its cells, or has the names of the columns where the case is about
 * these.
 */
export function expectRows(outcome: Outcome, sql: string): void {
  const rows = Array.from(
    sql.matchAll(/^--> (.*)$/gm),
    ([, row = '']) => JSON.parse(row) as Cell[] | Record<string, Cell>,
  );
  expect('rows' in outcome ? outcome.rows : outcome).toEqual(rows.map((row) => Object.values(row)));
  for (const row of rows.filter((one) => !Array.isArray(one))) {
    expect(outcome).toMatchObject({ columns: Object.keys(row) });
  }
}

/** `url` is that of the local BigQuery. */
export async function runCase(url: string, sql: string): Promise<Outcome> {
  const response = await fetch(`${url}/bigquery/v2/projects/test-project/queries`, {
    method: 'POST',
    body: JSON.stringify({
      query: sql,
      useLegacySql: false,
      defaultDataset: { datasetId: 'logs' },
      formatOptions: { useInt64Timestamp: true },
    }),
  });
  const { error, schema, rows = [] } = (await response.json()) as Answer;
  if (error) return { error: error.message };
  return {
    columns: schema.fields.map(({ name }) => name),
    rows: rows.map((row) => cells(row, schema.fields)),
  };
}

function cells({ f }: Row, fields: readonly TableField[]): Cell[] {
  return fields.map((field, index) => cell(f[index]?.v ?? null, field));
}

function cell(value: WireCell, field: TableField): Cell {
  if (Array.isArray(value)) return value.map(({ v }) => cell(v, field));
  if (value === null) return value;
  if (typeof value === 'string') return field.type === 'TIMESTAMP' ? isoText(BigInt(value)) : value;
  const fields = field.fields ?? [];
  const values = cells(value, fields);
  return Object.fromEntries(fields.map(({ name }, index) => [name, values[index] ?? null]));
}

/** `2026-11-20T10:00:00Z`, with six digits of a fraction where there is one. */
function isoText(micros: bigint): string {
  const rest = ((micros % 1000n) + 1000n) % 1000n;
  const written = new Date(Number((micros - rest) / 1000n)).toISOString();
  return written.replace('Z', `${String(rest).padStart(3, '0')}Z`).replace('.000000Z', 'Z');
}
