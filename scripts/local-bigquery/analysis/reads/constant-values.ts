// Asks the engine for the values of constants.
import { GoogleSqlError } from '../../engine/error.ts';
import { timestampMicros } from '../../values/engine-values.ts';
import type { EngineParameter } from '../../values/query-parameters.ts';
import { fixClock } from '../fixed-clock.ts';
import type { GoogleSql } from '../google-sql.ts';
import type { Constant, ConstantValue } from './constants.ts';

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
