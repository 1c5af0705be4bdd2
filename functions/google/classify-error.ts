// Classifies BigQuery's errors: what the caller gets, and whether to try again.
// https://cloud.google.com/bigquery/docs/error-messages
import { errorCode } from '../core/error-code.ts';
import { ServiceError } from '../core/errors.ts';
import { isObject } from '../core/is-object.ts';
import { QueryDataError, resultTooLarge } from '../core/query-errors.ts';

interface ClassifiedError {
  /** For the caller: a ServiceError, or the original error. */
  error: Error;
  isTransient: boolean;
  /** The job itself failed: only a new job can succeed. */
  isOfJob: boolean;
}

const RATE_LIMITS = new Set(['rateLimitExceeded', 'jobRateLimitExceeded']);
const QUOTAS = new Set(['quotaExceeded', ...RATE_LIMITS]);
const TIMEOUTS = new Set(['timeout', 'stopped']);
const BACKEND = new Set([
  'backendError',
  'internalError',
  'badGateway',
  'jobBackendError',
  'jobInternalError',
]);
const OF_JOB = new Set(['jobBackendError', 'jobInternalError', 'jobRateLimitExceeded']);
/** One entry of a batch may cause them: its halves may succeed. */
const OF_DATA = new Set(['invalidQuery', 'resourcesExceeded', 'billingTierLimitExceeded']);
/** A reason of the local BigQuery, which BigQuery itself does not have: its message is for the caller. */
const NOT_RUN_LOCALLY = 'notRunLocally';
/** LIMIT and OFFSET take a literal or a parameter, so the refused value is one of the caller's. */
const LIMIT_REFUSED = /\blimit requires non-(?:negative|null)\b/i;
/** Resources that a query can name; a missing job, in contrast, is a transient error. */
const OTHER_NOT_FOUND = /\bnot found: (?!job\b)/i;
const CONNECTION_CODES =
  /^(ECONN|EPIPE|EAI_|ENOTFOUND|ENET|EHOST|ETIMEDOUT|ESOCKET|ERR_SOCKET|ERR_STREAM|UND_ERR|ABORT)/;

/** The error code for an invalid answer: empty, truncated, or not from BigQuery. */
const INVALID_ANSWER = 'INVALID_ANSWER';

/** The error for an invalid answer; `what` must not contain values of it. */
export function invalidAnswer(what: string, cause?: unknown): Error {
  return Object.assign(new Error(what, { cause }), { code: INVALID_ANSWER });
}

/**
 * Checks reasons before HTTP codes: an exceeded byte limit, for example, has code 500. `isInserted` means
 * that BigQuery has accepted the job: errors after that are not about the text of the query.
 */
export function classifyError(cause: unknown, isInserted = false): ClassifiedError {
  if (cause instanceof ServiceError) return { error: cause, isTransient: false, isOfJob: false };
  const code = errorCode(cause);
  const details = detailsOf(cause);
  const reasons = new Set(details.map(({ reason }) => reason));
  const hasReason = (set: ReadonlySet<string>): boolean => !reasons.isDisjointFrom(set);
  const isOfJob = hasReason(OF_JOB);

  const notRun = details.find(({ reason }) => reason === NOT_RUN_LOCALLY);
  if (notRun !== undefined) return permanent('NOT_RUN_LOCALLY', notRun.message);
  if (reasons.has('bytesBilledLimitExceeded')) {
    return permanent(
      'BYTES_BILLED_LIMIT',
      'The query would read more bytes than the service allows. Ask for a shorter interval.',
    );
  }
  if (hasReason(QUOTAS) || code === 429) {
    const message = 'BigQuery has no capacity for this query at the moment. Try again shortly.';
    return {
      error: new ServiceError('QUERY_QUOTA_EXHAUSTED', message, { cause }),
      isTransient: !reasons.has('quotaExceeded'),
      isOfJob,
    };
  }
  if (hasReason(TIMEOUTS)) {
    return permanent('QUERY_DEADLINE_EXCEEDED', 'The query was stopped before it had finished.');
  }
  if (reasons.has('responseTooLarge')) {
    return { error: resultTooLarge(cause), isTransient: false, isOfJob: true };
  }
  const error = cause instanceof Error ? cause : new Error(String(cause));
  const text = [error.message, ...details.map(({ message }) => message)].join(' ');
  if (/cannot parse regular expression/i.test(text) && !hasReason(BACKEND)) {
    return permanent('INVALID_PARAMETERS', 'BigQuery refuses a regular expression in a parameter.');
  }
  if (LIMIT_REFUSED.test(text) && !hasReason(BACKEND)) {
    return permanent(
      'INVALID_PARAMETERS',
      'A parameter that limits the rows must be given and must not be negative.',
    );
  }
  if (
    hasReason(BACKEND) ||
    isServerError(code) ||
    isConnectionError(cause) ||
    code === INVALID_ANSWER ||
    (isInserted && code === 404 && !OTHER_NOT_FOUND.test(text))
  ) {
    const message = 'BigQuery does not answer at the moment. Try again shortly.';
    return {
      error: new ServiceError('QUERY_ENGINE_UNAVAILABLE', message, { cause }),
      isTransient: true,
      isOfJob,
    };
  }
  const isOfData = isInserted && hasReason(OF_DATA);
  return {
    error: isOfData ? new QueryDataError(error.message, { cause }) : error,
    isTransient: false,
    isOfJob,
  };

  function permanent(reason: ServiceError['reason'], message: string): ClassifiedError {
    return {
      error: new ServiceError(reason, message, { cause }),
      isTransient: false,
      isOfJob: true,
    };
  }
}

/** The errors that BigQuery lists; empty texts in place of what is none. */
function detailsOf(cause: unknown): { reason: string; message: string }[] {
  const errors: unknown = isObject(cause) ? cause.errors : undefined;
  return (Array.isArray(errors) ? errors : [])
    .filter(isObject)
    .map(({ reason, message }) => ({ reason: textOf(reason), message: textOf(message) }));
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function isServerError(code: unknown): boolean {
  return typeof code === 'number' && (code >= 500 || code === 408);
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
