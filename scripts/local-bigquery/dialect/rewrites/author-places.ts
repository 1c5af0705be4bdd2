// Maps the places in errors of a rewritten query to those of the author's text.
import { isWord, nameOf, tokens } from '../../../lexer/sql-tokens.ts';
import type { Token, Tokens } from '../../../lexer/sql-tokens.ts';
import { googleSqlPlace, offsetOfGoogleSql } from '../../../faults/text-place.ts';
import { GoogleSqlError } from '../../engine/error.ts';
import engineWords from './engine-words.json' with { type: 'json' };
import notEvaluated from './not-evaluated.json' with { type: 'json' };
import sizeLimits from './size-limits.json' with { type: 'json' };
import type { SqlFunction } from '../../values/engine-catalogue.ts';

const PLACES = /(?:Analysis of function (\w+) failed)? at \[(\d+):(\d+)\]/g;

/** An error of the analysis of a rewritten query is none of the author's, whose query was analysed without a fault. */
export function evaluationError(err: unknown, sql: string): unknown {
  if (!(err instanceof GoogleSqlError)) return err;
  if (err.kind === 'too-large') return tooLarge(err, sql);
  const [, , lacking] =
    notEvaluated.find(
      ([told = '', text = '']) =>
        new RegExp(told).test(err.message) && new RegExp(text, 'i').test(sql),
    ) ?? [];
  if (lacking !== undefined) return new GoogleSqlError('unsupported', lacking, { cause: err });
  const told = inAuthorWords(err, sql);
  // The message of a runtime error may be the author's own, with any end.
  if (err.kind === 'runtime' || (err.kind !== 'invalid' && err.line === undefined)) return told;
  // Its places are those of the rewritten text.
  const reason = told.message.replaceAll(/^.*Analysis of function \w+ failed[^;]*; | at \[.*/g, '');
  const message = `the local engine cannot evaluate it: ${reason}`;
  return new GoogleSqlError('unsupported', message, { cause: err });
}

/** By the message of the engine: what may be the cause in the text, and what is too large. */
function tooLarge(err: GoogleSqlError, sql: string): GoogleSqlError {
  const [, cause = '$^', what = err.message] =
    sizeLimits.find(([told = '']) => new RegExp(told).test(err.message)) ?? [];
  const isCause = (text: string): boolean => new RegExp(cause, 'i').test(text);
  const token = tokens(sql).find(({ kind, text }) => kind !== 'string' && isCause(text));
  const where = token ? `${token.text} at [${googleSqlPlace(sql, token.start)}]` : 'it';
  return new GoogleSqlError('unsupported', `${where} ${what}`, { cause: err });
}

/** Places in the body of a function for any type become those in its definition. Faults of our own functions are left out. */
export function errorInFunctions(err: unknown, functions: readonly SqlFunction[], sql: string) {
  if (!(err instanceof GoogleSqlError)) return err;
  let called: SqlFunction | undefined;
  let isOwn = true;
  const message = err.message.replace(PLACES, (text, name: string | undefined, line, column) => {
    const isNamed = (one: SqlFunction) => one.name.toLowerCase() === name?.toLowerCase();
    if (name !== undefined) called = functions.find(isNamed);
    isOwn &&= name === undefined || called !== undefined;
    const place = { line: Number(line), column: Number(column) };
    const offset = called?.originOf?.(offsetOfGoogleSql(called.body, place));
    if (offset === undefined) return text;
    return text.replace(/ at \[.*/, ` at [${googleSqlPlace(sql, offset)}]`);
  });
  const told = isOwn ? message : message.replace(/; Analysis of function .*/, '');
  return told === err.message ? err : new GoogleSqlError(err.kind, told, { cause: err });
}

/** Names that the engine or a rewriting uses become those of BigQuery, unless the author wrote them. */
export function inAuthorWords(err: GoogleSqlError, sql: string): GoogleSqlError {
  const words = engineWords.filter(([, , own = '$^']) => !new RegExp(own, 'i').test(sql));
  const message = words.reduce(
    (told, [word = '', text = '']) => told.replaceAll(new RegExp(word, 'g'), text),
    err.message,
  );
  return message === err.message ? err : new GoogleSqlError(err.kind, message, { cause: err });
}

/** The name of a function, or the first part of it, in its definition. */
export function definedName(all: Tokens, name: string): Token | undefined {
  const names = [name, name.split('.')[0]].map((part) => part?.toLowerCase());
  const isAfter = (at: number, word: string): boolean => isWord(all[at - 1], word);
  const isDefined = (at: number): boolean => isAfter(at, 'FUNCTION') || isAfter(at, 'EXISTS');
  return all.find((token, at) => names.includes(nameOf(token)) && isDefined(at));
}
