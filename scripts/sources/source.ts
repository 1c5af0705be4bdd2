// Declares a source: a table that queries can name, as its folder in sql/sources describes it.
import type { TableField } from '../local-bigquery/values/table-schema.ts';

export interface Source {
  /** The name of the folder, as queries name the table: `orders`, or `crm.customers` for a table of another dataset. */
  name: string;
  /** The columns, from schema.json. */
  fields: readonly TableField[];
  /** From table.json; without that file the table is not partitioned. */
  definition: TableDefinition;
}

/** The content of table.json; sql/table.schema.json describes each field. */
export interface TableDefinition {
  /** Null for a table without partitions; always null with `shards`. */
  partitioning: Partitioning | null;
  /** At most four columns, in the order in which BigQuery sorts by them. */
  clustering: readonly string[];
  /** Whether BigQuery refuses a query without a filter that leaves out partitions. */
  requirePartitionFilter: boolean;
  /**
   * Where a table that exists already is: `project.dataset.table`, or `dataset.table` in the job's project; of shards
   * the wildcard, such as `analytics_1.events_*`. `tablePlace` completes it.
   */
  table?: string;
  /** A table for each day, hour, month or year; only of a source with a dataset in its name. */
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
  /** How their names write the time. */
  format: 'YYYY' | 'YYYYMM' | 'YYYYMMDD' | 'YYYYMMDDHH';
}
