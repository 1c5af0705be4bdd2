// Rewrites an analysed query to what the engine can evaluate.
import { applyEdits, tokens } from '../../../lexer/sql-tokens.ts';
import { anyValueNotNull } from '../functions/any-value.ts';
import { exactAggregates } from '../functions/approx-aggregates.ts';
import { fixClock } from '../../analysis/fixed-clock.ts';
import { inlineAggregates } from './inline-aggregates.ts';
import { inlineWith, refuseRecursiveBody } from './inline-with.ts';
import { missingFunctions, replacedCalls } from '../functions/local-functions.ts';
import { writeOutCalls } from './routine-calls.ts';
import type { Analysis } from '../../analysis/sql-script.ts';
import type { SqlFunction } from '../../values/sql-function.ts';
import { withoutSystemTime } from './system-time.ts';
import { type QueryContext, withSystemVariables } from '../system-variables.ts';

/**
 * The statement and its functions; `nowMs` is the value of CURRENT_TIMESTAMP, by default the engine's clock.
 * Throws `GoogleSqlError` of the kind `unsupported`.
 */
export function runnableQuery(
  { statement, functions }: Analysis,
  nowMs: number | undefined,
  context: QueryContext = { projectId: 'local' },
): { sql: string; functions: SqlFunction[] } {
  functions.forEach(refuseRecursiveBody);
  const texts = [statement, ...functions.map(({ body }) => body)];
  const local = texts.flatMap((text) => [
    ...missingFunctions(text, functions),
    ...replacedCalls(tokens(text)).flatMap((call) => call.functions),
  ]);
  const known = [...new Map(local.map((one) => [one.name, one])).values(), ...functions];
  const runnable = (sql: string): string => {
    const present = withoutSystemTime(withSystemVariables(withReplacedCalls(sql), context));
    const inlined = inlineAggregates(present, known);
    const exact = writeOutCalls(anyValueNotNull(exactAggregates(inlined)), known);
    return nowMs === undefined ? exact : fixClock(exact, nowMs);
  };
  return {
    sql: runnable(statement),
    functions: known.flatMap((definition) =>
      definition.isAggregate ? [] : { ...definition, body: inlineWith(runnable(definition.body)) },
    ),
  };
}

function withReplacedCalls(sql: string): string {
  const edits = replacedCalls(tokens(sql)).map(({ start, end, functions: [called] }) => ({
    start,
    end,
    text: called?.name ?? '',
  }));
  return applyEdits(sql, edits);
}
