// Declares two errors of a query: it fails on the data it reads, or its result is too large.
import { ServiceError } from './errors.ts';

/** BigQuery's error for a query that fails on the data, such as a division by zero. */
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
