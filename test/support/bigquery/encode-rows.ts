// Encodes rows at once: the text that a stored body has when it is inflated.
import type { ColumnSchema, WireRow } from '../../../functions/core/query-runner.ts';
import { RESULT_END, RESULT_START, recordEncoder } from '../../../functions/cache/encode.ts';

/** `{"result":[{…},…]}` with the columns in the order of the schema. */
export function encodeRows(schema: readonly ColumnSchema[], rows: readonly WireRow[]): string {
  return `${RESULT_START}${rows.map(recordEncoder(schema)).join(',')}${RESULT_END}`;
}
