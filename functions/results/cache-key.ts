// Computes the cache key of a result: a hash of dataset, location, endpoint, `resultDigest` and canonical parameters.
import { sha256Hex } from '../core/hashes.ts';
import type { Endpoint } from '../endpoints/endpoint.ts';
import type { CanonicalParameters } from '../endpoints/parameters.ts';

export type Definition = Pick<Endpoint, 'id' | 'resultDigest' | 'parameters'>;

/** Identifies the tables of a deployment: the same query on other tables has other rows. */
export interface Scope {
  /** `dataset` or `project.dataset`. */
  dataset: string;
  location: string;
}

/** The same for the same result, by id and by name. Rows of another query or another dataset are never served. */
export function resultIdentity(
  { dataset, location }: Scope,
  endpoint: Definition,
  parameters: CanonicalParameters,
): string {
  const { id, resultDigest } = endpoint;
  const names = Object.keys(endpoint.parameters).sort();
  const values = names.map((name) => [name, parameters[name] ?? null]);
  return JSON.stringify([dataset, location, id, resultDigest, values]);
}

/** SHA-256 of a `resultIdentity` in hexadecimal: the name of a document. */
export function cacheKeyOf(identity: string): string {
  return sha256Hex(identity);
}

/** The cache key of a result, computed from its parts. */
export function cacheKey(...parts: Parameters<typeof resultIdentity>): string {
  return cacheKeyOf(resultIdentity(...parts));
}
