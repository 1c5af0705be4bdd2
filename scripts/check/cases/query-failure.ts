// Says where and why a query fails when it runs, in the words of its author.
import { join } from 'node:path';
import { errorCode, errorMessage, type ServiceError } from '../../../functions/core/errors.ts';
import { NULL_IN_REQUIRED } from '../../../functions/core/query-runner.ts';
import type { DefinitionFault } from '../../faults/definition-fault.ts';
import { readTextFile } from '../../faults/json-document.ts';
import { lineAndColumn } from '../../faults/text-place.ts';
import { tokens } from '../../lexer/sql-tokens.ts';

/**
 * The fault of `query.sql` in a folder for an error of BigQuery; at the text that its message names, if it names one. Undefined
 * for another answer, and for a refusal by `ERROR('…')`.
 */
export function queryFailure(answer: ServiceError, directory: string): DefinitionFault | undefined {
  const isOfQuery = answer.reason === 'INTERNAL' || answer.reason === 'INVALID_PARAMETERS';
  if (!isOfQuery || answer.cause === undefined) return undefined;
  const file = join(directory, 'query.sql');
  const sql = readTextFile(file);
  const message = causeText(answer);
  const named = tokens(sql)
    .filter(({ kind }) => kind === 'string')
    .map((token) => ({ token, written: token.text.replace(QUOTES, '$2') }))
    .find(({ written }) => {
      const at = message.indexOf(written);
      const around = `${message[at - 1] ?? ''}${message[at + written.length] ?? ''}`;
      return written.length > 1 && at >= 0 && !/\w/.test(around);
    });
  if (answer.reason === 'INVALID_PARAMETERS' && named?.written === message) return undefined;
  const place = / at \[(\d+):(\d+)\]$/.exec(message);
  const [line, column] = [Number(place?.[1]), Number(place?.[2])];
  const at = place ? { line, column } : named ? lineAndColumn(sql, named.token.start) : {};
  return { file, ...at, message: message.replace(/ at \[\d+:\d+\]$/, '') };
}

const QUOTES = /^[rRbB]*(['"]{3}|['"])([^]*)\1$/;

/** Callers do not learn the cause of an error of the query; authors need it. */
export function causeText({ message, cause }: ServiceError): string {
  const text = cause === undefined ? message : errorMessage(cause);
  const isNull = errorCode(cause) === NULL_IN_REQUIRED;
  const remedy = isNull ? '; make it NULLABLE in endpoint.json, or return no NULL' : '';
  return text.replace(/\.$/, '') + remedy;
}
