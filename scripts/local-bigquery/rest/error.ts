// Errors with the shape and the reasons of BigQuery's REST API.
import { InvalidValueError } from '../values/engine-values.ts';
import reasons from './reasons.json' with { type: 'json' };
import { GoogleSqlError } from '../engine/error.ts';

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
    if (err instanceof InvalidValueError) return new BigQueryError('invalid', err.message);
    const { kind, message } = GoogleSqlError.from(err);
    const options = { cause: err };
    switch (kind) {
      case 'invalid':
      case 'runtime':
        return new BigQueryError('invalidQuery', message, options);
      case 'unsupported':
      case 'too-large':
        return notRunLocally(new Error(message));
      case 'cancelled':
        return new BigQueryError('stopped', 'Job execution was cancelled', options);
      case 'engine':
        return new BigQueryError('backendError', `Local BigQuery: ${message}`, options);
    }
  }
}

/** One sentence with the reason and the remedy. */
export function notRunLocally(cause: Error): BigQueryError {
  const message = `Not run locally: ${cause.message}; run the query on BigQuery, or rewrite it without this`;
  return new BigQueryError('notRunLocally', message, { cause });
}
