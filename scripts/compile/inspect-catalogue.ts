// Inspects `sql/`: the endpoints that are ready to serve, and all faults of the others.
import { join } from 'node:path';
import { isObject } from '../../functions/core/json.ts';
import {
  type Catalogue,
  createCatalogue,
  COMPILER_VERSION,
} from '../../functions/endpoints/catalogue.ts';
import type { CatalogueFault } from '../faults/definition-fault.ts';
import { locatedError, readItems, readJsonDocument } from '../faults/json-document.ts';
import { schemaCheck } from '../faults/schema-error.ts';
import { type InspectedEndpoint, inspectEndpoint } from './inspect-endpoint.ts';
import { readRoutines } from './routines.ts';
import { readTablePlaces } from './table-places.ts';

/** Throws one Error with all faults; a catalogue with a fault is not served. */
export function loadCatalogue(sqlDirectory: string): Catalogue {
  const { endpoints, faults } = inspectCatalogue(sqlDirectory);
  const all = [...faults, ...endpoints.flatMap((inspected) => inspected.faults)];
  if (all.length > 0) throw locatedError(all);
  return createCatalogue(endpoints.flatMap(({ endpoint }) => endpoint ?? []));
}

/** The content of the file that the functions read at their start: the same definitions give the same text. */
export function compileCatalogue({ endpoints }: Pick<Catalogue, 'endpoints'>): string {
  const contents = endpoints.map(({ rules: _, ...content }) => content);
  return `${JSON.stringify({ version: COMPILER_VERSION, endpoints: contents })}\n`;
}

/**
 * Inspects every folder completely, even if others have faults: `endpoints` has one for each, in alphabetical
 * order, `faults` those outside of endpoints' folders. Of two endpoints with the same id the one in
 * `served` keeps it, else the first in the order of the names.
 */
export function inspectCatalogue(sqlDirectory: string, served: readonly string[] = []) {
  const directory = join(sqlDirectory, 'endpoints');
  const schemaFile = join(sqlDirectory, 'endpoint.schema.json');
  const faults: CatalogueFault[] = [];
  const schema = readJsonDocument(schemaFile, faults, 'cannot be read: no such file')?.value;
  const folders = readItems(directory, faults)
    .filter((item) => item.isDirectory())
    .map(({ name }) => name);
  if (folders.length === 0 && faults.length === 0) {
    faults.push({ file: directory, message: 'contains no endpoint' });
  }
  if (!isObject(schema)) return { endpoints: [], faults };
  const check = schemaCheck(schema, 'endpoint.json');
  const routines = readRoutines(join(sqlDirectory, 'routines'));
  const places = readTablePlaces(join(sqlDirectory, 'sources'));
  const endpoints = folders.map((folder) =>
    inspectEndpoint(join(directory, folder), check, routines, places),
  );
  const isServed = ({ folder }: InspectedEndpoint): number => (served.includes(folder) ? 0 : 1);
  refuseSharedIds(endpoints.toSorted((a, b) => isServed(a) - isServed(b)));
  return { endpoints, faults: [...faults, ...routines.faults] };
}

function refuseSharedIds(endpoints: readonly InspectedEndpoint[]): void {
  const owners = new Map<string, string>();
  for (const inspected of endpoints) {
    const { folder, definitionFile: file, id } = inspected;
    const owner = id === undefined ? undefined : owners.get(id);
    if (id !== undefined && owner === undefined) owners.set(id, folder);
    if (owner === undefined) continue;
    inspected.endpoint = undefined;
    inspected.faults.push({ file, message: `id is already used by ${owner}`, pointer: '/id' });
  }
}
