// Canonical parameters of a query string, read once for each that a dashboard sends again and again.
import { LRUCache } from 'lru-cache';
import { type Scope, resultIdentity } from './core/cache-key.ts';
import type { Endpoint } from './core/endpoint.ts';
import { type CanonicalParameters, parseParameters } from './core/parameters.ts';

export interface ReadParameters {
  parameters: CanonicalParameters;
  /** Of the result that is asked for: see `resultIdentity`. */
  identity: string;
}

/** Bounds the memory: what is longer, or beyond these many, is read each time. */
const QUERY_STRING_LENGTH_MAX = 512;
const QUERY_STRINGS_MAX = 2000;

/** Throws as `parseParameters` throws; faults are not remembered. */
export function createParameterReader(
  scope: Scope,
): (endpoint: Endpoint, queryString: string) => ReadParameters {
  const known = new WeakMap<Endpoint, LRUCache<string, ReadParameters>>();

  return (endpoint, queryString) => {
    let ofEndpoint = known.get(endpoint);
    if (ofEndpoint === undefined) {
      ofEndpoint = new LRUCache({ max: QUERY_STRINGS_MAX });
      known.set(endpoint, ofEndpoint);
    }
    const remembered = ofEndpoint.get(queryString);
    if (remembered !== undefined) return remembered;
    const parameters = parseParameters(endpoint, queryString);
    const read = { parameters, identity: resultIdentity(scope, endpoint, parameters) };
    if (queryString.length <= QUERY_STRING_LENGTH_MAX) ofEndpoint.set(queryString, read);
    return read;
  };
}
