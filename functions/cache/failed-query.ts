// Decides what a caller is told of a query that failed while it ran: that its values may be the cause, if BigQuery says so.
import { ServiceError } from '../core/errors.ts';
import { isAbsent } from '../core/parameter-type.ts';
import { QueryDataError, isTextOf } from '../core/query-runner.ts';
import type { Endpoint } from '../endpoints/endpoint.ts';
import { type CanonicalParameters, valuesIn } from '../endpoints/parameters.ts';

/**
 * INVALID_PARAMETERS with the names of the parameters that the call sent; the error itself if it is about something else, or
 * if the call sent none. BigQuery's message is not for callers, because it may quote a row.
 */
export function asToldToCaller(
  error: unknown,
  endpoint: Endpoint,
  parameters: CanonicalParameters,
): unknown {
  if (!(error instanceof QueryDataError)) return error;
  const { message: text } = error;
  const isOwn = isTextOf(endpoint.sql, text);
  const defaults = valuesIn(endpoint, 'default');
  const isSent = (name: string): boolean => {
    const value = parameters[name] ?? null;
    return !isAbsent(value) && JSON.stringify(value) !== JSON.stringify(defaults[name]);
  };
  const sent = [...endpoint.rules.keys()].filter(isSent).join(', ');
  if (sent === '' || !(isOwn || error.isOfValues)) return error;
  const message = isOwn
    ? `The query refuses this call, which sent ${sent}: ${text.replace(/\.$/, '')}.`
    : `The query fails on a value. This call sent ${sent}: change these values, or add a parameter that is missing. If it fails with all values, a row of the tables is the cause.`;
  return new ServiceError('INVALID_PARAMETERS', message, { cause: error });
}
