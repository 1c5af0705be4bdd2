// Declares how a table is stored, and where queries find it.

export interface TableDefinition {
  /** Null for a table without partitions; always null with `shards`. */
  partitioning: Partitioning | null;
  /** At most four columns, in the order in which BigQuery sorts by them. */
  clustering: readonly string[];
  /** Whether BigQuery refuses a query without a filter that leaves out partitions. */
  requirePartitionFilter: boolean;
  /** Where an existing table is: `[project.]dataset.table`; of shards the wildcard, such as `analytics_1.events_*`. */
  table?: string;
  /** A table for each day, hour, month or year; only of a table with a dataset in its name. */
  shards?: Shards;
}

/** Partitions by a column of an instant or a day, or by the time at which rows came in, truncated in UTC. */
export interface Partitioning {
  type: 'HOUR' | 'DAY' | 'MONTH' | 'YEAR';
  /** Absent for partitions by time of ingestion, which have the pseudo columns `_PARTITIONTIME` and, by DAY, `_PARTITIONDATE`. */
  field?: string;
  /** Whether partitions are deleted after the retention of the deployment; absent means that they are kept. */
  expires?: boolean;
}

/** The tables `events_20261120`, `events_20261121`, …, which a query reads as `` `analytics_1.events_*` ``. */
export interface Shards {
  /** What their names have before the time: `events_`. */
  prefix: string;
  format: 'YYYY' | 'YYYYMM' | 'YYYYMMDD' | 'YYYYMMDDHH';
}

/** A table by its name, with what of its definition says where it is. */
interface NamedDefinition {
  /** `orders`, or `crm.customers` for a table of another dataset. */
  name: string;
  definition?: Pick<TableDefinition, 'table' | 'shards'>;
}

export interface QueriedTable {
  /** Absent for the project in which queries run. */
  project?: string;
  /** Absent for the dataset of the tables without one in their name. */
  dataset?: string;
  /** Of shards the wildcard, such as `events_*`. */
  table: string;
}

/** Of a table without a dataset in its name the name alone, wherever a deployment has its rows. */
export function queriedTable({ name, definition = {} }: NamedDefinition): QueriedTable {
  const { dataset, table } = nameParts(name);
  if (dataset === undefined) return { table };
  const { project } = definition.table === undefined ? {} : parseTable(definition.table);
  const shown = definition.shards ? `${definition.shards.prefix}*` : table;
  return { ...(project === undefined ? {} : { project }), dataset, table: shown };
}

/** The name by which a query finds the table, whatever the project in which it runs. */
export function queryName(named: NamedDefinition): string {
  const { project, dataset, table } = queriedTable(named);
  return [project ?? [], dataset ?? [], table].flat().join('.');
}

/** `crm.customers` is table `customers` of dataset `crm`. */
export function nameParts(name: string): { dataset?: string; table: string } {
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
