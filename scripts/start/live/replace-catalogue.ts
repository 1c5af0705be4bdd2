// Preloaded into the functions of the local service: ends them with it, and replaces the catalogue that they serve.
import type { EndpointContent } from '../../../functions/endpoints/endpoint.ts';

/** Answered by a message with the same number, once the catalogue is served. */
export interface ReplaceCatalogue {
  replaceCatalogue: number;
  endpoints: EndpointContent[];
}

// The parent has the other end of this pipe open and never writes; it may be killed.
process.stdin.resume();
process.stdin.on('end', () => process.exit());
process.stdin.on('error', () => process.exit());

process.on('message', ({ replaceCatalogue, endpoints }: ReplaceCatalogue) => {
  // The module that the framework has loaded already: a second import gives the same one.
  void import('../../../functions/index.ts').then(({ catalogue }) => {
    catalogue.replace(endpoints);
    process.send?.({ replaced: replaceCatalogue });
  });
});
