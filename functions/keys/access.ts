// Decides whether an API key is valid, and which endpoints and parameter values it may use.
import type { EndpointDefinition } from '../endpoints/endpoint.ts';
import { ServiceError } from '../core/errors.ts';
import type { CanonicalParameters } from '../endpoints/parameters.ts';
import type { ApiKey } from '../core/key-store.ts';

/** False once the key is revoked or expired. */
export function isValidKey(key: ApiKey, nowMs: number): boolean {
  const endMs = Math.min(key.revokedAtMs ?? Infinity, key.expiresAtMs ?? Infinity);
  return nowMs < endMs;
}

/** Whether the key may use the endpoint at all. */
export function mayUseEndpoint(
  key: Pick<ApiKey, 'endpoints'>,
  endpoint: EndpointDefinition,
): boolean {
  return key.endpoints.includes('*') || key.endpoints.includes(endpoint.name);
}

/**
 * Throws PARAMETER_NOT_ALLOWED unless every restricted parameter has one of its allowed values.
 * Values are compared literally: a pattern that matches an allowed value is not allowed. The parameters
 * are in canonical spelling and may be invalid.
 */
export function authoriseParameters(
  key: ApiKey,
  endpoint: EndpointDefinition,
  parameters: CanonicalParameters,
): void {
  for (const [name, allowed] of Object.entries(key.parameters ?? {})) {
    // A restriction that the endpoint cannot apply, such as a misspelt one, gives no access.
    const isApplicable = Object.hasOwn(endpoint.parameters, name);
    if (!isApplicable || !allowed.includes(parameters[name] ?? '')) {
      throw new ServiceError(
        'PARAMETER_NOT_ALLOWED',
        `This API key may not use this value of the parameter ${name}.`,
      );
    }
  }
}
