// Errors with the shape and the reasons of BigQuery's REST API.
import { InvalidValueError } from '../values/engine-values.ts';
import reasons from './reasons.json' with { type: 'json' };
import { GoogleSqlError, type GoogleSqlErrorKind } from '../engine/error.ts';

/**
 * By the reasons of https://cloud.google.com/bigquery/docs/error-messages; `status` is the canonical code. BigQuery has no
 * `notRunLocally`: it can run the query, and the local BigQuery cannot.
 */
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
    if (err instanceof InvalidValueError) {
      return new BigQueryError('invalid', err.message, { cause: err });
    }
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
