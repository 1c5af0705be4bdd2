// Runs one query through the REST API of the local BigQuery and reads its answer as plain values.
import type {
  Cell as WireCell,
  Row,
} from '../../../../scripts/local-bigquery/values/engine-values.ts';
import type { TableField } from '../../../../scripts/local-bigquery/values/table-schema.ts';

/** Text of a scalar, NULL, the elements of an ARRAY, or the fields of a STRUCT by name. */
export type Cell = string | null | Cell[] | { [field: string]: Cell };

interface Answer {
  error?: { message: string };
  schema: { fields: TableField[] };
  rows?: Row[];
}

export type Outcome = { columns: string[]; rows: Cell[][] } | { error: string };

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
