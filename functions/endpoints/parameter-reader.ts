// Reads, authorises and checks the parameters of a request, in this order, and caches the outcome by query string.
import { LRUCache } from 'lru-cache';
import { atMost } from '../core/at-most.ts';
import type { Endpoint } from './endpoint.ts';
import {
  type CanonicalParameters,
  type CheckValue,
  checkParameters,
  readRequested,
} from './parameters.ts';
import type { Format } from './requested-format.ts';
import { type UnknownParameters, listUnknown } from './unknown-parameters.ts';

/** Throws if the key may not use the values. */
type Authorise = (values: CanonicalParameters, unknown: UnknownParameters | undefined) => void;

export interface ReadParameters {
  parameters: CanonicalParameters;
  /** Identity of the requested result, made by `identify`. */
  identity: string;
  /** The format that the query string asks for, if it does. */
  format: Format | undefined;
  /** What the query string has besides; undefined if nothing. */
  unknown: UnknownParameters | undefined;
}

/** Bounds on memory; longer query strings are parsed each time. */
const QUERY_STRING_LENGTH_MAX = 512;
const QUERY_STRINGS_MAX = 5000;
const REFUSALS_MAX = 1000;
const REFUSALS_MAX_LENGTH = 500_000;

/**
 * Calls `authorise` with the canonical values before it checks them: checking a pattern is expensive, and
 * a caller must not cause it with values that the key may not use. Refused patterns are remembered.
 * Throws like `readRequested` and `checkParameters`.
 */
export function createParameterReader(
  identify: (endpoint: Endpoint, parameters: CanonicalParameters) => string,
) {
  const known = new LRUCache<string, ReadParameters>(atMost(QUERY_STRINGS_MAX));
  const refusals = new LRUCache<string, string>({
    max: REFUSALS_MAX,
    maxSize: REFUSALS_MAX_LENGTH,
    sizeCalculation: (fault, key) => fault.length + key.length,
  });

  return (endpoint: Endpoint, queryString: string, authorise: Authorise): ReadParameters => {
    // A text of its own: part of a request line would keep the whole line in memory.
    const address = `${endpoint.definitionDigest}?${queryString}`;
    const remembered = known.get(address);
    if (remembered !== undefined) {
      authorise(remembered.parameters, remembered.unknown);
      return remembered;
    }
    const requested = readRequested(endpoint, queryString);
    const unknown = listUnknown(requested.unknown);
    authorise(requested.values, unknown);
    const parameters = checkParameters(endpoint, requested, checkOf(endpoint));
    const identity = identify(endpoint, parameters);
    const read = { parameters, identity, format: requested.format, unknown };
    if (queryString.length <= QUERY_STRING_LENGTH_MAX) known.set(address, read);
    return read;
  };

  function checkOf(endpoint: Endpoint): CheckValue {
    return (name, value) => {
      const rule = endpoint.rules.get(name);
      // Only the check of a pattern takes longer than a look-up in memory.
      if (endpoint.parameters[name]?.format !== 're2') return rule?.check(value);
      const key = JSON.stringify([endpoint.definitionDigest, name, value]);
      const remembered = refusals.get(key);
      if (remembered !== undefined) return remembered;
      const fault = rule?.check(value);
      if (fault !== undefined) refusals.set(key, fault);
      return fault;
    };
  }
}
