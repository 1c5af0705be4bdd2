// Declares how a table is stored, where queries find it, and its pseudo columns.
import type { TableField } from './table-schema.ts';
import { type DatePart, periodOf, startOf } from './date-parts.ts';

export interface TableDefinition {
  /** Null for a table without partitions; always null with `shards`. */
  partitioning: Partitioning | null;
  /** At most four columns, in the order in which BigQuery sorts by them. */
  clustering: readonly string[];
  /** Whether BigQuery refuses a query without a filter that leaves out partitions. */
  requirePartitionFilter: boolean;
  /** Where an existing table is: `[project.]dataset.table`; for shards, the wildcard, such as `analytics_1.events_*`. */
  table?: string;
  /** Of a view of that table: the places there of columns that it does not have by these names. */
  columns?: Readonly<Record<string, string>>;
  /** A table for each day, hour, month or year; only for a table with a dataset in its name. */
  shards?: Shards;
  /** GB (10⁹ bytes) that a day adds; of a table without partitions, its size. */
  gbPerDay?: number;
}

/** Partitions by a column of an instant or a day, or by the time of ingestion, truncated in UTC. */
export interface Partitioning {
  type: 'HOUR' | 'DAY' | 'MONTH' | 'YEAR';
  /** Absent for partitions by time of ingestion, which have the pseudo columns `_PARTITIONTIME` and, by DAY, `_PARTITIONDATE`. */
  field?: string;
  /** Whether partitions are deleted after the retention of the deployment; absent means that they are kept. */
  expires?: boolean;
}

/** The tables `events_20261120`, `events_20261121`, …, which a query reads as `` `analytics_1.events_*` ``. */
export interface Shards {
  /** The part of their names before the time: `events_`. */
  prefix: string;
  format: 'YYYY' | 'YYYYMM' | 'YYYYMMDD' | 'YYYYMMDDHH';
}

/** A table by its name, with the fields of its definition that state where it is. */
interface NamedDefinition {
  /** `orders`, or `crm.customers` for a table of another dataset. */
  name: string;
  definition?: Pick<TableDefinition, 'table' | 'shards'>;
}

export interface QueriedTable {
  project?: string;
  /** Absent for the dataset of the tables without one in their name. */
  dataset?: string;
  table: string;
}

/** Only the name for a table without a dataset in it, wherever a deployment has its rows. */
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
  const [table = '', dataset = '', ...before] = text.split('.').reverse();
  const project = before.reverse().join('.');
  return { ...(project !== '' && { project }), dataset, table };
}

/** The column with the text that the `*` of a wildcard stands for. */
export const TABLE_SUFFIX: TableField = { name: '_TABLE_SUFFIX', type: 'STRING', mode: 'REQUIRED' };
/** The start of a row's partition; NULL for a row that is in no partition yet. */
export const PARTITION_TIME: TableField = { name: '_PARTITIONTIME', type: 'TIMESTAMP' };
/** The day of the partition; only for partitions by DAY. */
export const PARTITION_DATE: TableField = { name: '_PARTITIONDATE', type: 'DATE' };

const NAMES = [TABLE_SUFFIX, PARTITION_TIME, PARTITION_DATE].map(({ name }) => name);

/** In any letter case. A column of schema.json cannot have such a name. */
export const isPseudoColumn = (name: string): boolean => NAMES.includes(name.toUpperCase());

export function pseudoColumns(
  definition: Pick<TableDefinition, 'partitioning' | 'shards'> | undefined,
): readonly TableField[] {
  if (definition?.shards) return [TABLE_SUFFIX];
  const { partitioning } = definition ?? {};
  if (!partitioning || partitioning.field !== undefined) return [];
  return partitioning.type === 'DAY' ? [PARTITION_TIME, PARTITION_DATE] : [PARTITION_TIME];
}

type Format = Shards['format'];

const PARTS = { YYYY: 'YEAR', YYYYMM: 'MONTH', YYYYMMDD: 'DAY', YYYYMMDDHH: 'HOUR' } as const;

export const shardPart = (format: Format): (typeof PARTS)[Format] & DatePart => PARTS[format];

/** The name of the shard that contains an instant (microseconds since 1970), without its prefix. */
export function shardSuffix(format: Format, instant: bigint): string {
  return new Date(Number(instant / 1000n))
    .toISOString()
    .replaceAll(/[-T:]/g, '')
    .slice(0, format.length);
}

/** Whether names of shards, without their prefix, may begin so. */
export function isShardPrefix(format: Format, text: string): boolean {
  return /^\d*$/.test(text) && text.length <= format.length;
}

/** The first instant of a shard; undefined for a text that is not of the format. */
export function shardStart(format: Format, suffix: string): bigint | undefined {
  if (!/^\d+$/.test(suffix) || suffix.length !== format.length) return undefined;
  const [month = '01', day = '01', hour = '00'] = suffix.slice(4).match(/../g) ?? [];
  const ms = Date.parse(`${suffix.slice(0, 4)}-${month}-${day}T${hour}:00:00Z`);
  if (Number.isNaN(ms)) return undefined;
  const start = startOf(PARTS[format], periodOf(PARTS[format], BigInt(ms) * 1000n));
  // Date reads 30 February as 2 March.
  return shardSuffix(format, start) === suffix ? start : undefined;
}
