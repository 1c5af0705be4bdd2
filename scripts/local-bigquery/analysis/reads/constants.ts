// Finds the expressions of a statement that have one value for all rows.
import { typeSql } from '../../values/engine-values.ts';
import * as tree from '../resolved-tree.ts';
import type { ResolvedNode } from '../resolved-tree.ts';

/** An expression as it is written, and the SQL type in which it is used. */
export interface Constant {
  sql: string;
  type: string;
}

/**
 * Microseconds since 1970 of a TIMESTAMP, DATETIME or DATE, a number of an INT64, the text of a STRING.
 * `undefined` for what has no value, because of an error or of a parameter that was not given.
 */
export type ConstantValue = bigint | string | null | undefined;

/** Nodes of which a constant may consist: no column, no subquery, no aggregate. */
const KINDS = new Set('Cast FunctionCall GetStructField Literal MakeStruct Parameter'.split(' '));
const NOT_DETERMINISTIC = new Set(['generate_uuid', 'rand']);

/** Literals, parameters, and functions of GoogleSQL over them; `text` is the statement. */
export function constantOf(node: ResolvedNode | undefined, text: Buffer): Constant | undefined {
  const type = tree.typeOf(node);
  if (node === undefined || type === undefined || !isConstant(node)) return undefined;
  // An implicit conversion has no place in the text; what it converts has one.
  const place = tree.placeOf(node) ?? tree.placeOf(tree.childOf(node.message, 'expr') ?? node);
  if (place === undefined) return undefined;
  return { sql: text.subarray(place.start, place.end).toString(), type: typeSql(type) };
}

export function isConstant(node: ResolvedNode): boolean {
  if (!KINDS.has(node.kind)) return false;
  if (node.kind === 'FunctionCall') {
    const name = tree.functionOf(node);
    if (name === undefined || NOT_DETERMINISTIC.has(name)) return false;
  }
  return tree.nodesIn(node.message).every(isConstant);
}
