// Loads `sql/`: the endpoints that are ready to serve, and everything that is wrong with the others.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import ajvFormats from 'ajv-formats';
import { errorMessage } from '../core/describe-error.ts';
import { type CatalogueFault, DefinitionError } from './catalogue-fault.ts';
import type { Endpoint, EndpointDefinition } from './endpoint.ts';
import { type InspectedEndpoint, inspectEndpoint } from './inspect-endpoint.ts';
import { readTextFile } from './read-text-file.ts';
import { readRoutines } from './routines.ts';
import { readTablePlaces } from './table-places.ts';

export interface Catalogue {
  /** In the order of their names. */
  endpoints: readonly Endpoint[];
  /** By id in any letter case, or by name. */
  resolve(idOrName: string): Endpoint | undefined;
}

interface InspectedCatalogue {
  /** One for each folder, in alphabetical order. */
  endpoints: InspectedEndpoint[];
  /** Faults that are in no endpoint's folder. */
  faults: CatalogueFault[];
}

/** Throws DefinitionError with all faults; a catalogue with a fault is not served. */
export function loadCatalogue(sqlDirectory: string): Catalogue {
  const { endpoints, faults } = inspectCatalogue(sqlDirectory);
  const all = [...faults, ...endpoints.flatMap((inspected) => inspected.faults)];
  if (all.length > 0) throw new DefinitionError(all);
  return createCatalogue(endpoints.flatMap(({ endpoint }) => endpoint ?? []));
}

/**
 * Inspects every folder to its end, whatever is wrong with the others. Of two endpoints with one id the one in
 * `served` keeps it, else the first in the order of the names.
 */
export function inspectCatalogue(
  sqlDirectory: string,
  served: readonly string[] = [],
): InspectedCatalogue {
  const directory = join(sqlDirectory, 'endpoints');
  const schemaFile = join(sqlDirectory, 'endpoint.schema.json');
  const faults: CatalogueFault[] = [];
  const schema = readSchema(schemaFile, faults);
  const folders = subdirectories(directory, faults);
  if (folders.length === 0 && faults.length === 0) {
    faults.push({ file: directory, message: 'holds no endpoint' });
  }
  if (schema === undefined) return { endpoints: [], faults };
  const ajv = createAjv();
  const validate = ajv.compile<EndpointDefinition>(schema);
  const routines = readRoutines(join(sqlDirectory, 'routines'));
  const places = readTablePlaces(join(sqlDirectory, 'sources'));
  const endpoints = folders.map((folder) =>
    inspectEndpoint({ ajv, schema, validate, routines, places }, join(directory, folder)),
  );
  const isServed = ({ folder }: InspectedEndpoint): number => (served.includes(folder) ? 0 : 1);
  refuseSharedIds(
    endpoints.toSorted((a, b) => isServed(a) - isServed(b)),
    directory,
  );
  return { endpoints, faults: [...faults, ...routines.faults] };
}

/** The endpoints are in the order of their names, which differ, and so do their ids. */
export function createCatalogue(endpoints: readonly Endpoint[]): Catalogue {
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

/** For the definitions and the values of their parameters. */
export function createAjv(): Ajv {
  const ajv = new Ajv({
    allErrors: true,
    strict: true,
    allowUnionTypes: true,
    // endpoint.schema.json is tested and allows no bad keywords in an endpoint.json. Checking all schemas
    // at each cold start would take longer than compiling them.
    validateSchema: false,
  });
  ajvFormats.default(ajv);
  return ajv;
}

/** The first of two endpoints with one id keeps it. */
function refuseSharedIds(endpoints: readonly InspectedEndpoint[], directory: string): void {
  const owners = new Map<string, string>();
  for (const inspected of endpoints) {
    const { folder, id } = inspected;
    const owner = id === undefined ? undefined : owners.get(id);
    if (id !== undefined && owner === undefined) owners.set(id, folder);
    if (owner === undefined) continue;
    inspected.endpoint = undefined;
    inspected.faults.push({
      file: join(directory, folder, 'endpoint.json'),
      message: `id is already used by ${owner}`,
      pointer: '/id',
    });
  }
}

function readSchema(file: string, faults: CatalogueFault[]): object | undefined {
  try {
    return JSON.parse(readTextFile(file)) as object;
  } catch (error) {
    faults.push({ file, message: `cannot be read: ${errorMessage(error)}` });
    return undefined;
  }
}

function subdirectories(directory: string, faults: CatalogueFault[]): string[] {
  try {
    return readdirSync(directory, { withFileTypes: true })
      .filter((item) => item.isDirectory())
      .map((item) => item.name)
      .sort();
  } catch {
    faults.push({ file: directory, message: 'cannot be read' });
    return [];
  }
}
