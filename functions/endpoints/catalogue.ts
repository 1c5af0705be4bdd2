// The endpoints that the functions serve, found by id or name.
import type { Endpoint, EndpointContent } from './endpoint.ts';
import { createParameterRule } from './parameter-rule.ts';

export interface Catalogue {
  /** In the order of their names. */
  readonly endpoints: readonly Endpoint[];
  /** By id in any letter case, or by name. */
  resolve(idOrName: string): Endpoint | undefined;
}

interface ReplaceableCatalogue extends Catalogue {
  /**
   * From the next request on; requests under way go on with the endpoint that they have. Nothing of a deployment calls
   * it: the local service does, when a file of `sql/` has changed.
   */
  replace(contents: readonly EndpointContent[]): void;
}

/** The endpoints are in the order of their names, which differ, and so do their ids. */
export function createCatalogue(contents: readonly EndpointContent[]): ReplaceableCatalogue {
  let endpoints: readonly Endpoint[] = [];
  let addresses: ReadonlyMap<string, Endpoint> = new Map();
  replace(contents);

  return {
    get endpoints() {
      return endpoints;
    },
    resolve(idOrName) {
      // Names are lower case, so only an id is found under its lower-case spelling.
      const endpoint = addresses.get(idOrName) ?? addresses.get(idOrName.toLowerCase());
      return endpoint?.name === idOrName || endpoint?.id === idOrName.toLowerCase()
        ? endpoint
        : undefined;
    },
    replace,
  };

  function replace(replacing: readonly EndpointContent[]): void {
    endpoints = replacing.map(toEndpoint);
    addresses = new Map(
      endpoints.flatMap((endpoint) => [
        [endpoint.id, endpoint],
        [endpoint.name, endpoint],
      ]),
    );
  }
}

export function toEndpoint(content: EndpointContent): Endpoint {
  const rules = Object.entries(content.parameters).map(
    ([name, parameter]) => [name, createParameterRule(parameter, content.patterns[name])] as const,
  );
  return { ...content, rules: new Map(rules) };
}
