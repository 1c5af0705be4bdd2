// Rewrites an analysed query to what the engine can evaluate.
import { applyEdits, tokens } from '../../../functions/endpoints/sql-tokens.ts';
import { anyValueNotNull } from './any-value.ts';
import { exactAggregates } from './approx-aggregates.ts';
import { fixClock } from './fixed-clock.ts';
import { expandedGroupingSets } from './grouping-sets.ts';
import { inlineWith } from './inline-with.ts';
import { missingFunctions, replacedCalls } from './local-functions.ts';
import { writeOutCalls } from './routine-calls.ts';
import type { Analysis, SqlFunction } from './sql-script.ts';
import { withoutSystemTime } from './system-time.ts';
import { withSystemVariables } from './system-variables.ts';
import type { QueryContext } from './system-variables.ts';

/** The statement and its functions; `nowMs` is the value of CURRENT_TIMESTAMP, by default the engine's clock. */
export function runnableQuery(
  { statement, functions }: Analysis,
  nowMs: number | undefined,
  context: QueryContext = { projectId: 'local' },
): { sql: string; functions: SqlFunction[] } {
  const needed = new Map(functions.map((definition) => [definition.name, definition]));
  const use = (some: readonly SqlFunction[]) => {
    for (const definition of some) needed.set(definition.name, definition);
  };
  const runnable = (sql: string): string => {
    const replaced = replacedCalls(tokens(sql));
    use(replaced.flatMap((call) => call.functions));
    use(missingFunctions(sql, functions));
    const named = applyEdits(
      sql,
      replaced.map(({ start, end, functions: [called] }) => ({
        start,
        end,
        text: called?.name ?? '',
      })),
    );
    const values = withSystemVariables(named, context);
    const grouped = expandedGroupingSets(withoutSystemTime(values));
    const exact = anyValueNotNull(exactAggregates(grouped));
    return nowMs === undefined ? exact : fixClock(exact, nowMs);
  };
  const sql = runnable(statement);
  const bodies = functions.map((definition) => ({
    ...definition,
    body: inlineWith(runnable(definition.body)),
  }));
  use(bodies);
  const all = [...needed.values()];
  return {
    sql: writeOutCalls(sql, all),
    functions: all.map((definition) => ({
      ...definition,
      body: writeOutCalls(definition.body, all),
    })),
  };
}
