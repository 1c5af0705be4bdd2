// Errors with the shape and the reasons of BigQuery's REST API.
import { InvalidValueError } from '../values/engine-values.ts';
import { GoogleSqlError, type GoogleSqlErrorKind } from '../engine/error.ts';

/** https://cloud.google.com/bigquery/docs/error-messages; `status` is its canonical code. */
const reasons = {
  accessDenied: { code: 403, status: 'PERMISSION_DENIED' },
  backendError: { code: 503, status: 'UNAVAILABLE' },
  bytesBilledLimitExceeded: { code: 400, status: 'INVALID_ARGUMENT' },
  duplicate: { code: 409, status: 'ALREADY_EXISTS' },
  invalid: { code: 400, status: 'INVALID_ARGUMENT' },
  invalidQuery: { code: 400, status: 'INVALID_ARGUMENT' },
  // Not a reason of BigQuery: it can run the query, and the local BigQuery cannot.
  notRunLocally: { code: 501, status: 'UNIMPLEMENTED' },
  notFound: { code: 404, status: 'NOT_FOUND' },
  parseError: { code: 400, status: 'INVALID_ARGUMENT' },
  required: { code: 400, status: 'INVALID_ARGUMENT' },
  stopped: { code: 499, status: 'CANCELLED' },
} as const;

type Reason = keyof typeof reasons;

export class BigQueryError extends Error {
  readonly reason: Reason;

  constructor(reason: Reason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }

  get code(): number {
    return reasons[this.reason].code;
  }

  /** `ErrorProto`, as in a job's `status.errorResult`. */
  toJob(): { reason: string; message: string; location?: string } {
    const location = this.reason === 'invalidQuery' ? { location: 'query' } : {};
    return { reason: this.reason, ...location, message: this.message };
  }

  toBody(): object {
    const { code, status } = reasons[this.reason];
    const { reason, message } = this;
    const place = reason === 'invalidQuery' ? { location: 'q', locationType: 'parameter' } : {};
    return {
      error: { code, message, errors: [{ message, domain: 'global', reason, ...place }], status },
    };
  }

  static from(err: unknown): BigQueryError {
    if (err instanceof BigQueryError) return err;
    if (err instanceof InvalidValueError) return notRunLocally(err);
    if (!(err instanceof GoogleSqlError)) {
      const message = `Error encountered during execution: ${String(err)}`;
      return new BigQueryError('backendError', message);
    }
    if (err.kind === 'unsupported' || err.kind === 'too-large') return notRunLocally(err);
    const [reason, message] = OF_ENGINE[err.kind];
    return new BigQueryError(reason, message(err), { cause: err });
  }
}

const OF_ENGINE: Readonly<
  Record<
    Exclude<GoogleSqlErrorKind, 'unsupported' | 'too-large'>,
    readonly [Reason, (err: GoogleSqlError) => string]
  >
> = {
  invalid: ['invalidQuery', ({ message }) => message],
  runtime: ['invalidQuery', ({ message }) => message],
  cancelled: ['stopped', () => 'Job execution was cancelled'],
  engine: ['backendError', ({ message }) => `Local BigQuery: ${message}`],
};

/** One sentence with the reason and the remedy. */
export function notRunLocally(cause: Error): BigQueryError {
  const message = `Not run locally: ${cause.message}; run the query on BigQuery, or rewrite it without this`;
  return new BigQueryError('notRunLocally', message, { cause });
}
