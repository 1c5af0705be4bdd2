// Finds out what a query reads of each table: by its filters, with the values of its parameters.
import { constantsIn } from '../googlesql/column-conditions.ts';
import type { ColumnCondition } from '../googlesql/column-conditions.ts';
import { constantValues } from '../googlesql/constants.ts';
import type { GoogleSql } from '../googlesql/engine.ts';
import type { EngineParameter } from '../googlesql/query-parameters.ts';
import type { TableScan } from '../googlesql/table-scans.ts';
import { ALL_VALUES, valuesOf } from './column-ranges.ts';
import type { ColumnValues } from './column-ranges.ts';
import { partitionColumn } from './partitions.ts';
import type { PartitionedTable } from './partitions.ts';

/** One reference to a table in a query. */
export interface TableReference {
  table: PartitionedTable;
  scan: TableScan;
}

export interface TableRead extends TableReference {
  /** The values of the partition column that the filters leave; undefined without partitions. */
  values: ColumnValues | undefined;
}

/**
 * What is read at `nowMs`, in the order of the references. A parameter without a value leaves the conditions
 * that use it open.
 */
export async function tableReads(
  engine: GoogleSql,
  references: readonly TableReference[],
  parameters: readonly EngineParameter[],
  nowMs: number,
): Promise<TableRead[]> {
  const conditions = references.map(partitionCondition);
  const constants = conditions.flatMap((condition) => (condition ? constantsIn(condition) : []));
  const values = await constantValues(engine, constants, parameters, nowMs);
  return references.map(({ table, scan }, index) => {
    const column = partitionColumn(table);
    const condition = conditions[index];
    if (column === undefined) return { table, scan, values: undefined };
    if (condition === undefined) return { table, scan, values: ALL_VALUES };
    const read = valuesOf(condition, column.type, (constant) => values.get(constant));
    return { table, scan, values: read };
  });
}

/** The message of BigQuery where a table requires a filter and the query has none by which it prunes. */
export function missingFilter(reference: TableReference, tableName: string): string | undefined {
  const { partitioning, requirePartitionFilter } = reference.table.definition ?? {};
  if (!partitioning || !requirePartitionFilter || partitionCondition(reference)) return undefined;
  return `Cannot query over table '${tableName}' without a filter over column(s) '${partitioning.field}' that can be used for partition elimination`;
}

function partitionCondition({ table, scan }: TableReference): ColumnCondition | undefined {
  return scan.conditions.get(partitionColumn(table)?.name ?? '');
}
