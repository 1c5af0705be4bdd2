// Every error that callers can get (reason, HTTP code, AIP-193 status, time to retry), and its JSON body.

interface ReasonDescription {
  code: number;
  /** https://google.aip.dev/193 */
  status: string;
  /** For `Retry-After` and `RetryInfo`; absent if a retry would not help. */
  retryAfterSeconds?: number;
}

/** What callers get for each reason. `npm run docs` writes docs/reference/errors.md from it. */
export const REASONS = {
  /** A parameter is missing, misspelt, given twice, malformed or not allowed, or its value makes the query fail. */
  INVALID_PARAMETERS: { code: 400, status: 'INVALID_ARGUMENT' },
  /** The query string has broken percent-encoding, or more than 100 parameters (plus 100 values for each ARRAY). */
  MALFORMED_QUERY_STRING: { code: 400, status: 'INVALID_ARGUMENT' },
  /** The query would bill more than `MAX_BYTES_BILLED`. */
  BYTES_BILLED_LIMIT: { code: 400, status: 'FAILED_PRECONDITION' },
  /** The result is larger than `MAX_RESULT_MIB`. */
  RESULT_BYTES_LIMIT: { code: 400, status: 'FAILED_PRECONDITION' },
  /** The API key is missing, unknown, revoked or expired. */
  API_KEY_INVALID: { code: 401, status: 'UNAUTHENTICATED' },
  /** The key may use the endpoint, but not this parameter value. */
  PARAMETER_NOT_ALLOWED: { code: 403, status: 'PERMISSION_DENIED' },
  /** The request is from a page of another origin: at `/mcp`, and with `npm start` at every path. */
  ORIGIN_NOT_ALLOWED: { code: 403, status: 'PERMISSION_DENIED' },
  /** There is no such endpoint, or the key may not use it. */
  ENDPOINT_NOT_FOUND: { code: 404, status: 'NOT_FOUND' },
  /** The service has no such path. */
  PATH_NOT_FOUND: { code: 404, status: 'NOT_FOUND' },
  /** The method is not allowed: use GET, HEAD or OPTIONS, or POST for `/mcp` and the function `warm`. */
  METHOD_NOT_ALLOWED: { code: 405, status: 'UNIMPLEMENTED' },
  /** The header `Accept` excludes every format of the answer. */
  NOT_ACCEPTABLE: { code: 406, status: 'INVALID_ARGUMENT' },
  /** Only `/mcp`: the body has more than 256 KiB. */
  BODY_TOO_LARGE: { code: 413, status: 'INVALID_ARGUMENT' },
  // After a second the budget of an address has look-ups again: see keys/lookup-budget.ts.
  /** Too many unknown keys were sent from this client address. */
  KEY_LOOKUPS_EXHAUSTED: { code: 429, status: 'RESOURCE_EXHAUSTED', retryAfterSeconds: 1 },
  // The longest time: each error of a limit states its own (keys/limits.ts).
  /** The key has used up one of its limits. */
  RATE_LIMITED: { code: 429, status: 'RESOURCE_EXHAUSTED', retryAfterSeconds: 60 },
  // The longest time: each error states its own, until midnight (UTC).
  /** The key has used up its bytes of the day. Stored rows are still answered. */
  BYTES_PER_DAY: { code: 429, status: 'RESOURCE_EXHAUSTED', retryAfterSeconds: 86_400 },
  /** BigQuery refuses the job because of a quota, or because of a rate limit that persists after retries. */
  QUERY_QUOTA_EXHAUSTED: { code: 429, status: 'RESOURCE_EXHAUSTED', retryAfterSeconds: 5 },
  /** The key, or the instance, has too many queries that go on without a request. */
  JOBS_RUNNING: { code: 429, status: 'RESOURCE_EXHAUSTED', retryAfterSeconds: 5 },
  /** Any other fault, such as a query that fails because of its rows. */
  INTERNAL: { code: 500, status: 'INTERNAL' },
  /** Only `npm start`: the local BigQuery cannot run the query. */
  NOT_RUN_LOCALLY: { code: 501, status: 'UNIMPLEMENTED' },
  // The shortest time: each error states its own.
  /** The query has not finished within the time of the request. It goes on: ask again, and the request joins it. */
  QUERY_RUNNING: { code: 503, status: 'UNAVAILABLE', retryAfterSeconds: 5 },
  /** The instance has no memory or CPU time for the answer: too much is requested at once, or answers are not read. */
  INSTANCE_BUSY: { code: 503, status: 'UNAVAILABLE', retryAfterSeconds: 5 },
  /** The instance is being stopped. */
  INSTANCE_STOPPING: { code: 503, status: 'UNAVAILABLE', retryAfterSeconds: 1 },
  /** BigQuery does not answer, or still fails after retries. */
  QUERY_ENGINE_UNAVAILABLE: { code: 503, status: 'UNAVAILABLE', retryAfterSeconds: 5 },
  /** The key is not in memory and cannot be read: no answer from Firestore, too many look-ups, or an invalid document. */
  KEY_STORE_UNAVAILABLE: { code: 503, status: 'UNAVAILABLE', retryAfterSeconds: 5 },
  /** Firestore does not answer: to the function `warm`, or to count the bytes of a key with `bytesPerDay`. */
  RESULT_STORE_UNAVAILABLE: { code: 503, status: 'UNAVAILABLE', retryAfterSeconds: 5 },
  /** The query was stopped, or did not end in its time: `JOB_TIMEOUT_SECONDS`, without Firestore `QUERY_TIMEOUT_SECONDS`. */
  QUERY_DEADLINE_EXCEEDED: { code: 504, status: 'DEADLINE_EXCEEDED' },
} as const satisfies Record<string, ReasonDescription>;

