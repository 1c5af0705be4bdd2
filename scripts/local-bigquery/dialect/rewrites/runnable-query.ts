// Rewrites an analysed query to what the engine can evaluate.
import { closingBracket } from '../../../lexer/brackets.ts';
import {
  type Token,
  applyEdits,
  isSymbol,
  isWord,
  replaceTokens,
  tokens,
} from '../../../lexer/sql-tokens.ts';
import { anyValueNotNull, exactAggregates } from '../functions/approx-aggregates.ts';
import { fixClock } from '../../analysis/fixed-clock.ts';
import { evaluationError } from './author-places.ts';
import { inlineWith, refuseRecursiveBody } from './inline-with.ts';
import { missingFunctions, replacedCalls } from '../functions/local-functions.ts';
import { inlineAggregates, writeOutCalls } from './routine-calls.ts';
import type { Analysis } from '../../analysis/sql-script.ts';
import type { SqlFunction } from '../../values/sql-function.ts';
import { type QueryContext, withSystemVariables } from '../system-variables.ts';

interface RunnableQuery {
  sql: string;
  functions: SqlFunction[];
  /** An error of running it, at its place in the author's text. */
  errorOf: (err: unknown) => unknown;
}

/**
 * The statement and its functions; `nowMs` is the value of CURRENT_TIMESTAMP, by default the engine's clock.
 * Throws `GoogleSqlError` of the kind `unsupported`.
 */
export function runnableQuery(
  { statement, functions, source }: Analysis,
  nowMs: number | undefined,
  context: QueryContext = { projectId: 'local' },
): RunnableQuery {
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
  const run = {
    sql: runnable(statement),
    functions: known.flatMap((definition) =>
      definition.isAggregate ? [] : { ...definition, body: inlineWith(runnable(definition.body)) },
    ),
  };
  return { ...run, errorOf: (err) => evaluationError(err, run, source) };
}

function withReplacedCalls(sql: string): string {
  const edits = replacedCalls(tokens(sql)).map(({ start, end, functions: [called] }) => ({
    start,
    end,
    text: called?.name ?? '',
  }));
  return applyEdits(sql, edits);
}

/** Words that may follow the time. */
const AFTER_SYSTEM_TIME = new Set(
  (
    'CROSS EXCEPT FULL GROUP HAVING INNER INTERSECT JOIN LEFT LIMIT ON ORDER PIVOT QUALIFY RIGHT TABLESAMPLE ' +
    'UNION UNPIVOT USING WHERE WINDOW'
  ).split(' '),
);

/** Without FOR SYSTEM_TIME AS OF: the tables have their present rows alone. */
function withoutSystemTime(sql: string): string {
  return replaceTokens(sql, (_, index, all) => {
    const isClause = ['FOR', 'SYSTEM_TIME', 'AS', 'OF'].every((word, place) =>
      isWord(all[index + place], word),
    );
    return isClause ? { last: endOfTime(all, index + 4), text: '' } : undefined;
  });
}

/** Index of the last token of the expression that begins at `start`. */
function endOfTime(all: readonly Token[], start: number): number {
  let index = start;
  for (; index < all.length; index++) {
    const token = all[index];
    if (isSymbol(token, '(') || isSymbol(token, '[')) {
      index = closingBracket(all, index) ?? all.length;
      continue;
    }
    const isAfter = token?.kind === 'word' && AFTER_SYSTEM_TIME.has(token.text.toUpperCase());
    if (isAfter || [')', ',', ';'].some((symbol) => isSymbol(token, symbol))) break;
  }
  return index - 1;
}
