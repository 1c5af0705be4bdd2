// Declares a source: a table that queries can name, as its folder in sql/sources describes it.
import type { TableField } from '../local/googlesql/table-schema.ts';

export interface Source {
  /** The name of the folder, as queries name the table. */
  name: string;
  /** The columns, from schema.json. */
  fields: readonly TableField[];
  /** From table.json; without that file the table is not partitioned. */
  definition: TableDefinition;
}

/** The content of table.json; sql/table.schema.json describes each field. */
export interface TableDefinition {
  partitioning: Partitioning | null;
  /** At most four columns, in the order in which BigQuery sorts by them. */
  clustering: readonly string[];
  /** Whether BigQuery refuses a query without a filter that leaves out partitions. */
  requirePartitionFilter: boolean;
}

/** Partitions by a column: of an instant or a day, truncated in UTC. */
export interface Partitioning {
  type: 'HOUR' | 'DAY' | 'MONTH' | 'YEAR';
  field: string;
  /** Whether partitions are deleted after the retention of the deployment; absent means that they are kept. */
  expires?: boolean;
}
