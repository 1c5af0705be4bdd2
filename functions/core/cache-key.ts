// The identity of a result: endpoint, definition and canonical parameters.
import { createHash } from 'node:crypto';
import type { Endpoint } from './endpoint.ts';
import type { CanonicalParameters } from './parameters.ts';

/**
 * SHA-256 in hexadecimal. Id and name of an endpoint share entries; a changed definition never
 * serves rows of the old one.
 */
export function cacheKey(
  endpoint: Pick<Endpoint, 'id' | 'definitionDigest' | 'parameters'>,
  parameters: CanonicalParameters,
): string {
  const names = Object.keys(endpoint.parameters).sort();
  return sha256Hex(
    JSON.stringify([
      endpoint.id,
      endpoint.definitionDigest,
      names.map((name) => [name, parameters[name] ?? '']),
    ]),
  );
}

export function sha256Hex(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
