// The state of tables as BigQuery reports it: the rows of INFORMATION_SCHEMA.PARTITIONS, and the answer of tables.get.
// https://cloud.google.com/bigquery/docs/information-schema-partitions
// https://cloud.google.com/bigquery/docs/reference/rest/v2/tables
import type { PartitionedTable } from '../analysis/reads/column-ranges.ts';
import { queriedTable } from '../values/table-definition.ts';
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

/** The rows of the view; a view of a table has none. */
export function partitionRows(
  { ofDataset }: PartitionsView,
  tables: readonly DescribedTable[],
  home: string,
  statesOf: (name: string) => readonly PartitionState[],
): object[] {
  return tables.flatMap((table) => {
    const { project = ofDataset.project, dataset = home } = queriedTable(table);
    const isOf = project === ofDataset.project && dataset === ofDataset.dataset;
    if (!isOf || table.viewOf !== undefined) return [];
    const states = statesOf(table.name);
    // A table without partitions has a line even without rows.
    const isEmpty = states.length === 0 && !table.definition?.partitioning;
    const all = isEmpty && !table.definition?.shards ? [NO_ROWS] : states;
    return all.map(({ suffix, id, rows, bytes, modifiedMs }) => ({
      table_catalog: project,
      table_schema: dataset,
      table_name: tableName(table, suffix),
      partition_id: id,
      total_rows: rows,
      total_logical_bytes: bytes,
      total_billable_bytes: bytes,
      last_modified_time: new Date(modifiedMs).toISOString(),
      storage_tier: 'ACTIVE',
    }));
  });
}

const NO_ROWS: PartitionState = {
  ...{ suffix: undefined, id: null, rows: 0, bytes: 0, modifiedMs: 0, isStreaming: false },
};

/** The answer of tables.get; undefined if there is no such table. */
export function tableResource(
  { project, dataset }: DatasetPlace,
  tableId: string,
  tables: readonly DescribedTable[],
  home: string,
  statesOf: (name: string) => readonly PartitionState[],
): object | undefined {
  for (const table of tables) {
    const place = queriedTable(table);
    if ((place.project ?? project) !== project || (place.dataset ?? home) !== dataset) continue;
    const isSharded = table.definition?.shards !== undefined;
    const states = statesOf(table.name).filter(
      ({ suffix }) => !isSharded || tableName(table, suffix) === tableId,
    );
    if (isSharded ? states.length === 0 : place.table !== tableId) continue;
    const stored = states.filter(({ isStreaming }) => !isStreaming);
    const streaming = states.filter(({ isStreaming }) => isStreaming);
    const sum = (key: 'rows' | 'bytes', of: readonly PartitionState[]) =>
      String(of.reduce((total, state) => total + state[key], 0));
    const { partitioning, columns = {} } = table.definition ?? {};
    const field = partitioning?.field && (columns[partitioning.field] ?? partitioning.field);
    const isView = table.viewOf !== undefined;
    const times = isView ? [] : states.map(({ modifiedMs }) => modifiedMs);
    const buffer = {
      estimatedRows: sum('rows', streaming),
      estimatedBytes: sum('bytes', streaming),
    };
    return {
      kind: 'bigquery#table',
      id: `${project}:${dataset}.${tableId}`,
      tableReference: { projectId: project, datasetId: dataset, tableId },
      type: isView ? 'VIEW' : 'TABLE',
      ...(!isView && { numRows: sum('rows', stored), numBytes: sum('bytes', stored) }),
      lastModifiedTime: String(Math.max(table.changedMs ?? 0, ...times)),
      ...(partitioning && { timePartitioning: { type: partitioning.type, field } }),
      ...(streaming.length > 0 && { streamingBuffer: buffer }),
    };
  }
  return undefined;
}

function tableName(table: PartitionedTable, suffix: string | undefined): string {
  const { prefix } = table.definition?.shards ?? {};
  return prefix === undefined ? queriedTable(table).table : `${prefix}${suffix ?? ''}`;
}
