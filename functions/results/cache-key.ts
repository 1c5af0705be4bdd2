// The identity of a result: where its logs are, endpoint, definition and canonical parameters.
import { sha256Hex } from '../core/hashes.ts';
import type { Endpoint } from '../endpoints/endpoint.ts';
import type { CanonicalParameters } from '../endpoints/parameters.ts';

type Definition = Pick<Endpoint, 'id' | 'definitionDigest' | 'parameters'>;

/** The tables that a deployment reads: the same query over others has other rows. */
export interface Scope {
  /** As `dataset` or `project.dataset`. */
  dataset: string;
  location: string;
}

/**
 * The same text for the same result. Id and name of an endpoint share entries; a changed definition
 * never serves rows of the old one, and a deployment never those of another dataset.
 */
export function resultIdentity(
  { dataset, location }: Scope,
  endpoint: Definition,
  parameters: CanonicalParameters,
): string {
  const names = Object.keys(endpoint.parameters).sort();
  return JSON.stringify([
    dataset,
    location,
    endpoint.id,
    endpoint.definitionDigest,
    names.map((name) => [name, parameters[name] ?? '']),
  ]);
}

/** SHA-256 of a `resultIdentity` in hexadecimal: the name of a document. */
export function cacheKeyOf(identity: string): string {
  return sha256Hex(identity);
}

/** Of a result whose identity is not at hand. */
export function cacheKey(
  scope: Scope,
  endpoint: Definition,
  parameters: CanonicalParameters,
): string {
  return cacheKeyOf(resultIdentity(scope, endpoint, parameters));
}
