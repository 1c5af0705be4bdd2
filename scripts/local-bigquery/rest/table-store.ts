// Stores the rows of all tables, and gives queries those that they need.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { selectColumns } from '../engine/encoded-rows.ts';
import type { GoogleSql } from '../analysis/google-sql.ts';
import { type EncodedRow, createTableRowEncoder } from '../values/row-encoder.ts';
import { type Portion, newestThatFit } from './large-tables.ts';
import type { NamedTable } from '../analysis/named-tables.ts';
import type { Partition } from '../analysis/reads/column-ranges.ts';
import { partitionRows, statedTables } from './table-state.ts';
import type { DescribedTable, PartitionState, PartitionsView } from './table-state.ts';
import { UNPARTITIONED, logicalBytesOf, partitionId, partitionOfRows } from './stored-bytes.ts';
import { TABLE_SUFFIX } from '../values/table-definition.ts';

export interface StoredTable extends DescribedTable {
  /** Approximate number of rows that are kept; the oldest are removed. By default all are kept. */
  rowsMax?: number;
}

type Rows = Iterable<EncodedRow> | AsyncIterable<EncodedRow>;

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

/** Rows of one partition, and the same rows with fewer columns, by the columns kept. */
interface StoredPortion extends Portion {
  /** The shard that the rows are in; the cell of the suffix is left out. */
  suffix?: string | undefined;
  partition: Partition;
  /** By column. */
  bytes: readonly number[];
  modifiedMs: number;
  isStreaming: boolean;
  selected: Map<string, Buffer>;
}

/** Rows encoded between two turns of the event loop, about 10 ms of work. */
const portionRows = 250;
/** The engine refuses messages over 4 MiB; a part of that is for types, functions and options. */
const contentsBytesMax = 4 * 1024 * 1024 - 64 * 1024;

