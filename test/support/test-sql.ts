// The saved queries that the tests run on: the endpoints under `sql/` may change without them.
import { type Catalogue, loadCatalogue } from '../../functions/endpoints/catalogue.ts';

/** With endpoints/, routines/ and sources/; relative to the project, where Jest runs. */
export const TEST_SQL = 'test/sql';

let catalogue: Catalogue | undefined;

/** Loaded once for each test file: that takes longer than many a test. Nobody may change it. */
export function testCatalogue(): Catalogue {
  catalogue ??= loadCatalogue(TEST_SQL);
  return catalogue;
}
