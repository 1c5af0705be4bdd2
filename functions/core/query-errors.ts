// Errors of a query that more than one room has to know.
import { ServiceError } from './errors.ts';

/** BigQuery's refusal of a query for the data that it met, as by a division by zero. */
export class QueryDataError extends Error {
  override readonly name = 'QueryDataError';
}

/** A result that is over MAX_RESULT_MIB, or over BigQuery's own limit. */
export function resultTooLarge(cause?: unknown): ServiceError {
  return new ServiceError(
    'RESULT_BYTES_LIMIT',
    'The result is larger than the service allows. Ask for a shorter interval.',
    { cause },
  );
}

/** What a caller is told: there will be another instance. */
export function instanceStopping(): ServiceError {
  const message = 'This instance is being stopped. Try again: another one will answer.';
  return new ServiceError('INSTANCE_STOPPING', message, { retryAfterSeconds: 1 });
}
