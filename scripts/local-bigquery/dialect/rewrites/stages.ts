// The parts of a query that are evaluated before it, and the parameters that their rows become.
import { GoogleSqlError } from '../../engine/error.ts';
import type { EngineValue } from '../../values/engine-values.ts';
import type { EngineParameter } from '../../values/query-parameters.ts';
import { type EngineType, arrayOf } from '../../values/table-schema.ts';

export interface Stage {
  name: string;
  sql: string;
  parameter(found: EngineRows): EngineParameter;
}

export interface EngineRows {
  columns: { name?: string; type: EngineType }[];
  rows: EngineValue[][];
}

export function valueStage(name: string, kind: string, sql: string): Stage {
  return {
    name,
    sql,
    parameter({ rows, columns: [column] }) {
      const type = column?.type ?? { typeKind: 'TYPE_INT64' };
      const values = rows.map(([value = {}]) => value);
      if (kind === 'EXISTS') {
        return { name, type: { typeKind: 'TYPE_BOOL' }, value: { boolValue: rows.length > 0 } };
      }
      if (kind === 'ARRAY') {
        return { name, type: arrayOf(type), value: { arrayValue: { element: values } } };
      }
      if (values.length > 1) throw new GoogleSqlError('runtime', 'more than one element');
      return { name, type, value: values[0] ?? {} };
    },
  };
}

const BUCKETS = 513;

/**
 * Lists by their hash, from rows of a hash and a list. `isForIn` has IN find NULL as it does in the whole list: in
 * each part of one that has NULL, and for a NULL in one that is not empty.
 */
export function bucketStage(name: string, sql: string, isForIn: boolean): Stage {
  return {
    name,
    sql,
    parameter({ rows, columns: [, column] }) {
      const list = column?.type ?? arrayOf({ typeKind: 'TYPE_INT64' });
      const buckets: EngineValue[][] = Array.from({ length: BUCKETS }, () => []);
      for (const [hash, items] of rows) {
        buckets[Number(hash?.int64Value)] = [...(items?.arrayValue?.element ?? [])];
      }
      const hasNull = rows.some(([hash]) => hash?.int64Value === '0');
      if (isForIn && hasNull) for (const bucket of buckets) bucket.push({});
      else if (isForIn && rows.length > 0) buckets[0] = [{}];
      else if (!isForIn) buckets[0] = [];
      const type: EngineType = {
        typeKind: 'TYPE_STRUCT',
        structType: { field: [{ fieldName: 'local_items', fieldType: list }] },
      };
      const element = buckets.map((items) => ({
        structValue: { field: [{ arrayValue: { element: items } }] },
      }));
      return { name, type: arrayOf(type), value: { arrayValue: { element } } };
    },
  };
}
