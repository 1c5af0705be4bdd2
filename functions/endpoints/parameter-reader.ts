// Reads, authorises and checks the parameters of a request, in this order, and caches the outcome by query string.
import { LRUCache } from 'lru-cache';
import { atMost } from '../core/at-most.ts';
import type { Endpoint } from './endpoint.ts';
import {
  type CanonicalParameters,
  type UnknownName,
  checkParameters,
  readRequested,
} from './parameters.ts';

type UnknownParameters = ReturnType<typeof listUnknown>;

/** Throws if the key may not use the values. */
type Authorise = (values: CanonicalParameters, unknown: UnknownParameters) => void;

const NAMES_MAX = 10;
/** Percent-encoded. No declared name is longer. */
const NAME_LENGTH_MAX = 64;
/** An API key has at least 8 characters (keys/authenticate.ts). */
const LOGGED = /^\w{0,7}$/;

/** Bounds on memory; longer query strings are parsed each time. */
const QUERY_STRING_LENGTH_MAX = 512;
const QUERY_STRINGS_MAX = 5000;

/** Authorises before it checks: nobody may cause the expensive check of a pattern with values that the key may not use. */
export function createParameterReader(
  identify: (endpoint: Endpoint, parameters: CanonicalParameters) => string,
) {
  const readings = new LRUCache<string, ReturnType<typeof read>>(atMost(QUERY_STRINGS_MAX));

  return (endpoint: Endpoint, queryString: string, authorise: Authorise) => {
    // A text of its own: part of a request line would keep the whole line in memory.
    const address = `${endpoint.definitionDigest}?${queryString}`;
    const remembered = readings.get(address);
    if (remembered !== undefined) {
      authorise(remembered.parameters, remembered.unknown);
      return remembered;
    }
    const reading = read(endpoint, queryString, authorise);
    if (queryString.length <= QUERY_STRING_LENGTH_MAX) readings.set(address, reading);
    return reading;
  };

  function read(endpoint: Endpoint, queryString: string, authorise: Authorise) {
    const requested = readRequested(endpoint, queryString);
    const unknown = listUnknown(requested.unknown);
    authorise(requested.values, unknown);
    const parameters = checkParameters(endpoint, requested);
    const identity = identify(endpoint, parameters);
    return { parameters, identity, format: requested.format, unknown };
  }
}

/** Bounded texts for the header and for the log; undefined if there are no names. */
function listUnknown(names: readonly UnknownName[]) {
  if (names.length === 0) return undefined;
  // The log has no name that can be an API key. One that is nearly a declared name is none.
  const logged = names.filter(({ name, near }) => near !== undefined || LOGGED.test(name));
  return { header: list(names, names.length), log: list(logged, names.length) };
}

/** Percent-encoded; `+2` stands for two more. */
function list(names: readonly UnknownName[], count: number): string {
  const encoded = names.slice(0, NAMES_MAX).map(({ name }) => encodeURIComponent(name) || '""');
  const shown = encoded.filter(({ length }) => length <= NAME_LENGTH_MAX);
  const more = count - shown.length;
  return [...shown, ...(more === 0 ? [] : [`+${more}`])].join(', ');
}
