// Describes the endpoints that an API key may use, with the values that it may pass.
import { queryPath } from './routes.ts';
import { isAbsent } from '../core/parameter-type.ts';
import { mayUseEndpoint } from '../keys/access.ts';
import type {
  EndpointCost,
  EndpointDescription,
  ParameterDescription,
} from '../endpoints/description.ts';
import type { Endpoint } from '../endpoints/endpoint.ts';
import type { ParameterDefinition, ParameterRule } from '../endpoints/parameter-rule.ts';
import type { ApiKey } from '../core/key-store.ts';

type Rights = Pick<ApiKey, 'endpoints' | 'parameters'>;

export function describeEndpoints(
  endpoints: readonly Endpoint[],
  key: Rights,
  costOf?: (endpoint: Endpoint) => EndpointCost,
) {
  // A map, because a parameter may have the name of an inherited property of objects.
  const restrictions = new Map(Object.entries(key.parameters ?? {}));
  // A restriction refuses every call if the endpoint lacks its parameter, or if it allows no valid value.
  const isUsable = (endpoint: Endpoint): boolean =>
    mayUseEndpoint(key, endpoint) &&
    [...restrictions].every(([name, allowed]) => {
      const rule = endpoint.rules.get(name);
      return rule !== undefined && possibleValues(rule, allowed).length > 0;
    });
  return endpoints.filter(isUsable).map((endpoint): EndpointDescription => ({
    id: endpoint.id,
    name: endpoint.name,
    description: endpoint.description,
    path: queryPath(endpoint.name),
    parameters: Object.entries(endpoint.parameters).map(([name, parameter]) => {
      const [rule, allowed] = [endpoint.rules.get(name), restrictions.get(name)];
      return describeParameter(name, parameter, allowed && rule && possibleValues(rule, allowed));
    }),
    row: Object.entries(endpoint.row).map(([name, column]) => ({ name, ...column })),
    ...(endpoint.bucket && { bucket: endpoint.bucket }),
    maxRows: endpoint.maxRows,
    cachingSeconds: endpoint.cachingSeconds,
    cacheWarmingSeconds: endpoint.cacheWarmingSeconds,
    ...(costOf && { cost: costOf(endpoint) }),
  }));
}

/** The allowed values that a call can pass, in canonical spelling. */
function possibleValues(rule: ParameterRule, allowed: readonly string[]): string[] {
  // Whether an empty value means an absent one, and not the default, and the parameter may be absent.
  const { value } = rule.read(['']);
  const mayBeAbsent = isAbsent(value) && rule.check(value) === undefined;
  const possible = allowed.flatMap((text) => {
    if (text === '') return mayBeAbsent ? [''] : [];
    const canonical = rule.canonical(text);
    return canonical === undefined || rule.checkElement(canonical) !== undefined ? [] : [canonical];
  });
  return [...new Set(possible)];
}

function describeParameter(
  name: string,
  definition: ParameterDefinition,
  allowed: string[] | undefined,
): ParameterDescription {
  const parameter = { name, ...definition, type: definition.type ?? 'STRING' };
  if (allowed === undefined) return parameter;
  // The example of the definition may be a value that this key may not use.
  const [first = ''] = allowed.filter((text) => text !== '');
  const own = (text: string): string => (allowed.includes(text) ? text : first);
  const { example } = parameter;
  const isList = typeof example !== 'string' && first !== '';
  return {
    ...parameter,
    // For an ARRAY, as many values as in the definition, because their number can be bounded.
    example: isList ? example.map(own) : own(String(example)),
    allowedValues: allowed,
  };
}
