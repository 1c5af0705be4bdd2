// What a key's owner is told of the endpoints: the definitions, without what only the service needs.
import { mayUseEndpoint } from './access.ts';
import type { ColumnDefinition, EndpointDefinition, ParameterDefinition } from './endpoint.ts';
import type { ApiKey } from './ports.ts';

/** A parameter as `endpoint.json` declares it, with its name. */
export interface ParameterDescription extends Omit<ParameterDefinition, 'otherwise'> {
  name: string;
  /** The only values that this key may ask for; absent where it may ask for any. */
  allowedValues?: string[];
}

export interface ColumnDescription extends ColumnDefinition {
  name: string;
}

/** One endpoint of `GET /api/endpoints`; parameters and columns are in the order of the definition. */
export interface EndpointDescription {
  id: string;
  name: string;
  description: string;
  /** The path of its rows, relative to the service. */
  path: string;
  parameters: ParameterDescription[];
  row: ColumnDescription[];
  maxRows: number;
  cachingSeconds: number;
  cacheWarmingSeconds: number;
}

/** The endpoints that the key may use, in the given order. */
export function describeEndpoints(
  endpoints: readonly EndpointDefinition[],
  key: Pick<ApiKey, 'endpoints' | 'parameters'>,
): EndpointDescription[] {
  return endpoints
    .filter((endpoint) => isUsable(endpoint, key))
    .map((endpoint) => ({
      id: endpoint.id,
      name: endpoint.name,
      description: endpoint.description,
      path: `/api/endpoints/query/${endpoint.name}`,
      parameters: Object.entries(endpoint.parameters).map(([name, parameter]) =>
        describeParameter(name, parameter, key.parameters?.[name]),
      ),
      row: Object.entries(endpoint.row).map(([name, column]) => ({ name, ...column })),
      maxRows: endpoint.maxRows,
      cachingSeconds: endpoint.cachingSeconds,
      cacheWarmingSeconds: endpoint.cacheWarmingSeconds,
    }));
}

/** A restriction on a parameter that the endpoint does not have refuses every call of it. */
function isUsable(
  endpoint: EndpointDefinition,
  key: Pick<ApiKey, 'endpoints' | 'parameters'>,
): boolean {
  return (
    mayUseEndpoint(key, endpoint) &&
    Object.keys(key.parameters ?? {}).every((name) => Object.hasOwn(endpoint.parameters, name))
  );
}

function describeParameter(
  name: string,
  { otherwise: _, ...parameter }: ParameterDefinition,
  allowed: string[] | undefined,
): ParameterDescription {
  if (allowed === undefined) return { name, ...parameter };
  // Somebody else's project is no example for this key.
  const { example } = parameter;
  const ownExample = allowed.includes(example) ? example : (allowed[0] ?? example);
  return { name, ...parameter, example: ownExample, allowedValues: allowed };
}
