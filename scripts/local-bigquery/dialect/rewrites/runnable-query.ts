// Rewrites an analysed query to what the engine can evaluate.
import { applyEdits, tokens } from '../../../lexer/sql-tokens.ts';
import { anyValueNotNull, exactAggregates } from '../functions/approx-aggregates.ts';
import { fixClock } from '../../analysis/fixed-clock.ts';
import { evaluationError } from './author-places.ts';
import { withEmptyTotals } from './empty-totals.ts';
import { inlineWith, refuseRecursiveBody } from './inline-with.ts';
import { missingFunctions, replacedCalls } from '../functions/local-functions.ts';
import { inlineAggregates, writeOutCalls } from './routine-calls.ts';
import type { Analysis } from '../../analysis/sql-script.ts';

/** The statement and its functions; `nowMs` is CURRENT_TIMESTAMP, else the engine's. Throws `GoogleSqlError`. */
export function runnableQuery(
  { statement, functions, source }: Analysis,
  nowMs: number | undefined,
  /** Without it, what stands in for SESSION_USER is left out: the text can only be resolved. */
  isRun = true,
) {
  functions.forEach(refuseRecursiveBody);
  const replacedIn = (text: string) =>
    replacedCalls(tokens(text)).filter(({ start }) => isRun || /^local_/i.test(text.slice(start)));
  const texts = [statement, ...functions.map(({ body }) => body)];
  const local = texts.flatMap((text) => [
    ...missingFunctions(text, functions),
    ...replacedIn(text).flatMap((call) => call.functions),
  ]);
  const known = [...new Map(local.map((one) => [one.name, one])).values(), ...functions];
  const runnable = (sql: string): string => {
    const calls = replacedIn(sql).map(({ functions: [called], ...place }) => {
      return { ...place, text: called?.name ?? '' };
    });
    const called = applyEdits(sql, calls);
    const inlined = inlineAggregates(called, known);
    const exact = writeOutCalls(anyValueNotNull(exactAggregates(inlined)), known);
    return nowMs === undefined ? exact : fixClock(exact, nowMs);
  };
  const scalar = known.filter(({ isAggregate }) => !isAggregate);
  const bodyOf = (body: string): string => inlineWith(withEmptyTotals(runnable(body)));
  const rewritten = scalar.map((one) => ({ ...one, body: bodyOf(one.body) }));
  // An error is in the query itself, which its totals follow.
  const run = { sql: runnable(statement), functions: rewritten };
  return {
    ...run,
    sql: withEmptyTotals(run.sql),
    errorOf: (err: unknown) => evaluationError(err, run, source),
  };
}
