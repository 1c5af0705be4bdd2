// The catalogue that the functions serve: a reference that can be replaced while they run.
import { type Catalogue, createCatalogue } from './catalogue.ts';
import type { EndpointContent } from './endpoint.ts';

interface ServedCatalogue extends Catalogue {
  /** From the next request on; requests under way go on with the endpoint that they have. */
  replace(endpoints: readonly EndpointContent[]): void;
}

/** Nothing of a deployment calls `replace`: the local service does, when a file of `sql/` has changed. */
export function serveCatalogue(endpoints: readonly EndpointContent[]): ServedCatalogue {
  let current = createCatalogue(endpoints);
  return {
    get endpoints() {
      return current.endpoints;
    },
    resolve: (idOrName) => current.resolve(idOrName),
    replace(contents) {
      current = createCatalogue(contents);
    },
  };
}
