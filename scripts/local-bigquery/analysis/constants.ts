// Finds the expressions of a statement that have one value for all rows, and asks the engine for the values.
import { timestampMicros, typeSql } from '../values/engine-values.ts';
import type { GoogleSql } from '../dialect/google-sql.ts';
import { GoogleSqlError } from '../engine/error.ts';
import { fixClock } from '../dialect/rewrites/fixed-clock.ts';
import type { EngineParameter } from '../values/query-parameters.ts';
import { functionOf, nodeOf, nodesIn, placeOf, typeOf } from './resolved-tree.ts';
import type { ResolvedNode } from './resolved-tree.ts';

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
const KINDS = new Set([
  'Cast',
  'FunctionCall',
  'GetStructField',
  'Literal',
  'MakeStruct',
  'Parameter',
]);
const NOT_DETERMINISTIC = new Set(['generate_uuid', 'rand']);

/** Literals, parameters, and functions of GoogleSQL over them; `text` is the statement. */
export function constantOf(node: ResolvedNode | undefined, text: Buffer): Constant | undefined {
  const type = typeOf(node);
  if (node === undefined || type === undefined || !isConstant(node)) return undefined;
  // A conversion that nobody wrote has no place in the text; what it converts has one.
  const place = placeOf(node) ?? placeOf(nodeOf(node.message['expr']) ?? node);
  if (place === undefined) return undefined;
  return { sql: text.subarray(place.start, place.end).toString(), type: typeSql(type) };
}

function isConstant(node: ResolvedNode): boolean {
  if (!KINDS.has(node.kind)) return false;
  if (node.kind === 'FunctionCall') {
    const name = functionOf(node);
    if (name === undefined || NOT_DETERMINISTIC.has(name)) return false;
  }
  return nodesIn(node.message).every(isConstant);
}

/** Asks the engine for the values at `nowMs`. Throws `GoogleSqlError` if the engine fails. */
export async function constantValues(
  engine: GoogleSql,
  constants: readonly Constant[],
  parameters: readonly EngineParameter[],
  nowMs: number,
): Promise<Map<Constant, ConstantValue>> {
  if (constants.length === 0) return new Map();
  const catalogue = await engine.registerCatalogue([], []);
  const evaluate = async (some: readonly Constant[]): Promise<[Constant, ConstantValue][]> => {
    const columns = some.map(({ sql, type }) => `CAST((${sql}\n) AS ${type})`);
    const sql = fixClock(`SELECT ${columns.join(', ')}`, nowMs);
    try {
      const { rows } = await engine.evaluate({ sql, catalogue, parameters });
      const cells = rows[0]?.f ?? [];
      return some.map((constant, index) => [constant, valueOf(cells[index]?.v, constant.type)]);
    } catch (err) {
      const isOfQuery = err instanceof GoogleSqlError && err.kind !== 'engine';
      if (!isOfQuery) throw err;
      if (some.length > 1) return (await Promise.all(some.map((one) => evaluate([one])))).flat();
      return some.map((constant) => [constant, undefined]);
    }
  };
  try {
    return new Map(await evaluate(constants));
  } finally {
    await engine.unregisterCatalogue(catalogue);
  }
}

function valueOf(cell: unknown, type: string): ConstantValue {
  if (typeof cell !== 'string') return cell === null ? null : undefined;
  if (type === 'STRING') return cell;
  return type === 'INT64' || type === 'TIMESTAMP' ? BigInt(cell) : timestampMicros(cell);
}
