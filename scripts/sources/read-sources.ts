// Reads the sources: a folder of `sql/sources` for each, with its schema and its table definition.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { faultOfDirectory } from '../cli/options.ts';
import { type DefinitionFault, FaultsError } from '../faults/definition-fault.ts';
import { readJsonDocument } from '../faults/json-document.ts';
import { readColumns } from './read-columns.ts';
import { PLAIN_TABLE, readDefinition } from './read-definition.ts';
import { type TableDefinition, type TableField, nameParts } from '../local-bigquery/index.ts';

/** A table that queries can name, as its folder in sql/sources describes it. */
export interface Source {
  /** The name of the folder, as queries name the table: `orders`, or `crm.customers` for a table of another dataset. */
  name: string;
  fields: readonly TableField[];
  /** The content of table.json, whose fields sql/table.schema.json describes; without that file no partitions. */
  definition: TableDefinition;
}

/** The sources, in alphabetical order. Throws a FaultsError with all faults. */
export async function readSources(directory: string): Promise<Source[]> {
  const { sources, faults } = await inspectSources(directory);
  if (faults.length > 0) throw new FaultsError(faults);
  return sources;
}

/**
 * Reads every folder completely, even if others have faults. Other files in it are ignored. `sources` are those
 * without a fault, in alphabetical order. `faults` are all of all folders, in their order.
 */
export async function inspectSources(directory: string) {
  const items = await readdir(directory, { withFileTypes: true }).catch((error: unknown) => {
    throw new Error(`${faultOfDirectory(directory, error)}.`, { cause: error });
  });
  const folders = items
    .filter((item) => item.isDirectory())
    .map(({ name }) => name)
    .sort();
  const inspected = folders.map((name) => inspectSource(directory, name));
  return {
    sources: inspected.flatMap(({ source }) => source ?? []),
    faults: inspected.flatMap(({ faults }) => faults),
  };
}

const NO_SCHEMA = 'there is no such file; every table needs its columns';

function inspectSource(directory: string, name: string) {
  const folder = join(directory, name);
  const schemaFaults: DefinitionFault[] = [];
  const tableFaults: DefinitionFault[] = [];
  const schema = readJsonDocument(join(folder, 'schema.json'), schemaFaults, NO_SCHEMA);
  const table = readJsonDocument(join(folder, 'table.json'), tableFaults);
  const fields = schema?.value === undefined ? undefined : readColumns(schema, schemaFaults);
  const definition =
    table?.value === undefined ? PLAIN_TABLE : readDefinition(name, table, fields, tableFaults);
  const nameFault = faultOfName(name);
  const ofName = nameFault === undefined ? [] : [{ file: folder, message: nameFault }];
  const faults = [...ofName, ...schemaFaults, ...tableFaults];
  if (fields === undefined || faults.length > 0) return { faults };
  return { source: { name, fields, definition }, faults };
}

// https://cloud.google.com/bigquery/docs/tables#table_naming and …/datasets#dataset-naming.
const DATASET_NAME = /^\w{1,1024}$/;
const TABLE_NAME = /^[\p{L}\p{M}\p{N}\p{Pc}\p{Pd}\p{Zs}]{1,1024}$/u;

/** Why no table can have the name of a folder. */
function faultOfName(name: string): string | undefined {
  const { dataset, table } = nameParts(name);
  if (table.includes('.')) {
    return 'name the folder table or dataset.table; the project belongs in table of table.json';
  }
  if (dataset !== undefined && !DATASET_NAME.test(dataset)) {
    return `BigQuery does not allow the dataset name ${JSON.stringify(dataset)}; use letters, digits and _`;
  }
  if (TABLE_NAME.test(table)) return undefined;
  return `BigQuery does not allow the table name ${JSON.stringify(table)}; use letters, digits and _`;
}
