// The catalogue that the functions serve: a reference that can be replaced while they run.
import { type Catalogue, createAjv, createCatalogue } from './catalogue.ts';
import type { Endpoint } from './endpoint.ts';
import { createParameterRule } from './parameter-rule.ts';

/** An endpoint without what cannot be sent to another process. */
export type EndpointContent = Omit<Endpoint, 'rules'>;

interface ServedCatalogue extends Catalogue {
  /** From the next request on; requests under way go on with the endpoint that they have. */
  replace(endpoints: readonly EndpointContent[]): void;
}

/** Nothing of a deployment calls `replace`: the local service does, when a file of `sql/` has changed. */
export function serveCatalogue(first: Catalogue): ServedCatalogue {
  let current = first;
  return {
    get endpoints() {
      return current.endpoints;
    },
    resolve: (idOrName) => current.resolve(idOrName),
    replace(contents) {
      const ajv = createAjv();
      const withRules = (content: EndpointContent): Endpoint => ({
        ...content,
        rules: new Map(
          Object.entries(content.parameters).map(([name, parameter]) => [
            name,
            createParameterRule(ajv, parameter, () => undefined),
          ]),
        ),
      });
      current = createCatalogue(contents.map(withRules));
    },
  };
}
