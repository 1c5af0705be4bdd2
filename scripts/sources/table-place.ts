// Tells where the table of a source is in BigQuery, and whether a deployment makes it.
import type { TableDefinition } from './source.ts';

export interface TablePlace {
  /** Absent for the project in which queries run. */
  project?: string;
  /** Absent for the dataset of the deployment. */
  dataset?: string;
  /** Of shards the wildcard, such as `events_*`. */
  table: string;
  /**
   * `made`: the deployment makes a table of this name in its dataset. `view`: it makes a view of this name in its
   * dataset, of the table in this place. `granted`: queries name the table itself, which is there already.
   */
  access: 'made' | 'view' | 'granted';
}

/** A source, or what of it decides the place. */
interface PlacedTable {
  name: string;
  definition: Pick<TableDefinition, 'table' | 'shards'>;
}

/** Of a source without a fault. What a deployment says of a source without a dataset in its name goes before this. */
export function tablePlace({ name, definition }: PlacedTable): TablePlace {
  const { dataset, table } = sourceName(name);
  const existing = definition.table === undefined ? undefined : parseTable(definition.table);
  if (dataset === undefined) {
    return existing ? { ...existing, access: 'view' } : { table, access: 'made' };
  }
  const shown = definition.shards ? `${definition.shards.prefix}*` : table;
  const project = existing?.project === undefined ? {} : { project: existing.project };
  return { ...project, dataset, table: shown, access: 'granted' };
}

/** The name by which a query finds the table, whatever the project in which it runs. */
export function queryName(source: PlacedTable): string {
  const { project, dataset, table, access } = tablePlace(source);
  return access === 'granted' ? [project ?? [], dataset, table].flat().join('.') : source.name;
}

/** The parts of the name of a source: `crm.customers` is table `customers` of dataset `crm`. */
export function sourceName(name: string): { dataset?: string; table: string } {
  const dot = name.indexOf('.');
  return dot === -1 ? { table: name } : { dataset: name.slice(0, dot), table: name.slice(dot + 1) };
}

/** The parts of `project.dataset.table` or `dataset.table`; a project may have a domain: `example.com:reports`. */
export function parseTable(text: string): { project?: string; dataset: string; table: string } {
  const [table = '', dataset = '', ...project] = text.split('.').reverse();
  return project.length === 0
    ? { dataset, table }
    : { project: project.reverse().join('.'), dataset, table };
}
