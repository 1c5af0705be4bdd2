// Stores the rows of all tables, and gives queries those that they need.
import type { GoogleSql } from '../analysis/google-sql.ts';
import { createTableRowEncoder } from '../values/row-encoder.ts';
import { newestThatFit } from './large-tables.ts';
import type { NamedTable } from '../analysis/named-tables.ts';
import type { Partition } from '../analysis/reads/column-ranges.ts';
import { partitionRows, statedTables } from './table-state.ts';
import type { DescribedTable, PartitionState, PartitionsView } from './table-state.ts';
import { byTime, createPortions, newestFirst, partitionStates, rowsOf } from './portions.ts';
import type { Rows, StoredPortion } from './portions.ts';

export interface StoredTable extends DescribedTable {
  /** Approximate number of rows that are kept; the oldest are removed. By default all are kept. */
  rowsMax?: number;
}

export type TableStore = ReturnType<typeof createTableStore>;

interface TableStoreOptions {
  dataset: string;
  nowMs: () => number;
  /** The most that the engine takes of all tables of a query. */
  bytesMax?: number | undefined;
}

/** What one place in a query reads of a table. */
export interface TablePart {
  table: NamedTable;
  columns: readonly string[];
  /** The rows of a table without partitions are all in partition null. */
  isRead: (partition: Partition) => boolean;
  isShardRead: (suffix: string) => boolean;
}

/** The engine refuses messages over 4 MiB; a part of that is for types, functions and options. */
const contentsBytesMax = 4 * 1024 * 1024 - 64 * 1024;

export function createTableStore(
  engine: GoogleSql,
  first: readonly StoredTable[],
  { dataset, nowMs, bytesMax = contentsBytesMax }: TableStoreOptions,
) {
  let schemas: readonly StoredTable[] = first.map((table) => ({ ...table }));
  const portions = new Map<string, StoredPortion[]>(schemas.map(({ name }) => [name, []]));
  const { encoded, read } = createPortions(engine, bytesMax, nowMs);

  const schemaOf = (name: string) => schemas.find((schema) => schema.name === name);
  const keptOf = (name: string) => portions.get(schemaOf(name)?.viewOf ?? name) ?? [];

  /** The rows of a table, of its shards those that the name selects. */
  function portionsOf({ source, shards }: NamedTable): StoredPortion[] {
    if ('ofDataset' in source) {
      const view = source as PartitionsView;
      const encode = createTableRowEncoder(view);
      const { project } = view.ofDataset;
      const all = statedTables(schemas, { project, dataset }, statesOf);
      return encoded(view, partitionRows(view, all).map(encode));
    }
    const kept = keptOf(source.name);
    if (shards === undefined) return kept;
    const { suffix: selected, isOne } = shards;
    return kept.filter(({ suffix = '' }) =>
      isOne ? suffix === selected : suffix.startsWith(selected),
    );
  }

  function statesOf(name: string): PartitionState[] {
    const table = schemaOf(name);
    return table ? partitionStates(table, portions.get(name) ?? []) : [];
  }

  function keep(table: StoredTable, all: readonly StoredPortion[]): void {
    const kept = all.toSorted(byTime);
    let rows = rowsOf(kept);
    const { rowsMax = Infinity } = table;
    while (kept[0] && rows - kept[0].rows >= rowsMax) rows -= kept.shift()?.rows ?? 0;
    portions.set(table.name, kept);
  }

  return {
    get tables(): readonly StoredTable[] {
      return schemas;
    },
    // Tests change them as BigQuery does without a load job.
    ...{ portions, encodedPortions: encoded, nowMs },

    /** Replaces one of its name once all rows are read; nothing changes if `rows` throws. Open queries keep the old table. */
    async put(table: StoredTable, rows: Rows): Promise<void> {
      keep(table, await read(table, rows));
      const others = schemas.filter(({ name }) => name !== table.name);
      const all = [...others, { ...table, changedMs: nowMs() }];
      schemas = all.sort((a, b) => (a.name < b.name ? -1 : 1));
    },

    remove(name: string): void {
      portions.delete(name);
      schemas = schemas.filter((schema) => schema.name !== name);
    },

    /** Adds rows once all of them have been read; what `rows` throws is thrown, and then none are added. */
    async append(name: string, rows: Rows, isStreaming = false): Promise<void> {
      const table = schemaOf(name);
      if (table === undefined) throw new Error(`no such table: ${name}`);
      const added = await read(table, rows, isStreaming);
      // Another table of this name may have come in the meantime.
      if (schemaOf(name)?.fields !== table.fields) return;
      keep(table, [...(portions.get(name) ?? []), ...added]);
    },

    statesOf,

    clear(): void {
      for (const name of portions.keys()) portions.set(name, []);
    },

    /** The bytes that BigQuery bills for a scan of a table, by the names of the tables; each shard has its own. */
    bytesRead({ table, columns, isRead, isShardRead }: TablePart): Map<string, number> {
      const { fullName, shards, source } = table;
      const bytes = new Map<string, number>(shards ? [] : [[fullName, 0]]);
      for (const { suffix, partition, bytes: sizes } of portionsOf(table)) {
        if (suffix !== undefined && !isShardRead(suffix)) continue;
        // `analytics_1.events_20261120` for `analytics_1.events_2026*`.
        const isWildcard = suffix !== undefined && shards?.isOne === false;
        const name = isWildcard
          ? fullName.slice(0, -1) + suffix.slice(shards.suffix.length)
          : fullName;
        // Pseudo columns are free.
        const own = source.fields.map((field, index) =>
          columns.includes(field.name) && isRead(partition) ? (sizes[index] ?? 0) : 0,
        );
        bytes.set(
          name,
          own.reduce((sum, size) => sum + size, bytes.get(name) ?? 0),
        );
      }
      return bytes;
    },

    /** The tables with the columns that are named and the newest rows of the partitions that one of the parts reads. */
    newestRows(columns: ReadonlyMap<NamedTable, ReadonlySet<string>>, parts: readonly TablePart[]) {
      const queried = [...columns].map(([named, names]) => {
        const own = parts.filter(({ table }) => table === named);
        const isRead = ({ suffix, partition }: StoredPortion): boolean =>
          own.length === 0 ||
          own.some(
            (part) => (suffix === undefined || part.isShardRead(suffix)) && part.isRead(partition),
          );
        const { fullName: name, fields } = named;
        const kept = fields.map((field) => names.has(field.name));
        const queriedRows = portionsOf(named).filter(isRead);
        return {
          ...{ name, rows: rowsOf(queriedRows) },
          portions: () => newestFirst(queriedRows, named, kept),
          fields: fields.filter((_, index) => kept[index]),
        };
      });
      return newestThatFit(queried, bytesMax);
    },

    /** The number of rows that a query reads of a table, at most. */
    rowsIn: (table: NamedTable) => rowsOf(portionsOf(table)),

    /** The suffixes of the shards of a table with rows; undefined for one without. */
    suffixesOf(name: string): ReadonlySet<string> | undefined {
      const kept = keptOf(name);
      return kept.length === 0 ? undefined : new Set(kept.map(({ suffix = '' }) => suffix));
    },
  };
}
