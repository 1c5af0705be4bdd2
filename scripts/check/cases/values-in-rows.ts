// Finds the values that the rows of a case hold, by the types that parameters can have.
import type { ScalarType } from '../../../functions/core/parameter-type.ts';
import { decodeScalar, isNull, isRepeated, kindOf } from '../../local-bigquery/index.ts';
import type { EngineValue, TableField } from '../../local-bigquery/index.ts';
import type { Source } from '../../sources/source.ts';
import type { EndpointCase } from './read-cases.ts';

/** Texts as a query string has them, each once, in the order of the rows. */
export type ValuesInRows = ReadonlyMap<ScalarType, ReadonlySet<string>>;

/** By the engine's kind. */
export const TYPES_IN_ROWS = new Map<string | undefined, ScalarType>([
  ['TYPE_STRING', 'STRING'],
  ['TYPE_INT64', 'INT64'],
  ['TYPE_DOUBLE', 'FLOAT64'],
  ['TYPE_NUMERIC', 'NUMERIC'],
  ['TYPE_BOOL', 'BOOL'],
  ['TYPE_DATE', 'DATE'],
  ['TYPE_DATETIME', 'DATETIME'],
  ['TYPE_TIMESTAMP', 'TIMESTAMP'],
]);

export function valuesInRows(
  { rows }: Pick<EndpointCase, 'rows'>,
  sources: readonly Source[],
): ValuesInRows {
  const found = new Map<ScalarType, Set<string>>();
  const collect = (fields: readonly TableField[], values: readonly EngineValue[]): void => {
    for (const [index, field] of fields.entries()) {
      const value = values[index] ?? {};
      for (const each of isRepeated(field) ? (value.arrayValue?.element ?? []) : [value]) {
        collect(field.fields ?? [], each.structValue?.field ?? []);
        const kind = kindOf(field.type);
        const type = TYPES_IN_ROWS.get(kind);
        // Nobody asks for a TIMESTAMP by its microseconds.
        if (kind === undefined || !type || type === 'TIMESTAMP' || isNull(each)) continue;
        found.set(type, (found.get(type) ?? new Set()).add(decodeScalar(each, kind) ?? ''));
      }
    }
  };
  for (const { name, fields } of sources) {
    for (const row of rows.get(name) ?? []) collect(fields, row);
  }
  return found;
}
