// Describes the endpoints that an API key may use, with the values that it may pass.
import { queryPath } from './routes.ts';
import { mayUseEndpoint } from '../keys/access.ts';
import type { EndpointDescription, ParameterDescription } from '../endpoints/description.ts';
import type { Endpoint, ParameterDefinition } from '../endpoints/endpoint.ts';
import type { ApiKey } from '../core/key-store.ts';

/** The endpoints that the key may use, in the given order. */
export function describeEndpoints(
  endpoints: readonly Endpoint[],
  key: Pick<ApiKey, 'endpoints' | 'parameters'>,
): EndpointDescription[] {
  // A map, because a parameter may have the name of an inherited property of objects.
  const restrictions = new Map(Object.entries(key.parameters ?? {}));
  return endpoints
    .filter((endpoint) => isUsable(endpoint, key, restrictions))
    .map((endpoint) => ({
      id: endpoint.id,
      name: endpoint.name,
      description: endpoint.description,
      path: queryPath(endpoint.name),
      parameters: Object.entries(endpoint.parameters).map(([name, parameter]) => {
        const allowed = restrictions.get(name);
        return describeParameter(
          name,
          parameter,
          allowed && possibleValues(endpoint, name, parameter, allowed),
        );
      }),
      row: Object.entries(endpoint.row).map(([name, column]) => ({ name, ...column })),
      maxRows: endpoint.maxRows,
      cachingSeconds: endpoint.cachingSeconds,
      cacheWarmingSeconds: endpoint.cacheWarmingSeconds,
    }));
}

/**
 * False if the key's restrictions refuse every call: one is on a parameter that the endpoint does not
 * have, or allows no valid value of the parameter.
 */
function isUsable(
  endpoint: Endpoint,
  key: Pick<ApiKey, 'endpoints'>,
  restrictions: ReadonlyMap<string, readonly string[]>,
): boolean {
  // A map: as in `authoriseParameters`, an inherited property such as `constructor` is not a parameter.
  const parameters = new Map(Object.entries(endpoint.parameters));
  return (
    mayUseEndpoint(key, endpoint) &&
    [...restrictions].every(([name, allowed]) => {
      const parameter = parameters.get(name);
      if (parameter === undefined) return false;
      return possibleValues(endpoint, name, parameter, allowed).length > 0;
    })
  );
}

/** The allowed values that a call can pass: those that are valid and canonical. */
function possibleValues(
  endpoint: Endpoint,
  name: string,
  { required, enum: listed }: ParameterDefinition,
  allowed: readonly string[],
): string[] {
  return allowed.filter((value) => {
    if (value === '') return !required;
    const isListed = listed?.includes(value) ?? true;
    return isListed && endpoint.validators.get(name)?.(value) === undefined;
  });
}

function describeParameter(
  name: string,
  { otherwise: _, ...parameter }: ParameterDefinition,
  allowed: string[] | undefined,
): ParameterDescription {
  if (allowed === undefined) return { name, ...parameter };
  // The example of the definition may be a value that this key may not use.
  const { example } = parameter;
  const ownExample = allowed.includes(example) ? example : (allowed[0] ?? example);
  return { name, ...parameter, example: ownExample, allowedValues: allowed };
}
