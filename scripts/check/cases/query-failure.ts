// Says where and why a query fails when it runs, in the words of its author.
import { join } from 'node:path';
import { errorCode, errorMessage } from '../../../functions/core/describe-error.ts';
import type { ServiceError } from '../../../functions/core/errors.ts';
import { NULL_IN_REQUIRED } from '../../../functions/core/query-runner.ts';
import type { DefinitionFault } from '../../faults/definition-fault.ts';
import { readTextFile } from '../../faults/json-document.ts';
import { lineAndColumn } from '../../faults/text-place.ts';
import { tokens } from '../../lexer/sql-tokens.ts';

/** The fault of `query.sql` in a folder for which callers get an internal error; at the text that the message names, if it names one. */
export function queryFailure(answer: ServiceError, directory: string): DefinitionFault {
  const file = join(directory, 'query.sql');
  const sql = readTextFile(file);
  const message = causeText(answer);
  const named = tokens(sql).find(({ kind, text }) => {
    const written = text.replace(/^[rRbB]*(['"]{3}|['"])([^]*)\1$/, '$2');
    const at = message.indexOf(written);
    const around = `${message[at - 1] ?? ''}${message[at + written.length] ?? ''}`;
    return kind === 'string' && written.length > 1 && at >= 0 && !/\w/.test(around);
  });
  const place = / at \[(\d+):(\d+)\]$/.exec(message);
  const [line, column] = [Number(place?.[1]), Number(place?.[2])];
  const at = place ? { line, column } : named ? lineAndColumn(sql, named.start) : {};
  return { file, ...at, message: message.replace(/ at \[\d+:\d+\]$/, '') };
}

/** Callers do not learn the cause of an internal error; authors need it. */
export function causeText({ reason, message, cause }: ServiceError): string {
  const text = reason === 'INTERNAL' && cause !== undefined ? errorMessage(cause) : message;
  const isNull = errorCode(cause) === NULL_IN_REQUIRED;
  const remedy = isNull ? '; make it NULLABLE in endpoint.json, or return no NULL' : '';
  return text.replace(/\.$/, '') + remedy;
}
