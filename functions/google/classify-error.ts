// Classifies BigQuery's errors: what the caller gets, and whether to try again.
// https://cloud.google.com/bigquery/docs/error-messages
import { errorCode } from '../core/describe-error.ts';
import { ServiceError, usualError } from '../core/errors.ts';
import { isObject } from '../core/json.ts';
import { QueryDataError } from '../core/query-runner.ts';

interface ClassifiedError {
  /** For the caller: a ServiceError, or the original error. */
  error: Error;
  /** `job`: the job itself failed, so only a new job can succeed. */
  retry: 'never' | 'call' | 'job';
}

interface Failure {
  cause: unknown;
  code: unknown;
  details: ReturnType<typeof detailsOf>;
  text: string;
  /** BigQuery has accepted the job: errors after that are not about the text of the query. */
  isInserted: boolean;
}

/** A failure is of the class if BigQuery states one of the reasons, or if `when` is true of it. */
interface ErrorClass {
  reasons?: readonly string[];
  when?: (failure: Failure) => boolean;
  error: (failure: Failure) => ServiceError;
  isTransient?: true;
}

/** The error code for an invalid answer: empty, truncated, or not from BigQuery. */
const INVALID_ANSWER = 'INVALID_ANSWER';
/** Resources that a query can name; a missing job, in contrast, is a transient error. */
const OTHER_NOT_FOUND = /\bnot found: (?!job\b)/i;
const CONNECTION_CODES =
  /^(ECONN|EPIPE|EAI_|ENOTFOUND|ENET|EHOST|ETIMEDOUT|ESOCKET|ERR_SOCKET|ERR_STREAM|UND_ERR|ABORT)/;

const NO_CAPACITY = as('QUERY_QUOTA_EXHAUSTED');
const UNAVAILABLE = as('QUERY_ENGINE_UNAVAILABLE');

/** The first match counts. Reasons are checked before HTTP codes: an exceeded byte limit, for example, has code 500. */
const CLASSES: readonly ErrorClass[] = [
  {
    // Only from the local BigQuery: its message is for the caller.
    reasons: ['notRunLocally'],
    error: ({ cause, details }) => {
      const message = details.find(({ reason }) => reason === 'notRunLocally')?.message ?? '';
      return new ServiceError('NOT_RUN_LOCALLY', message, { cause });
    },
  },
  { reasons: ['bytesBilledLimitExceeded'], error: as('BYTES_BILLED_LIMIT') },
  { reasons: ['quotaExceeded'], error: NO_CAPACITY },
  {
    reasons: ['rateLimitExceeded', 'jobRateLimitExceeded'],
    when: ({ code }) => code === 429,
    error: NO_CAPACITY,
    isTransient: true,
  },
  { reasons: ['timeout', 'stopped'], error: as('QUERY_DEADLINE_EXCEEDED') },
  { reasons: ['responseTooLarge'], error: as('RESULT_BYTES_LIMIT') },
  {
    reasons: ['backendError', 'internalError', 'badGateway', 'jobBackendError', 'jobInternalError'],
    error: UNAVAILABLE,
    isTransient: true,
  },
  {
    when: ({ cause, code, text, isInserted }) =>
      (typeof code === 'number' && (code >= 500 || code === 408)) ||
      isConnectionError(cause) ||
      code === INVALID_ANSWER ||
      (isInserted && code === 404 && !OTHER_NOT_FOUND.test(text)),
    error: UNAVAILABLE,
    isTransient: true,
  },
];

const OF_JOB = ['jobBackendError', 'jobInternalError', 'jobRateLimitExceeded'];
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
const PLACE = / at \[\d+:\d+\]/;

/** The error for an invalid answer; `what` must not contain values of it. */
export function invalidAnswer(what: string, cause?: unknown): Error {
  return Object.assign(new Error(what, { cause }), { code: INVALID_ANSWER });
}

export function classifyError(cause: unknown, isInserted = false): ClassifiedError {
  if (cause instanceof ServiceError) return { error: cause, retry: 'never' };
  const error = cause instanceof Error ? cause : new Error(String(cause));
  const details = detailsOf(cause);
  const text = [error.message, ...details.map(({ message }) => message)].join(' ');
  const failure = { cause, code: errorCode(cause), details, text, isInserted };
  const hasReason = (reasons: readonly string[]): boolean =>
    details.some(({ reason }) => reasons.includes(reason));

  const found = CLASSES.find(
    ({ reasons = [], when }) => hasReason(reasons) || (when?.(failure) ?? false),
  );
  if (found !== undefined) {
    const again = hasReason(OF_JOB) ? 'job' : 'call';
    return { error: found.error(failure), retry: found.isTransient ? again : 'never' };
  }
  if (!isInserted || !hasReason(OF_DATA)) return { error, retry: 'never' };
  const { message } = error;
  const isOfValues = hasReason(['invalidQuery']) && OF_VALUES.test(message) && !PLACE.test(message);
  return { error: new QueryDataError(message, { cause, isOfValues }), retry: 'never' };
}

function as(reason: Parameters<typeof usualError>[0]): ErrorClass['error'] {
  return ({ cause }) => usualError(reason, cause);
}

/** The errors that BigQuery lists; an empty text for a field that is not a text. */
export function detailsOf(of: unknown) {
  const errors: unknown = isObject(of) ? of.errors : undefined;
  const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
  return (Array.isArray(errors) ? errors : [])
    .filter(isObject)
    .map(({ reason, message }) => ({ reason: textOf(reason), message: textOf(message) }));
}

/** The HTTP client under the BigQuery client wraps Node's error, sometimes twice. */
function isConnectionError(error: unknown, depth = 0): boolean {
  if (!(error instanceof Error) || depth > 3) return false;
  const code = errorCode(error);
  return (
    (typeof code === 'string' && CONNECTION_CODES.test(code)) ||
    ('type' in error && error.type === 'system') ||
    /socket hang up|premature close/i.test(error.message) ||
    isConnectionError(error.cause, depth + 1)
  );
}