export function createTableStore(
  engine: GoogleSql,
  first: readonly StoredTable[],
  { dataset, nowMs, bytesMax = contentsBytesMax }: TableStoreOptions,
) {
  let schemas: readonly StoredTable[] = first.map((table) => ({ ...table }));
  const portions = new Map<string, StoredPortion[]>(schemas.map(({ name }) => [name, []]));

  const schemaOf = (name: string) => schemas.find((schema) => schema.name === name);
  const keptOf = (name: string) => portions.get(schemaOf(name)?.viewOf ?? name) ?? [];

  function knownTable(name: string): StoredTable {
    const table = schemaOf(name);
    if (table === undefined) throw new Error(`no such table: ${name}`);
    return table;
  }

  /** The rows of a table, of its shards those that the name selects. */
  function portionsOf({ source, shards }: NamedTable): StoredPortion[] {
    if ('ofDataset' in source) {
      const view = source as PartitionsView;
      const encode = createTableRowEncoder(view);
      const { project } = view.ofDataset;
      const all = statedTables(schemas, { project, dataset }, statesOf);
      return encodedPortions(view, partitionRows(view, all).map(encode));
    }
    const kept = keptOf(source.name);
    if (shards === undefined) return kept;
    const { suffix: selected, isOne } = shards;
    return kept.filter(({ suffix = '' }) =>
      isOne ? suffix === selected : suffix.startsWith(selected),
    );
  }

  /** Of rows that are in one partition of one shard; several, so that some fit into what the engine takes. */
  function encodedPortions(
    table: DescribedTable,
    rows: readonly EncodedRow[],
    { isStreaming = false, modifiedMs = nowMs() }: Partial<StoredPortion> = {},
  ): StoredPortion[] {
    const [row] = rows;
    if (row === undefined) return [];
    const { fields, definition } = table;
    const isSharded = definition?.shards !== undefined;
    const encoded = engine.encodeRows(isSharded ? rows.map((one) => one.slice(0, -1)) : rows);
    if (encoded.length > bytesMax / 8 && rows.length > 1) {
      const half = Math.ceil(rows.length / 2);
      const halves = [rows.slice(0, half), rows.slice(half)];
      return halves.flatMap((some) => encodedPortions(table, some, { isStreaming, modifiedMs }));
    }
    const sizes = fields.map(logicalBytesOf);
    return [
      {
        ...{ rows: rows.length, encoded, isStreaming, modifiedMs, selected: new Map() },
        suffix: isSharded ? row.at(-1)?.stringValue : undefined,
        partition: partitionOfRows(table)(row),
        bytes: sizes.map((size, index) => rows.reduce((sum, one) => sum + size(one[index]), 0)),
      },
    ];
  }

  function statesOf(name: string): PartitionState[] {
    const table = schemaOf(name);
    const states = new Map<string, PartitionState>();
    for (const portion of (table && portions.get(name)) ?? []) {
      const { suffix, isStreaming, modifiedMs } = portion;
      const own = table ? partitionId(table, portion.partition) : null;
      const id = isStreaming && own !== null ? UNPARTITIONED : own;
      const key = JSON.stringify([suffix, id, isStreaming]);
      const before = states.get(key);
      const bytes = portion.bytes.reduce((sum, size) => sum + size, before?.bytes ?? 0);
      const rows = portion.rows + (before?.rows ?? 0);
      const lastMs = Math.max(modifiedMs, before?.modifiedMs ?? 0);
      states.set(key, { suffix, id, rows, bytes, modifiedMs: lastMs, isStreaming });
    }
    return [...states.values()];
  }

  /** Rows by shard and partition, and in the given order within each. */
  async function readPortions(table: StoredTable, rows: Rows, isStreaming = false) {
    const partitionOf = partitionOfRows(table);
    const read: StoredPortion[] = [];
    const batches = new Map<string, EncodedRow[]>();
    let count = 0;
    for await (const row of rows) {
      if (++count % portionRows === 0) await nextTurn();
      const suffix = table.definition?.shards && row.at(-1)?.stringValue;
      const key = `${suffix}/${partitionOf(row)}`;
      const batch = batches.get(key) ?? [];
      batches.set(key, batch);
      if (batch.push(row) < portionRows) continue;
      batches.delete(key);
      read.push(...encodedPortions(table, batch, { isStreaming }));
    }
    for (const batch of batches.values()) {
      read.push(...encodedPortions(table, batch, { isStreaming }));
      await nextTurn();
    }
    return read;
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
    ...{ portions, encodedPortions, nowMs },

    /** Replaces one of its name once all rows are read; nothing changes if `rows` throws. Open queries keep the old table. */
    async put(table: StoredTable, rows: Rows): Promise<void> {
      keep(table, await readPortions(table, rows));
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
      const table = knownTable(name);
      const added = await readPortions(table, rows, isStreaming);
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
        const read = portionsOf(named).filter(isRead);
        return {
          ...{ name, rows: rowsOf(read), portions: () => newestFirst(read, named, kept) },
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

/** The oldest first; rows without a time are the oldest. */
function byTime(a: StoredPortion, b: StoredPortion): number {
  const [one, other] = [a.suffix ?? '', b.suffix ?? ''];
  if (one !== other) return one < other ? -1 : 1;
  if (a.partition === b.partition) return 0;
  return a.partition === null || (b.partition !== null && a.partition < b.partition) ? -1 : 1;
}

/** With the columns of `keep` alone, which are those of the named table. */
function* newestFirst(
  kept: readonly StoredPortion[],
  { fields, shards }: NamedTable,
  keep: readonly boolean[],
): Generator<Portion> {
  const hasSuffix = fields.some((field, index) => field === TABLE_SUFFIX && keep[index]);
  const key = keep.map(Number).join('') + (hasSuffix ? (shards?.suffix ?? '') : '');
  for (const { rows, encoded: all, selected, suffix = '' } of kept.toReversed()) {
    const shown = hasSuffix ? suffix.slice(shards?.suffix.length) : undefined;
    const encoded = selected.get(key) ?? selectColumns(all, keep, shown);
    selected.set(key, encoded);
    yield { rows, encoded };
  }
}

const rowsOf = (kept: readonly Portion[]): number => kept.reduce((sum, { rows }) => sum + rows, 0);
