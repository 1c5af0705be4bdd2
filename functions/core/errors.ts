// Every error that callers can get (reason, HTTP code, AIP-193 status, time to retry), and its JSON body.
import reasons from './reasons.json' with { type: 'json' };
import { membersOf } from './json.ts';

interface ReasonDescription {
  code: number;
  /** https://google.aip.dev/193 */
  status: string;
  /** For `Retry-After` and `RetryInfo`; absent if a retry would not help. */
  retryAfterSeconds?: number;
  /** Whether a query that was started may still run after it, or its rows can still be read. */
  queryGoesOn?: boolean;
  /** Whether it concerns only the instance, or the API key, of one request: others that wait for its query run it. */
  isOfHolder?: boolean;
  /** When callers get it. `npm run docs` writes docs/reference/errors.md from it. */
  description: string;
  message?: string;
}

export type Reason = keyof typeof reasons;

type ReasonWithMessage = {
  [R in Reason]: (typeof reasons)[R] extends { message: string } ? R : never;
}[Reason];

export const REASONS: Readonly<Record<Reason, ReasonDescription>> = reasons;

/** Only the time of the caller is over. Its query runs, or is being sent, and can be joined. */
export const UNFINISHED: ReadonlySet<Reason> = new Set(['QUERY_RUNNING', 'QUERY_STARTING']);

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
    /** The time to retry by default is that of the reason. */
    options: ErrorOptions &
      Partial<Pick<ServiceError, 'fieldViolations' | 'retryAfterSeconds' | 'metadata'>> = {},
  ) {
    super(message, { cause: options.cause });
    this.name = 'ServiceError';
    this.reason = reason;
    this.metadata = options.metadata ?? {};
    this.fieldViolations = options.fieldViolations ?? [];
    this.retryAfterSeconds = options.retryAfterSeconds ?? REASONS[reason].retryAfterSeconds;
  }
}

/** The error with the usual message of its reason. */
export function usualError(reason: ReasonWithMessage, cause?: unknown): ServiceError {
  return new ServiceError(reason, reasons[reason].message, { cause });
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

export function reasonOf(error: unknown): Reason {
  return error instanceof ServiceError ? error.reason : 'INTERNAL';
}

/** Turns an unexpected error into a bare INTERNAL with that error as its cause. */
export function toServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError && error.reason !== 'INTERNAL') return error;
  return usualError('INTERNAL', error);
}

/** An error for the log, with the chain of its causes; never for a caller. */
export function describeError(error: unknown): string {
  const chain: string[] = [];
  let current = error;
  while (current instanceof Error && chain.length < 5) {
    chain.push(`${current.name}: ${current.message}`);
    current = current.cause;
  }
  return chain.join(' <- ') || 'not an Error';
}

export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Undefined for an error without a code, and for a thrown value that is not an error. */
export function errorCode(error: unknown): unknown {
  return membersOf(error).code;
}
