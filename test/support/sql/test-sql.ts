// The saved queries for tests, in `test/sql`; those in `sql/` can change independently.
import type { Catalogue } from '../../../functions/endpoints/catalogue.ts';
import type { Endpoint } from '../../../functions/endpoints/endpoint.ts';
import { loadCatalogue } from '../../../scripts/compile/inspect-catalogue.ts';

/** Relative to the project's directory, where Jest and the benchmark run. */
export const TEST_SQL = 'test/sql';

let catalogue: Catalogue | undefined;

/** Loaded once for each test file, because loading takes longer than most tests. Must not be changed. */
export function testCatalogue(): Catalogue {
  catalogue ??= loadCatalogue(TEST_SQL);
  return catalogue;
}

/** The same with other fields of each endpoint. */
export function testCatalogueWith(fields: Partial<Endpoint>): Catalogue {
  const changed = (endpoint: Endpoint): Endpoint => ({ ...endpoint, ...fields });
  const { endpoints, resolve } = testCatalogue();
  return {
    endpoints: endpoints.map(changed),
    resolve(idOrName) {
      const endpoint = resolve(idOrName);
      return endpoint && changed(endpoint);
    },
  };
}
