// Makes the examples of the OpenAPI document: rows from the types of their columns, and errors.
import { type Reason, ServiceError, errorBody } from '../core/errors.ts';
import type { ColumnDescription } from '../endpoints/description.ts';
import { FORMAT_PARAMETER, ROW_FORMATS, type Format } from '../endpoints/requested-format.ts';
import { toCsv, toNdjson } from './row-formats.ts';

/** One value of each type as `results/encode.ts` writes it; of another type, a text. */
const VALUES: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['BIGNUMERIC', '12.50'],
  ['BOOL', true],
  ['BYTES', 'aGVsbG8='],
  ['DATE', '2026-11-20'],
  ['DATETIME', '2026-11-20T10:00:00'],
  ['FLOAT64', 12.5],
  ['INT64', 42],
  ['JSON', { name: 'value' }],
  ['NUMERIC', '12.50'],
  ['RECORD', { name: 'value' }],
  ['TIME', '10:00:00'],
  ['TIMESTAMP', '2026-11-20T10:00:00Z'],
]);

/** The same columns give the same examples. JSON is a value, CSV and NDJSON are text. */
export function rowsExamples(row: readonly ColumnDescription[]): Record<Format, unknown> {
  const json = { result: [Object.fromEntries(row.map((column) => [column.name, value(column)]))] };
  const body = JSON.stringify(json);
  const columns = Object.fromEntries(row.map((column) => [column.name, column]));
  return { json, csv: toCsv(body, columns), ndjson: toNdjson(body) };
}

/** The body of an error with this reason, in the usual shape. */
export function errorExample(reason: Reason): unknown {
  const description = `must be one of ${ROW_FORMATS.join(', ')}`;
  const error =
    reason === 'INVALID_PARAMETERS'
      ? new ServiceError(reason, `Invalid parameters: ${FORMAT_PARAMETER} ${description}.`, {
          fieldViolations: [{ field: FORMAT_PARAMETER, description }],
        })
      : new ServiceError(reason, 'A sentence that says what is wrong.');
  return JSON.parse(errorBody(error));
}

function value({ type, mode }: ColumnDescription): unknown {
  const one = VALUES.get(type) ?? 'text';
  return mode === 'REPEATED' ? [one] : one;
}
