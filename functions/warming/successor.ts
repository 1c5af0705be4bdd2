// Finds the cache key of a result under a changed definition, so that a deployment starts with the results that callers read.
import type { LiveEntry } from '../core/result-store.ts';
import { isAbsent, textsOf } from '../core/parameter-type.ts';
import type { Endpoint } from '../endpoints/endpoint.ts';
import type { CanonicalParameters } from '../endpoints/parameters.ts';
import { type Definition, type Scope, cacheKey } from '../results/cache-key.ts';

/** Rows are written under the key of the listing, so that key must be the entry's own. */
export function isOf(endpoint: Definition, entry: LiveEntry, scope: Scope): boolean {
  return cacheKey(scope, endpoint, entry.parameters) === entry.cacheKey;
}

/** The same entry as the endpoint reads it now; undefined if it is of other tables, or if its parameters are refused now. */
export function successorOf(entry: LiveEntry, endpoint: Endpoint, scope: Scope) {
  const names = Object.keys(entry.parameters).map((name) => [name, {}]);
  // The query before read the tables behind these views too, or else its results are not found.
  const before = {
    ...endpoint,
    id: entry.endpointId,
    resultDigest: entry.resultDigest,
    parameters: Object.fromEntries(names) as Endpoint['parameters'],
  };
  const parameters = readAgain(entry.parameters, endpoint);
  if (parameters === undefined || !isOf(before, entry, scope)) return undefined;
  const key = cacheKey(scope, endpoint, parameters);
  const isSuccessor = true as const;
  return { ...entry, cacheKey: key, parameters, version: undefined, isSuccessor };
}

/** The values as the rules of the endpoint read them; undefined if it refuses one, or has no such parameter. */
function readAgain(values: CanonicalParameters, { rules }: Endpoint) {
  const isGone = (name: string): boolean => !rules.has(name) && !isAbsent(values[name] ?? null);
  if (Object.keys(values).some(isGone)) return undefined;
  const read: Record<string, CanonicalParameters[string]> = {};
  for (const [name, rule] of rules) {
    const value = values[name] ?? null;
    const { value: present, fault } = rule.read(isAbsent(value) ? undefined : [...textsOf(value)]);
    if (fault !== undefined || rule.check(present) !== undefined) return undefined;
    read[name] = present;
  }
  return read;
}
