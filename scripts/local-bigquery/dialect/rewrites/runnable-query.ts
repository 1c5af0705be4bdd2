// Rewrites an analysed query to what the engine can evaluate, with the calls of its functions written out.
import { callArguments, textOf } from '../../../lexer/brackets.ts';
import {
  isName,
  isSymbol,
  isWord,
  nameOf,
  replaceTokens,
  applyEdits,
  tokens,
} from '../../../lexer/sql-tokens.ts';
import type { Token, Tokens } from '../../../lexer/sql-tokens.ts';
import { typeSql } from '../../values/engine-values.ts';
import type { SqlFunction } from '../../values/engine-catalogue.ts';
import { anyValueNotNull, exactAggregates } from '../functions/approx-aggregates.ts';
import { fixClock } from '../../analysis/fixed-clock.ts';
import { evaluationError } from './author-places.ts';
import { missingFunctions, replacedCalls } from '../functions/local-functions.ts';
import type { Analysis } from '../../analysis/sql-script.ts';

/** The statement and its functions; `nowMs` is CURRENT_TIMESTAMP, else the engine's. Throws `GoogleSqlError`. */
export function runnableQuery(
  { statement, functions, source }: Analysis,
  nowMs: number | undefined,
) {
  const replacedIn = (text: string) => replacedCalls(tokens(text));
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
  const rewritten = scalar.map((one) => ({ ...one, body: runnable(one.body) }));
  return {
    sql: runnable(statement),
    functions: rewritten,
    errorOf: (err: unknown) => evaluationError(err, source.original),
  };
}

/**
 * `f(b => [], a => NULL)` as `f(CAST(NULL AS STRING), CAST([] AS ARRAY<INT64>))`, at any depth: the engine
 * takes a literal that has no type of its own for an INT64, and knows no names of arguments when it runs a
 * function. The calls have been analysed: a type that does not fit is an error before this.
 */
function writeOutCalls(sql: string, functions: readonly SqlFunction[]): string {
  if (functions.length === 0) return sql;
  return replaceTokens(sql, (_, index, all) => {
    const call = routineCallAt(sql, all, index, functions);
    const given = call?.given.map((argument) => writeOutCalls(argument, functions)).join(', ');
    const name = textOf(sql, all.slice(index, index + 2));
    return call && { last: call.close, text: `${name}${given})` };
  });
}

/** Puts the bodies of aggregate functions in the places of all calls: the engine's inlining loses ORDER BY and HAVING. */
function inlineAggregates(sql: string, functions: readonly SqlFunction[]): string {
  const aggregates = functions.filter(({ isAggregate }) => isAggregate);
  if (aggregates.length === 0) return sql;
  return replaceTokens(sql, (_, index, all) => {
    const call = routineCallAt(sql, all, index, aggregates);
    return call && { last: call.close, text: inlineAggregates(bodyOf(call), functions) };
  });
}

function bodyOf({ called, given }: NonNullable<ReturnType<typeof routineCallAt>>): string {
  const names = called.arguments.map(({ name }) => name.toLowerCase());
  const body = replaceTokens(called.body, (token, index, all) => {
    const position = isValue(all, index) ? names.indexOf(nameOf(token)) : -1;
    return position < 0 ? undefined : { text: `(${given[position] ?? ''})` };
  });
  return `(${body}\n)`;
}

/** Not the field of a STRUCT, an alias or a function. */
function isValue(all: Tokens, index: number): boolean {
  const [before, token, next] = [all[index - 1], all[index], all[index + 1]];
  return isName(token) && !isSymbol(before, '.') && !isWord(before, 'AS') && !isSymbol(next, '(');
}

/** The call of one of the functions whose name is at an index: its arguments in declared order and type, and its end. */
function routineCallAt(sql: string, all: Tokens, index: number, functions: readonly SqlFunction[]) {
  const isCall = isSymbol(all[index + 1], '(');
  const isOther = isSymbol(all[index - 1], '.') && !isWord(all[index - 2], 'SAFE');
  const name = isCall && !isOther ? nameOf(all[index]) : '';
  const called = functions.find((definition) => definition.name.toLowerCase() === name);
  const call = called && callArguments(all, index + 1);
  if (called === undefined || call === undefined) return undefined;
  const inOrder = ordered(called, call.list);
  const given = called.arguments.map(({ type, ifAbsent = '' }, position) => {
    const text = textOf(sql, inOrder[position] ?? []) || ifAbsent;
    return type ? `CAST(${text} AS ${typeSql(type)})` : text;
  });
  return { called, given, close: call.close };
}

function ordered(called: SqlFunction, given: readonly Token[][]): Token[][] {
  const positional = given.filter((argument) => !isNamed(argument));
  const named = given
    .filter(isNamed)
    .map((argument) => [nameOf(argument[0]), argument.slice(3)] as const);
  const values = new Map(named);
  const others = called.arguments.slice(positional.length);
  return [...positional, ...others.map(({ name }) => values.get(name.toLowerCase()) ?? [])];
}

function isNamed(argument: Tokens): boolean {
  const [name, equals, greater] = argument;
  return isName(name) && isSymbol(equals, '=') && isSymbol(greater, '>');
}
