// Compiles `sql/` into the file that the functions read at their start.
import type { Catalogue } from '../../functions/endpoints/catalogue.ts';
import { COMPILER_VERSION } from '../../functions/endpoints/compiled-catalogue.ts';

/** The content of the file: the same definitions give the same text. */
export function compileCatalogue({ endpoints }: Pick<Catalogue, 'endpoints'>): string {
  const contents = endpoints.map(({ rules: _, ...content }) => content);
  return `${JSON.stringify({ version: COMPILER_VERSION, endpoints: contents })}\n`;
}
