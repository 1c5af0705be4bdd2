// Reads the parameters of a query string as a request does, for a key that may ask for everything.
import type { Endpoint } from '../../../functions/endpoints/endpoint.ts';
import {
  type CanonicalParameters,
  checkParameters,
  readRequested,
} from '../../../functions/endpoints/parameters.ts';

export function parseParameters(endpoint: Endpoint, queryString: string): CanonicalParameters {
  return checkParameters(endpoint, readRequested(endpoint, queryString));
}
