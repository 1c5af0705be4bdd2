// Maps the places in errors of a rewritten query to those of the author's text.
import { diff } from 'node:util';
import { isName, isSymbol, isWord, nameOf, tokens } from '../../../lexer/sql-tokens.ts';
import type { Token, Tokens } from '../../../lexer/sql-tokens.ts';
import { googleSqlPlace, offsetOfGoogleSql } from '../../../faults/text-place.ts';
import { type MappedText, placeOfOrigin } from '../../analysis/mapped-text.ts';
import { GoogleSqlError } from '../../engine/error.ts';
import engineWords from './engine-words.json' with { type: 'json' };
import notEvaluated from './not-evaluated.json' with { type: 'json' };
import sizeLimits from './size-limits.json' with { type: 'json' };
import type { SqlFunction } from '../../values/engine-catalogue.ts';

const PLACES = /(?:Analysis of function (\w+) failed)? at \[(\d+):(\d+)\]/g;

/** An error with a place is one of the rewritten query: the author's was analysed without a fault, and BigQuery accepts it. */
export function evaluationError(
  err: unknown,
  run: { sql: string; functions: readonly SqlFunction[] },
  source: MappedText,
): unknown {
  if (!(err instanceof GoogleSqlError)) return err;
  if (err.kind === 'too-large') return tooLarge(err, source.original);
  const [, , lacking] =
    notEvaluated.find(
      ([told = '', text = '']) =>
        new RegExp(told).test(err.message) && new RegExp(text, 'i').test(source.original),
    ) ?? [];
  if (lacking !== undefined) return new GoogleSqlError('unsupported', lacking, { cause: err });
  // The message of a runtime error may be the author's own, with any end.
  if (err.kind === 'runtime') return inAuthorWords(err, source.original);
  if (err.line === undefined && err.kind === 'invalid') {
    const message = `the local engine cannot evaluate it: ${err.message}`;
    return new GoogleSqlError('unsupported', message, { cause: err });
  }
  if (err.line === undefined) return inAuthorWords(err, source.original);
  const all = tokens(source.text);
  const last = all.findLastIndex((token, at) => isSymbol(token, ';') && at < all.length - 1);
  let found = originOfToken(statementFrom(all, last + 1), run.sql, err.message);
  // The innermost function has the place that is wrong.
  for (const [failed, name = ''] of err.message.matchAll(PLACES)) {
    const called = functionOf(run.functions, name);
    const body = bodyOf(all, name);
    if (called && body.length > 0) found = originOfToken(body, called.body, failed);
  }
  const place = placeOfOrigin(source, found?.start ?? 0);
  const message = `the local engine cannot evaluate this use of ${found?.text ?? 'it'} at [${place}]`;
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
  const all = tokens(sql);
  let called: SqlFunction | undefined;
  let isOwn = true;
  const message = err.message.replace(PLACES, (text, name: string | undefined) => {
    if (name !== undefined) called = functionOf(functions, name);
    isOwn &&= name === undefined || called !== undefined;
    const token = called && originOfToken(bodyOf(all, called.name), called.body, text);
    const place = token ? ` at [${googleSqlPlace(sql, token.start)}]` : '';
    return token ? text.replace(/ at \[.*/, place) : text;
  });
  const told = isOwn ? message : message.replace(/; Analysis of function .*/, '');
  return told === err.message ? err : new GoogleSqlError(err.kind, told, { cause: err });
}

/** An error of the analysis of a rewritten text, without the names that the rewriting gave its columns. */
export function withoutLocalNames(err: unknown, { text, original }: MappedText): unknown {
  if (!(err instanceof GoogleSqlError)) return err;
  const [, path = ''] =
    / references (?:column )?(\S+) which is neither grouped/.exec(err.message) ?? [];
  const key = path.split('.').at(-1) ?? '';
  if (/^\w+$/.test(key) && new RegExp(`local_key_\\d+_\\d+_${key}\\b`, 'i').test(text)) {
    const place = / at \[.*/.exec(err.message)?.[0] ?? '';
    const message = `the key ${key} of ROLLUP, CUBE or GROUPING SETS, in a subquery or in SELECT *, is not supported locally${place}`;
    return new GoogleSqlError('unsupported', message, { cause: err });
  }
  return inAuthorWords(err, original);
}

/** Names that the engine or a rewriting uses become those of BigQuery, unless the author wrote them. */
function inAuthorWords(err: GoogleSqlError, sql: string): GoogleSqlError {
  const words = engineWords.filter(([, , own = '$^']) => !new RegExp(own, 'i').test(sql));
  const message = words.reduce(
    (told, [word = '', text = '']) => told.replaceAll(new RegExp(word, 'g'), text),
    err.message,
  );
  return message === err.message ? err : new GoogleSqlError(err.kind, message, { cause: err });
}

function functionOf(functions: readonly SqlFunction[], name: string): SqlFunction | undefined {
  return functions.find((one) => one.name.toLowerCase() === name.toLowerCase());
}

/** The name of a function, or the first part of it, in its definition. */
export function definedName(all: Tokens, name: string): Token | undefined {
  const names = [name, name.split('.')[0]].map((part) => part?.toLowerCase());
  const isAfter = (at: number, word: string): boolean => isWord(all[at - 1], word);
  const isDefined = (at: number): boolean => isAfter(at, 'FUNCTION') || isAfter(at, 'EXISTS');
  return all.find((token, at) => names.includes(nameOf(token)) && isDefined(at));
}

/** The tokens after AS in the definition of a function; none for one that the text does not define. */
function bodyOf(all: Tokens, name: string): Tokens {
  const { start = Infinity, depth = 0 } = definedName(all, name) ?? {};
  const as = all.findIndex(
    (token) => token.start > start && isWord(token, 'AS') && token.depth === depth,
  );
  return as < 0 ? [] : statementFrom(all, as + 1);
}

function statementFrom(all: Tokens, start: number): Tokens {
  const end = all.findIndex((token, at) => at > start && isSymbol(token, ';'));
  return all.slice(start, end < 0 ? undefined : end);
}

/**
 * The original of the token at the first place of a message, before the text was rewritten. For a token that a rewriting
 * added: the name that it replaced, or else that of the call around it.
 */
function originOfToken(written: Tokens, rewritten: string, message: string) {
  const [, line, column] = / at \[(\d+):(\d+)\]/.exec(message) ?? [];
  const offset = offsetOfGoogleSql(rewritten, { line: Number(line), column: Number(column) });
  const all = tokens(rewritten);
  const at = all.findIndex(({ end }) => end > offset);
  const changes = diff(
    written.map(({ text }) => text),
    all.map(({ text }) => text),
  );
  if (changes.length === 0) return written[at];
  let [from, to] = [0, 0];
  let replaced: Token[] = [];
  for (const [operation] of changes) {
    if (operation === 0) {
      const isCall = isSymbol(written[from], '(') && isName(written[from - 1]);
      if (to === at) return written[isCall ? from - 1 : from];
      if (to > at) break;
      replaced = [];
    }
    if (operation === 1) replaced.push(...written.slice(from, from + 1));
    if (operation !== -1) from++;
    if (operation !== 1) to++;
  }
  const calls = written.filter(
    (token, index) => index < from && isName(token) && isSymbol(written[index + 1], '('),
  );
  return replaced.find(isName) ?? calls.at(-1) ?? written[from];
}
