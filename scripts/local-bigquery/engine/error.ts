// Errors of the GoogleSQL engine, with BigQuery's messages and positions.
import { status } from '@grpc/grpc-js';
import { errorMessage } from '../../../functions/core/errors.ts';
import { isObject, membersOf } from '../../../functions/core/json.ts';

/** The SQL is wrong or runs into an error (`runtime`), the engine cannot do it or fails, or the call was cancelled. */
export type GoogleSqlErrorKind =
  'invalid' | 'runtime' | 'unsupported' | 'too-large' | 'cancelled' | 'engine';

/** `message` ends with ` at [line:column]`, one-based, where the engine knows the position. */
export class GoogleSqlError extends Error {
  readonly kind: GoogleSqlErrorKind;
  readonly line: number | undefined;
  readonly column: number | undefined;

  constructor(kind: GoogleSqlErrorKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
    const position = / at \[(\d+):(\d+)\]$/.exec(message);
    this.line = position ? Number(position[1]) : undefined;
    this.column = position ? Number(position[2]) : undefined;
  }

  /** From an error of the gRPC client; anything else is returned as an `engine` error. */
  static from(err: unknown): GoogleSqlError {
    if (err instanceof GoogleSqlError) return err;
    // A stack that is too small for a deeply nested expression.
    if (isObject(err) && err.name === 'RangeError') {
      return new GoogleSqlError('unsupported', 'it is nested too deeply', { cause: err });
    }
    const { code, details } = membersOf(err);
    // The engine gives no text for `CAST('' AS INT64)`.
    const ofValue = code === status.OUT_OF_RANGE ? 'Bad value' : errorMessage(err);
    const text = typeof details === 'string' && details ? details : ofValue;
    if (OUT_OF_MEMORY.test(text)) {
      const reason = 'it needs more memory than the local engine may use';
      return new GoogleSqlError('unsupported', reason, { cause: err });
    }
    const unfinished = code === status.OUT_OF_RANGE ? UNREAD_FORMAT : UNFINISHED;
    const isTold = code === status.UNIMPLEMENTED;
    const lacking = LACKING.exec(text)?.[1] ?? (isTold ? undefined : unfinished.exec(text)?.[1]);
    if (lacking !== undefined) {
      const reason = `the local engine lacks a feature: ${lacking}`;
      return new GoogleSqlError('unsupported', reason, { cause: err });
    }
    const kind = (typeof code === 'number' && kinds[code]) || 'engine';
    const message = kind === 'unsupported' ? notRun(readable(text), code) : readable(text);
    return new GoogleSqlError(kind, message, { cause: err });
  }
}

/** The engine's messages for unsupported types and sizes, which it reports as errors of the text. */
const LACKING =
  /^(?:One or more tables being queried.*\[|Invalid function .*; )?(Un(?:implemented|supported) (?!built-in)[^\]]*?|Invalid type for MakeValue\w+: [\w<>]+(?= |$)|Cannot generate arrays with more than 16000 elements)(?: ?\[?at \[?\d.*|[.]?\]?)$/;

/** Other messages for what the engine is to have one day; in brackets behind the name of a test of the engine for an evaluation. */
const UNFINISHED =
  /^(?:One or more tables being queried.*\[)?([^[\]]*(?:(?:supported|implemented) yet|not (?:yet )?implemented|not yet supported)\b[^[\]]*?)(?: ?\[at .*|[.]?\]?)$/;

/** The same as an error of the values. (The message of ERROR is the author's.) */
const UNREAD_FORMAT = /^((?:Format element \S+|\w+ parse elements are) not supported yet)$/;

const OUT_OF_MEMORY = /^(?:Unexpected error in RPC handling|Server Threadpool Exhausted)$/;

/** Whether the engine's server is out of memory, from which it does not recover. */
export function isOutOfMemory(err: unknown): boolean {
  const { details } = membersOf(err);
  return typeof details === 'string' && OUT_OF_MEMORY.test(details);
}

const kinds: Readonly<Record<number, GoogleSqlErrorKind>> = {
  [status.CANCELLED]: 'cancelled',
  // A failed assertion: the engine fails on this query every time.
  [status.INTERNAL]: 'unsupported',
  [status.INVALID_ARGUMENT]: 'invalid',
  [status.NOT_FOUND]: 'invalid',
  [status.OUT_OF_RANGE]: 'runtime',
  [status.RESOURCE_EXHAUSTED]: 'too-large',
  [status.UNIMPLEMENTED]: 'unsupported',
};

/** One line, BigQuery's position marker, and functions by the name the query calls them. */
function readable(details: string): string {
  return firstSentence(details)
    .replace(/ \[at (\d+:\d+)\]/g, ' at [$1]')
    .replace(/^More than one element$/, 'Scalar subquery produced more than one element')
    .replace(/(?:TEMPLATED_SQL_FUNCTION|ROUTINE):(\w+)/gi, (_, name: string) => name.toLowerCase())
    .trim();
}

/** A line that ends with a colon is incomplete without the next one. */
function firstSentence(details: string): string {
  const [first = '', ...others] = details.split('\n').map((line) => line.trim());
  const next = others.find((line) => line !== '');
  return first.endsWith(':') && next
    ? `${first} ${firstSentence(others.join('\n').trim())}`
    : first;
}

/** A missing feature of the engine, as the end of a sentence. */
function notRun(text: string, code: unknown): string {
  if (code === status.INTERNAL) return `the local engine fails on it: ${text}`;
  const name =
    /^Unsupported built-in function: (\S+)/.exec(text)?.[1] ??
    /^(\S+) is an optional function implementation/.exec(text)?.[1];
  return name === undefined
    ? text.replace(/[.]$/, '')
    : `the function ${name.toUpperCase()} is not supported locally`;
}
