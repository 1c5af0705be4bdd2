// Classifies BigQuery's errors: what the caller gets, whether to try again, and what the log may contain.
// https://cloud.google.com/bigquery/docs/error-messages
import { errorCode, ServiceError, usualError } from '../core/errors.ts';
import { isObject, membersOf } from '../core/json.ts';
import { QueryDataError, isTextOf } from '../core/query-runner.ts';
import reasons from './reasons.json' with { type: 'json' };

/** `job`: the job itself failed, so only a new job can succeed. */
type Retry = 'never' | 'call' | 'job';

interface ClassifiedError {
  /** For the caller: a ServiceError, or the original error. */
  error: Error;
  retry: Retry;
}

/** What callers are told of a reason of BigQuery. The most severe comes first: it counts if BigQuery states several. */
const TOLD = new Map(
  Object.entries(
    reasons as Record<string, { error: Parameters<typeof usualError>[0]; retry?: Retry }>,
  ),
);

/** The error code for no answer, or an invalid one: empty, truncated, or not from BigQuery. */
const INVALID_ANSWER = 'INVALID_ANSWER';
/** Resources that a query can name; a missing job, in contrast, is a transient error. */
const OTHER_NOT_FOUND = /\bnot found: (?!job\b)/i;
/** The reasons whose messages are about tables, rights, limits and BigQuery itself. */
const OF_NO_VALUE =
  /^(?:notFound|accessDenied|stopped|timeout|responseTooLarge|\w+(?:Exceeded|Error))$/;

/** Errors that one entry of a batch may cause: the halves of the batch may succeed. */
const OF_DATA = ['invalidQuery', 'resourcesExceeded', 'billingTierLimitExceeded'];

/** How GoogleSQL begins or words its errors for values; those for the text of a query have a place, and other words. */
const OF_VALUES = new RegExp(
  [
    'division by zero|overflow|underflow|out of (?:range|bounds)|floating point error',
    '^(?:bad|invalid|illegal|malformed) ',
    '(?:cannot|could not|failed to|unable to|error) (?:pars|decod|cast|convert)',
    'mismatch between format|more than (?:one|1) (?:element|row|capturing)',
    'limit requires non-|(?:must|cannot|can not) (?:not )?be (?:non-|negative|positive|null|zero|0|greater|less|at|between|in)',
    'exceeds? (?:the )?max(?:imum)? allowed',
  ].join('|'),
  'i',
);
/** GoogleSQL states the place of what it refuses before it reads any value; elsewhere than at the end it may be in a value. */
const PLACE = / at \[\d+:\d+\]/;
const PLACE_AT_END = / at \[\d+:\d+\]$/;

/** The error for no answer, or an invalid one; `what` must not contain values of it. */
export function invalidAnswer(what: string, cause?: unknown): Error {
  return Object.assign(new Error(what, { cause }), { code: INVALID_ANSWER });
}

/** `asLogged` is for the cause, and for a message that callers may be told. */
export function classifyError(
  thrown: unknown,
  isInserted = false,
  asLogged: (error: Error) => Error = (error) => error,
): ClassifiedError {
  if (thrown instanceof ServiceError) return { error: thrown, retry: 'never' };
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const cause = asLogged(error);
  const details = detailsOf(thrown);
  const said = new Set(details.map(({ reason }) => reason));
  const local = details.find(({ reason }) => reason === 'notRunLocally');
  if (local !== undefined) {
    // Only from the local BigQuery: its message is for the caller.
    return { error: new ServiceError('NOT_RUN_LOCALLY', local.message, { cause }), retry: 'never' };
  }
  // Reasons before HTTP codes: an exceeded byte limit, for example, has code 500.
  const [, told = toldOfCode(error, details, isInserted)] =
    [...TOLD].find(([reason]) => said.has(reason)) ?? [];
  if (told !== undefined) {
    return { error: usualError(told.error, cause), retry: told.retry ?? 'never' };
  }
  const isOfData = isInserted && OF_DATA.some((reason) => said.has(reason));
  if (!isOfData) return { error: cause, retry: 'never' };
  const { message } = error;
  const isOfValues = said.has('invalidQuery') && OF_VALUES.test(message) && !PLACE.test(message);
  const dataError = new QueryDataError(cause.message, { cause });
  return { error: Object.assign(dataError, { isOfValues }), retry: 'never' };
}

/** `isInserted`: BigQuery has accepted the job, so an error after that is not about the text of the query. */
function toldOfCode(error: Error, details: ReturnType<typeof detailsOf>, isInserted: boolean) {
  const code = errorCode(error);
  if (code === 429) return TOLD.get('rateLimitExceeded');
  const text = [error.message, ...details.map(({ message }) => message)].join(' ');
  const isUnavailable =
    (typeof code === 'number' && (code >= 500 || code === 408)) ||
    code === INVALID_ANSWER ||
    (isInserted && code === 404 && !OTHER_NOT_FOUND.test(text));
  return isUnavailable ? TOLD.get('backendError') : undefined;
}

/** The errors that BigQuery lists; an empty text for a field that is not a text. */
export function detailsOf(of: unknown) {
  const { errors } = membersOf(of);
  const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
  return (Array.isArray(errors) ? errors : [])
    .filter(isObject)
    .map(({ reason, message }) => ({ reason: textOf(reason), message: textOf(message) }));
}

/**
 * The same error, or one that says where its message is if that may quote a value of a parameter or of a row: the log must not
 * contain any. `sql` may have it as the text of an ERROR.
 */
export function withoutValues(error: Error, sql: string, jobId = 'of the query'): Error {
  const { message } = error;
  const [said] = detailsOf(error);
  const isOfNoValue = said === undefined || OF_NO_VALUE.test(said.reason);
  if (isOfNoValue || PLACE_AT_END.test(message) || isTextOf(sql, message)) return error;
  const hidden = `BigQuery's reason is ${said.reason}. Its message may quote a value: its history of jobs has it, under the job ${jobId}.`;
  return Object.assign(new Error(hidden), { code: errorCode(error) });
}
