// Removes the values of parameters from BigQuery's errors.
import { errorCode } from '../core/describe-error.ts';
import { ServiceError } from '../core/errors.ts';
import { textsOf } from '../core/parameter-type.ts';
import { QueryDataError, type QueryRequest } from '../core/query-runner.ts';

type Bound = Pick<QueryRequest, 'parameters' | 'keys'>;

/** GoogleSQL quotes this many bytes of a longer text, and then `...`. */
const QUOTED_BYTES_MAX = 32;

/** The same error, or one without values: the log must not contain parameters of tenants. */
export function withoutValues(error: unknown, bound: Bound): unknown {
  if (error instanceof ServiceError) {
    const { reason, message, cause } = error;
    if (!(cause instanceof Error)) return error;
    return new ServiceError(reason, message, { cause: withoutValues(cause, bound) });
  }
  if (!(error instanceof Error)) return error;
  const values = [bound.parameters, ...(bound.keys ?? [])]
    .flatMap((named) => Object.values(named))
    .flatMap(textsOf);
  const message = values
    .filter((value) => value.length > 2)
    .flatMap(quotedForms)
    // The longest first: one can be the beginning of another.
    .sort((a, b) => b.length - a.length)
    .reduce((text, form) => text.replaceAll(form, '…'), error.message);
  const cause = withoutValues(error.cause, bound);
  if (message === error.message && cause === error.cause) return error;
  return error instanceof QueryDataError
    ? new QueryDataError(message, { cause, isOfValues: error.isOfValues })
    : Object.assign(new Error(message, { cause }), { code: errorCode(error) });
}

/** The forms in which BigQuery's messages quote the value of a parameter, which is in canonical spelling. */
function quotedForms(value: string): string[] {
  // Without half a character at the end.
  const { read } = new TextEncoder().encodeInto(value, new Uint8Array(QUOTED_BYTES_MAX));
  const texts = [value, value.slice(0, read), ...civilSeconds(value)];
  const forms = texts.flatMap((text) => {
    const inAscii = escaped(text).replaceAll(/[^ -~]/gu, inOctal);
    return [text, text.replaceAll('\\', '\\\\'), escaped(text), inAscii];
  });
  return [...new Set(forms)];
}

/** `2026-11-20 10:00:00` of a DATETIME or a TIMESTAMP; else none. */
function civilSeconds(value: string): string[] {
  const [, date, time] = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z?$/.exec(value) ?? [];
  return date === undefined ? [] : [`${date} ${time}`];
}

/** As in a string literal of SQL. */
function escaped(text: string): string {
  return text
    .replaceAll(/[\\'"]/g, '\\$&')
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r')
    .replaceAll('\t', '\\t');
}

function inOctal(character: string): string {
  const bytes = [...Buffer.from(character)];
  return bytes.map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
}
