// Compiles the catalogue, with the checks of `npm run check` except the tests.
import { join } from 'node:path';
import { type Catalogue, createCatalogue } from '../../functions/endpoints/catalogue.ts';
import { inspectCatalogue } from '../compile/inspect-catalogue.ts';
import { locatedError } from '../faults/json-document.ts';
import type { GoogleSql } from '../local-bigquery/index.ts';
import { inspectSources } from '../sources/read-sources.ts';
import { type CheckedEndpoint, checkEndpoint } from './check-endpoint.ts';

/** Throws one Error with all faults. */
export async function checkCatalogue(engine: GoogleSql, sqlDirectory: string): Promise<Catalogue> {
  const { endpoints, faults } = inspectCatalogue(sqlDirectory);
  const inspected = inspectSources(join(sqlDirectory, 'sources'));
  // Queries may read no table.
  const { sources } = await inspected.catch(() => ({ sources: [] }));
  const checked: CheckedEndpoint[] = [];
  for (const each of endpoints) checked.push(await checkEndpoint(engine, sources, each));
  const all = [...faults, ...checked.flatMap((each) => each.faults)];
  if (all.length > 0) throw locatedError(all);
  return createCatalogue(checked.flatMap(({ endpoint }) => endpoint ?? []));
}
