// The endpoints that the functions serve, found by id or name.
import type { Endpoint, EndpointContent } from './endpoint.ts';
import { createParameterRule } from './parameter-rule.ts';

export interface Catalogue {
  /** In the order of their names. */
  endpoints: readonly Endpoint[];
  /** By id in any letter case, or by name. */
  resolve(idOrName: string): Endpoint | undefined;
}

/** The endpoints are in the order of their names, which differ, and so do their ids. */
export function createCatalogue(contents: readonly EndpointContent[]): Catalogue {
  const endpoints = contents.map(toEndpoint);
  const addresses = new Map(
    endpoints.flatMap((endpoint) => [
      [endpoint.id, endpoint],
      [endpoint.name, endpoint],
    ]),
  );
  return {
    endpoints,
    resolve(idOrName) {
      // Names are lower case, so only an id is found under its lower-case spelling.
      const endpoint = addresses.get(idOrName) ?? addresses.get(idOrName.toLowerCase());
      return endpoint?.name === idOrName || endpoint?.id === idOrName.toLowerCase()
        ? endpoint
        : undefined;
    },
  };
}

export function toEndpoint(content: EndpointContent): Endpoint {
  const rules = Object.entries(content.parameters).map(
    ([name, parameter]) => [name, createParameterRule(parameter, content.patterns[name])] as const,
  );
  return { ...content, rules: new Map(rules) };
}
