// Every error that callers can get (reason, HTTP code, AIP-193 status, time to retry), and its JSON body.

interface ReasonDescription {
  code: number;
  /** https://google.aip.dev/193 */
  status: string;
  /** Of `Retry-After` and `RetryInfo`; absent if trying again would not help. */
  retryAfterSeconds?: number;
}

/** What callers get for each reason; stated here, and not where an error is thrown (but for the time of a limit). */
export const REASONS = {
  INVALID_PARAMETERS: { code: 400, status: 'INVALID_ARGUMENT' },
  MALFORMED_QUERY_STRING: { code: 400, status: 'INVALID_ARGUMENT' },
  BYTES_BILLED_LIMIT: { code: 400, status: 'FAILED_PRECONDITION' },
  RESULT_BYTES_LIMIT: { code: 400, status: 'FAILED_PRECONDITION' },
  API_KEY_INVALID: { code: 401, status: 'UNAUTHENTICATED' },
  PARAMETER_NOT_ALLOWED: { code: 403, status: 'PERMISSION_DENIED' },
  ORIGIN_NOT_ALLOWED: { code: 403, status: 'PERMISSION_DENIED' },
  ENDPOINT_NOT_FOUND: { code: 404, status: 'NOT_FOUND' },
  PATH_NOT_FOUND: { code: 404, status: 'NOT_FOUND' },
  METHOD_NOT_ALLOWED: { code: 405, status: 'UNIMPLEMENTED' },
  NOT_ACCEPTABLE: { code: 406, status: 'INVALID_ARGUMENT' },
  BODY_TOO_LARGE: { code: 413, status: 'INVALID_ARGUMENT' },
  // After a second the budget of an address has look-ups again: see keys/lookup-budget.ts.
  KEY_LOOKUPS_EXHAUSTED: { code: 429, status: 'RESOURCE_EXHAUSTED', retryAfterSeconds: 1 },
  // The longest time: each error of a limit states its own (keys/limits.ts).
  RATE_LIMITED: { code: 429, status: 'RESOURCE_EXHAUSTED', retryAfterSeconds: 60 },
  QUERY_QUOTA_EXHAUSTED: { code: 429, status: 'RESOURCE_EXHAUSTED', retryAfterSeconds: 5 },
  INTERNAL: { code: 500, status: 'INTERNAL' },
  // Only the local BigQuery answers it.
  NOT_RUN_LOCALLY: { code: 501, status: 'UNIMPLEMENTED' },
  INSTANCE_BUSY: { code: 503, status: 'UNAVAILABLE', retryAfterSeconds: 5 },
  // Another instance answers.
  INSTANCE_STOPPING: { code: 503, status: 'UNAVAILABLE', retryAfterSeconds: 1 },
  QUERY_ENGINE_UNAVAILABLE: { code: 503, status: 'UNAVAILABLE', retryAfterSeconds: 5 },
  KEY_STORE_UNAVAILABLE: { code: 503, status: 'UNAVAILABLE', retryAfterSeconds: 5 },
  RESULT_STORE_UNAVAILABLE: { code: 503, status: 'UNAVAILABLE', retryAfterSeconds: 5 },
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

  constructor(
    reason: Reason,
    message: string,
    options: {
      cause?: unknown;
      fieldViolations?: FieldViolation[];
      /** Where it is known; by default that of the reason. */
      retryAfterSeconds?: number;
    } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = 'ServiceError';
    this.reason = reason;
    this.fieldViolations = options.fieldViolations ?? [];
    const described: ReasonDescription = REASONS[reason];
    this.retryAfterSeconds = options.retryAfterSeconds ?? described.retryAfterSeconds;
  }
}

/** The value of `error.details[].domain`: the service that the reasons belong to. */
export const ERROR_DOMAIN = 'saved-queries';

/** The one error shape: `{"error":{"code","status","message","details"}}`. */
export function errorBody(error: ServiceError, metadata: Record<string, string> = {}): string {
  const { code, status } = REASONS[error.reason];
  const details: Record<string, unknown>[] = [
    {
      '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
      reason: error.reason,
      domain: ERROR_DOMAIN,
      metadata,
    },
  ];
  if (error.fieldViolations.length > 0) {
    details.push({
      '@type': 'type.googleapis.com/google.rpc.BadRequest',
      fieldViolations: error.fieldViolations,
    });
  }
  if (error.retryAfterSeconds !== undefined) {
    details.push({
      '@type': 'type.googleapis.com/google.rpc.RetryInfo',
      retryDelay: `${error.retryAfterSeconds}s`,
    });
  }
  return JSON.stringify({ error: { code, status, message: error.message, details } });
}

/** The error for callers of an instance that is being stopped; another instance will answer. */
export function instanceStopping(): ServiceError {
  const message = 'This instance is being stopped. Try again: another one will answer.';
  return new ServiceError('INSTANCE_STOPPING', message);
}

/** Turns an unexpected error into a bare INTERNAL with that error as its cause. */
export function toServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError && error.reason !== 'INTERNAL') return error;
  return new ServiceError('INTERNAL', 'Internal error.', { cause: error });
}