export type Reason = keyof typeof REASONS;

export function isReason(text: string): text is Reason {
  return Object.hasOwn(REASONS, text);
}

/** An invalid parameter, as in google.rpc.BadRequest. */
export interface FieldViolation {
  field: string;
  description: string;
}

/** An error whose message is for the caller; the `cause` is only for the log. */
export class ServiceError extends Error {
  readonly reason: Reason;
  readonly fieldViolations: FieldViolation[];
  readonly retryAfterSeconds: number | undefined;
  /** For `ErrorInfo.metadata`. */
  readonly metadata: Readonly<Record<string, string>>;

  constructor(
    reason: Reason,
    message: string,
    options: {
      cause?: unknown;
      fieldViolations?: FieldViolation[];
      /** Where it is known; by default that of the reason. */
      retryAfterSeconds?: number;
      metadata?: Record<string, string>;
    } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = 'ServiceError';
    this.reason = reason;
    this.metadata = options.metadata ?? {};
    this.fieldViolations = options.fieldViolations ?? [];
    const described: ReasonDescription = REASONS[reason];
    this.retryAfterSeconds = options.retryAfterSeconds ?? described.retryAfterSeconds;
  }
}

/** The value of `error.details[].domain`: the service that the reasons belong to. */
export const ERROR_DOMAIN = 'saved-queries';

/** The one error shape: `{"error":{"code","status","message","details"}}`. */
export function errorBody(error: ServiceError, more: Record<string, string> = {}): string {
  const metadata = { ...error.metadata, ...more };
  const { reason, message, fieldViolations, retryAfterSeconds } = error;
  const { code, status } = REASONS[reason];
  const details = [detail('ErrorInfo', { reason, domain: ERROR_DOMAIN, metadata })];
  if (fieldViolations.length > 0) details.push(detail('BadRequest', { fieldViolations }));
  if (retryAfterSeconds !== undefined) {
    details.push(detail('RetryInfo', { retryDelay: `${retryAfterSeconds}s` }));
  }
  return JSON.stringify({ error: { code, status, message, details } });
}

function detail(type: string, fields: object): object {
  return { '@type': `type.googleapis.com/google.rpc.${type}`, ...fields };
}

/** The cause of an error before the query was started. */
export const NOT_STARTED = 'The query was not started.';

/** The error for callers of an instance that is being stopped; another instance will answer. */
export function instanceStopping(cause?: typeof NOT_STARTED): ServiceError {
  const message = 'This instance is being stopped. Try again: another one will answer.';
  return new ServiceError('INSTANCE_STOPPING', message, { cause });
}

/** Turns an unexpected error into a bare INTERNAL with that error as its cause. */
export function toServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError && error.reason !== 'INTERNAL') return error;
  return new ServiceError('INTERNAL', 'Internal error.', { cause: error });
}
