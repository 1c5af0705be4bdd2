// Declares a source: a table that queries can name, as its folder in sql/sources describes it.
import type { TableDefinition, TableField } from '../local-bigquery/index.ts';

export interface Source {
  /** The name of the folder, as queries name the table: `orders`, or `crm.customers` for a table of another dataset. */
  name: string;
  fields: readonly TableField[];
  /** The content of table.json, whose fields sql/table.schema.json describes; without that file no partitions. */
  definition: TableDefinition;
}
