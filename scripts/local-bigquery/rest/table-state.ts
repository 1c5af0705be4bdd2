// The state of tables as BigQuery reports it: the rows of INFORMATION_SCHEMA.PARTITIONS, and the answer of tables.get.
// https://cloud.google.com/bigquery/docs/information-schema-partitions
// https://cloud.google.com/bigquery/docs/reference/rest/v2/tables
import type { PartitionedTable } from '../analysis/reads/column-ranges.ts';
import { type QueriedTable, queriedTable } from '../values/table-definition.ts';
import type { TableField } from '../values/table-schema.ts';

/** A part of a table that BigQuery describes by itself. */
export interface PartitionState {
  /** The suffix of the shard that it is in, of a table with shards. */
  suffix: string | undefined;
  /** `20261120`, `__NULL__` or `__UNPARTITIONED__`; null in a table without partitions. */
  id: string | null;
  rows: number;
  bytes: number;
  modifiedMs: number;
  isStreaming: boolean;
}

export interface DescribedTable extends PartitionedTable {
  /** The table whose rows it shows, by the name of its source. */
  viewOf?: string;
  /** The latest change without a row: it was created or replaced, or rows of this time were deleted. */
  changedMs?: number;
}

/** A dataset, as a job in `project` names it. */
export interface DatasetPlace {
  project: string;
  dataset: string;
}

/** The view of one dataset, as a source whose rows are created when a query reads them. */
export interface PartitionsView extends PartitionedTable {
  ofDataset: DatasetPlace;
}

const SCHEMA = 'INFORMATION_SCHEMA';
const VIEW = 'PARTITIONS';
const NAMED = new RegExp(`\\b${SCHEMA}[\`.\\s]+${VIEW}\\b`, 'i');
const fieldsOf = (type: string, ...names: string[]) => names.map((name) => ({ name, type }));
const FIELDS: readonly TableField[] = [
  ...fieldsOf('STRING', 'table_catalog', 'table_schema', 'table_name', 'partition_id'),
  ...fieldsOf('INTEGER', 'total_rows', 'total_logical_bytes', 'total_billable_bytes'),
  ...fieldsOf('TIMESTAMP', 'last_modified_time'),
  ...fieldsOf('STRING', 'storage_tier'),
];

/** The views that a query may name, each by the names that it has: of the home dataset, and of those of the tables. */
export function partitionsViews(
  sql: string,
  tables: readonly PartitionedTable[],
  { project, dataset: home }: DatasetPlace,
): PartitionsView[] {
  if (!NAMED.test(sql)) return [];
  const named: Partial<DatasetPlace>[] = [{}, ...tables.map(queriedTable)];
  const places = new Map(
    named.map((table) => {
      const place = { project: table.project ?? project, dataset: table.dataset ?? home };
      return [`${place.project}.${place.dataset}`, place] as const;
    }),
  );
  return [...places].flatMap(([path, ofDataset]) =>
    [path, ofDataset.dataset].map((prefix) => ({
      name: `${SCHEMA}.${VIEW}`,
      fields: FIELDS,
      definition: {
        ...{ partitioning: null, requirePartitionFilter: false },
        table: `${prefix}.${SCHEMA}.${VIEW}`,
      },
      ofDataset,
    })),
  );
}

/** A table as BigQuery has it: each shard is one. */
interface StatedTable extends Required<QueriedTable> {
  source: DescribedTable;
  states: readonly PartitionState[];
}

/** All tables, for a job in `project`. */
export function statedTables(
  tables: readonly DescribedTable[],
  place: DatasetPlace,
  statesOf: (name: string) => readonly PartitionState[],
): StatedTable[] {
  return tables.flatMap((source): StatedTable[] => {
    const stated = { ...place, ...queriedTable(source), source };
    const states = statesOf(source.name);
    const { prefix } = source.definition?.shards ?? {};
    if (prefix === undefined) return [{ ...stated, states }];
    const shards = Map.groupBy(states, ({ suffix = '' }) => suffix);
    return [...shards].map(([suffix, own]) => ({ ...stated, table: prefix + suffix, states: own }));
  });
}

/** The rows of the view; a view of a table has none. */
export function partitionRows(
  { ofDataset: { project, dataset } }: PartitionsView,
  tables: readonly StatedTable[],
): object[] {
  const own = tables.filter((one) => one.project === project && one.dataset === dataset);
  return own.flatMap(({ table, source, states }) => {
    if (source.viewOf !== undefined) return [];
    // A table without partitions has a line even without rows.
    const isEmpty = states.length === 0 && !source.definition?.partitioning;
    return (isEmpty ? [NO_ROWS] : states).map(({ id, rows, bytes, modifiedMs }) => ({
      table_catalog: project,
      table_schema: dataset,
      table_name: table,
      partition_id: id,
      total_rows: rows,
      total_logical_bytes: bytes,
      total_billable_bytes: bytes,
      last_modified_time: new Date(modifiedMs).toISOString(),
      storage_tier: 'ACTIVE',
    }));
  });
}

const NO_ROWS = { id: null, rows: 0, bytes: 0, modifiedMs: 0 };

/** The answer of tables.get. */
export function tableResource({ project, dataset, table, source, states }: StatedTable): object {
  const stored = states.filter(({ isStreaming }) => !isStreaming);
  const streaming = states.filter(({ isStreaming }) => isStreaming);
  const sum = (key: 'rows' | 'bytes', of: readonly PartitionState[]) =>
    String(of.reduce((total, state) => total + state[key], 0));
  const { partitioning, columns = {} } = source.definition ?? {};
  const field = partitioning?.field && (columns[partitioning.field] ?? partitioning.field);
  const isView = source.viewOf !== undefined;
  const times = isView ? [] : states.map(({ modifiedMs }) => modifiedMs);
  const buffer = {
    estimatedRows: sum('rows', streaming),
    estimatedBytes: sum('bytes', streaming),
  };
  return {
    tableReference: { projectId: project, datasetId: dataset, tableId: table },
    type: isView ? 'VIEW' : 'TABLE',
    ...(!isView && { numRows: sum('rows', stored), numBytes: sum('bytes', stored) }),
    lastModifiedTime: String(Math.max(source.changedMs ?? 0, ...times)),
    ...(partitioning && { timePartitioning: { type: partitioning.type, field } }),
    ...(streaming.length > 0 && { streamingBuffer: buffer }),
  };
}
