// Refuses the types by which the engine partitions and compares, and BigQuery does not.
import * as tree from '../analysis/resolved-tree.ts';
import type { ResolvedNode } from '../analysis/resolved-tree.ts';
import { GoogleSqlError } from '../engine/error.ts';
import { typeText } from '../values/engine-values.ts';
import { errorAt } from '../analysis/mapped-text.ts';

/** Throws a `GoogleSqlError` at the first ARRAY or STRUCT of PARTITION BY, and at the first of IS DISTINCT FROM that holds an ARRAY. */
export function refuseTypes(value: unknown, sql: string): void {
  if (Array.isArray(value)) for (const item of value as unknown[]) refuseTypes(item, sql);
  const message = tree.messageOf(value);
  if (message === undefined) return;
  for (const item of tree.listOf(message, 'partitionByList')) {
    const key = { kind: 'ColumnRef', message: tree.messageOf(item) ?? {} };
    if (!['TYPE_ARRAY', 'TYPE_STRUCT'].includes(tree.typeOf(key)?.typeKind ?? '')) continue;
    refuse(`Partitioning by expressions of type ${nameOf(key)} is not allowed`, key, sql);
  }
  const call = { kind: 'FunctionCall', message };
  if (/^[$]is_(?:not_)?distinct_from$/.test(tree.functionOf(call) ?? '')) {
    const array = tree.argumentsOf(call).find((item) => /\bARRAY</.test(nameOf(item)));
    if (array) {
      refuse(`IS DISTINCT FROM is not defined for arguments of type ${nameOf(array)}`, call, sql);
    }
  }
  for (const child of Object.values(message)) refuseTypes(child, sql);
}

function nameOf(node: ResolvedNode): string {
  const type = tree.typeOf(node);
  return type ? typeText(type) : '';
}

function refuse(message: string, node: ResolvedNode, sql: string): never {
  const place = tree.textPlaceOf(node, Buffer.from(sql));
  if (place === undefined) throw new GoogleSqlError('invalid', message);
  throw errorAt(sql, place.start, message);
}
