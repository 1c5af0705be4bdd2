// The columns that BigQuery adds to shards and to partitions by time of ingestion; `SELECT *` leaves them out.
import type { TableField } from './table-schema.ts';
import type { TableDefinition } from './table-definition.ts';

/** What the `*` of a wildcard stands for. */
export const TABLE_SUFFIX: TableField = { name: '_TABLE_SUFFIX', type: 'STRING', mode: 'REQUIRED' };
/** The start of a row's partition; NULL of a row that is in none yet. */
export const PARTITION_TIME: TableField = { name: '_PARTITIONTIME', type: 'TIMESTAMP' };
/** The day of it; of partitions by DAY alone. */
export const PARTITION_DATE: TableField = { name: '_PARTITIONDATE', type: 'DATE' };

const NAMES = [TABLE_SUFFIX, PARTITION_TIME, PARTITION_DATE].map(({ name }) => name);

/** In any letter case. A column of schema.json cannot have such a name. */
export function isPseudoColumn(name: string): boolean {
  return NAMES.includes(name.toUpperCase());
}

/** Those of a table, in the order in which its rows have them. */
export function pseudoColumns(
  definition: Pick<TableDefinition, 'partitioning' | 'shards'> | undefined,
): readonly TableField[] {
  if (definition?.shards) return [TABLE_SUFFIX];
  const { partitioning } = definition ?? {};
  if (!partitioning || partitioning.field !== undefined) return [];
  return partitioning.type === 'DAY' ? [PARTITION_TIME, PARTITION_DATE] : [PARTITION_TIME];
}
