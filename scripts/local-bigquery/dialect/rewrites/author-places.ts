// Maps the places in errors of a rewritten query to those of the author's text.
import { isWord, nameOf, tokens } from '../../../lexer/sql-tokens.ts';
import type { Token, Tokens } from '../../../lexer/sql-tokens.ts';
import { googleSqlPlace } from '../../../faults/text-place.ts';
import { GoogleSqlError } from '../../engine/error.ts';
import engineWords from './engine-words.json' with { type: 'json' };
import notEvaluated from './not-evaluated.json' with { type: 'json' };
import sizeLimits from './size-limits.json' with { type: 'json' };
import type { SqlFunction } from '../../values/engine-catalogue.ts';

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

/** Faults of our own functions are left out, and places in the body of a function for any type: they are those of no text. */
export function errorInFunctions(err: unknown, functions: readonly SqlFunction[]): unknown {
  if (!(err instanceof GoogleSqlError)) return err;
  const [call = '', ...bodies] = err.message.split('; Analysis of function ');
  if (bodies.length === 0) return err;
  const names = new Set(functions.map(({ name }) => name.toLowerCase()));
  const isOwn = bodies.every((text) => names.has(/^\w*/.exec(text.toLowerCase())?.[0] ?? ''));
  const reasons = bodies.map((text) => text.replaceAll(/ at \[\d+:\d+\]/g, ''));
  const told = isOwn ? [call, ...reasons].join('; Analysis of function ') : call;
  return new GoogleSqlError(err.kind, told, { cause: err });
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
