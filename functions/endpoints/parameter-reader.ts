// Canonical parameters of a query string, read once for each that a dashboard sends again and again.
import { LRUCache } from 'lru-cache';
import type { Endpoint } from './endpoint.ts';
import {
  type CanonicalParameters,
  checkParameters,
  readRequested,
  type ValidateValue,
} from './parameters.ts';

export interface ReadParameters {
  parameters: CanonicalParameters;
  /** Of the result that is asked for, as `identify` gives it. */
  identity: string;
}

/** Bounds the memory: what is longer, or beyond these many, is read each time. */
const QUERY_STRING_LENGTH_MAX = 512;
const QUERY_STRINGS_MAX = 5000;
const REFUSALS_MAX = 1000;
const REFUSALS_MAX_LENGTH = 500_000;

/**
 * `authorise` is asked of the canonical values before any of them is checked, since to check a
 * pattern is work that a caller must not cause with values that he may not ask for anyway; it throws
 * where he may not. Else it throws as `parseParameters` throws. Refused patterns are remembered.
 */
export function createParameterReader(
  identify: (endpoint: Endpoint, parameters: CanonicalParameters) => string,
): (
  endpoint: Endpoint,
  queryString: string,
  authorise: (values: CanonicalParameters) => void,
) => ReadParameters {
  const known = new LRUCache<string, ReadParameters>({ max: QUERY_STRINGS_MAX });
  const refusals = new LRUCache<string, string>({
    max: REFUSALS_MAX,
    maxSize: REFUSALS_MAX_LENGTH,
    sizeCalculation: (fault, key) => fault.length + key.length,
  });

  return (endpoint, queryString, authorise) => {
    // A text of its own: part of a request line would keep the whole line in memory.
    const address = `${endpoint.definitionDigest}?${queryString}`;
    const remembered = known.get(address);
    if (remembered !== undefined) {
      authorise(remembered.parameters);
      return remembered;
    }
    const requested = readRequested(endpoint, queryString);
    authorise(requested.values);
    const parameters = checkParameters(endpoint, requested, validatorOf(endpoint));
    const read = { parameters, identity: identify(endpoint, parameters) };
    if (queryString.length <= QUERY_STRING_LENGTH_MAX) known.set(address, read);
    return read;
  };

  function validatorOf(endpoint: Endpoint): ValidateValue {
    return (name, value) => {
      const validate = endpoint.validators.get(name);
      // Only of a pattern is the check more work than the memory.
      if (endpoint.parameters[name]?.format !== 're2') return validate?.(value);
      const key = `${endpoint.definitionDigest} ${name} ${value}`;
      const remembered = refusals.get(key);
      if (remembered !== undefined) return remembered;
      const fault = validate?.(value);
      if (fault !== undefined) refusals.set(key, fault);
      return fault;
    };
  }
}
