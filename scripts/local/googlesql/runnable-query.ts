// Rewrites an analysed query to what the engine can evaluate.
import { exactAggregates } from './approx-aggregates.ts';
import { fixClock } from './fixed-clock.ts';
import type { Analysis, SqlFunction } from './sql-script.ts';

/** The statement and its functions; `nowMs` is the value of CURRENT_TIMESTAMP, by default the engine's clock. */
export function runnableQuery(
  { statement, functions }: Analysis,
  nowMs: number | undefined,
): { sql: string; functions: SqlFunction[] } {
  const runnable = (sql: string): string => {
    const exact = exactAggregates(sql);
    return nowMs === undefined ? exact : fixClock(exact, nowMs);
  };
  return {
    sql: runnable(statement),
    functions: functions.map((definition) => ({ ...definition, body: runnable(definition.body) })),
  };
}
