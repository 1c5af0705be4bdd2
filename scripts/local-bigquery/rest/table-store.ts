// Stores the rows of all tables, and registers them with the engine as queries need them.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { appendCell, inPortions, selectColumns, splitRows } from '../engine/encoded-rows.ts';
import type { EngineValue } from '../values/engine-values.ts';
import type { SqlFunction } from '../values/engine-catalogue.ts';
import type { GoogleSql } from '../analysis/google-sql.ts';
import type { RegisteredCatalogue } from '../engine/engine-process.ts';
import { type EncodedRow, createTableRowEncoder } from '../values/row-encoder.ts';
import { type Portion, newestThatFit, type QueriedRows } from './large-tables.ts';
import type { NamedTable } from '../analysis/named-tables.ts';
import { partitionColumn, rowColumns } from '../analysis/reads/column-ranges.ts';
import { partitionRows } from './table-state.ts';
import type { DescribedTable, PartitionState, PartitionsView } from './table-state.ts';
import {
  UNPARTITIONED,
  bytesRead,
  countBytes,
  partitionId,
  partitionOfRows,
  storedPartitions,
} from './stored-bytes.ts';
import type { Read } from './stored-bytes.ts';
import { TABLE_SUFFIX } from '../values/table-definition.ts';

export interface StoredTable extends DescribedTable {
  /** Approximate number of rows that are kept; the oldest are removed. By default all are kept. */
  rowsMax?: number;
}

type Rows = Iterable<EncodedRow> | AsyncIterable<EncodedRow>;

export type TableStore = ReturnType<typeof createTableStore>;

interface CatalogueNeeds {
  functions: readonly SqlFunction[];
  /** Names of the columns by table; at least one per table. */
  columns: ReadonlyMap<NamedTable, ReadonlySet<string>>;
}

interface TableStoreOptions {
  /** Up to this age the rows of a query may be older ones; with 0 it sees every row appended before it. */
  freshMs: number;
  dataset: string;
  nowMs: () => number;
  /** The most that the engine takes of all tables of a query. */
  bytesMax?: number | undefined;
}

/** What one place in a query reads of a table. */
export interface TablePart extends Read {
  table: NamedTable;
  isShardRead: (suffix: string) => boolean;
}

/** Rows, and the same rows with fewer columns, by the columns kept. */
interface StoredPortion extends Portion {
  /** The shard that the rows are in; the cell of the suffix is left out. */
  suffix?: string | undefined;
  modifiedMs: number;
  isStreaming: boolean;
  selected: Map<string, Buffer>;
}

interface Held {
  /** Functions and columns: a query with the same ones uses the catalogue too. */
  key: string;
  catalogue: Promise<RegisteredCatalogue>;
  version: number;
  registeredMs: number;
  users: number;
  isRetired: boolean;
}

/** Rows encoded between two turns of the event loop, about 10 ms of work. */
const portionRows = 250;
/** Catalogues kept at the same time, for queries that need different functions or columns. */
const heldMax = 6;
/** The engine refuses messages over 4 MiB; a part of that is for types, functions and options. */
const contentsBytesMax = 4 * 1024 * 1024 - 64 * 1024;

export function createTableStore(
  engine: GoogleSql,
  first: readonly StoredTable[],
  { freshMs, dataset, nowMs, bytesMax = contentsBytesMax }: TableStoreOptions,
) {
  /** So that several fit into what the engine takes. */
  const portionBytes = bytesMax / 8;
  let schemas = first;
  let schemaVersion = 0;
  const portions = new Map<string, StoredPortion[]>(schemas.map(({ name }) => [name, []]));
  let version = 0;
  let held: Held[] = [];

  /** The rows of a table with some columns, in the portions that `isRead`. */
  function queriedRows(
    named: NamedTable,
    names: ReadonlySet<string>,
    isRead: (portion: StoredPortion) => boolean = () => true,
  ): QueriedRows {
    const { fullName: name, fields } = named;
    const keep = fields.map((field) => names.has(field.name));
    const read = portionsOf(named).filter(isRead);
    const portions = () => newestFirst(read, named, keep);
    return { name, fields: fields.filter((_, index) => keep[index]), rows: rowsOf(read), portions };
  }

  /** The rows of a table, of its shards those that the name selects. */
  function portionsOf({ source, shards }: NamedTable): StoredPortion[] {
    if ('ofDataset' in source) {
      const view = source as PartitionsView;
      const encode = createTableRowEncoder(view);
      const rows = partitionRows(view, schemas, dataset, statesOf).map(encode);
      return [newPortion(rows.length, engine.encodeRows(rows))];
    }
    const kept = keptOf(source.name);
    if (shards === undefined) return kept;
    const { suffix: selected, isOne } = shards;
    return kept.filter(({ suffix = '' }) =>
      isOne ? suffix === selected : suffix.startsWith(selected),
    );
  }

  const schemaOf = (name: string) => schemas.find((schema) => schema.name === name);
  const keptOf = (name: string) => portions.get(schemaOf(name)?.viewOf ?? name) ?? [];

  function newPortion(
    rows: number,
    encoded: Buffer,
    { suffix, isStreaming = false, modifiedMs = nowMs() }: Partial<StoredPortion> = {},
  ): StoredPortion {
    return { rows, encoded, suffix, isStreaming, modifiedMs, selected: new Map() };
  }

  function statesOf(name: string): PartitionState[] {
    const table = schemaOf(name);
    const states = new Map<string, PartitionState>();
    if (table === undefined) return [];
    for (const { suffix, encoded, isStreaming, modifiedMs } of portions.get(name) ?? []) {
      for (const [partition, stored] of storedPartitions(table, encoded, engine.decodeRows)) {
        const own = partitionId(table, partition);
        const id = isStreaming && own !== null ? UNPARTITIONED : own;
        const key = JSON.stringify([suffix, id, isStreaming]);
        const before = states.get(key);
        const bytes = stored.bytes.reduce((sum, size) => sum + size, before?.bytes ?? 0);
        const rows = stored.rows + (before?.rows ?? 0);
        const lastMs = Math.max(modifiedMs, before?.modifiedMs ?? 0);
        states.set(key, { suffix, id, rows, bytes, modifiedMs: lastMs, isStreaming });
      }
    }
    return [...states.values()];
  }

  /** Undefined if the rows do not fit. */
  function register(key: string, needs: CatalogueNeeds): Held | undefined {
    const queried = [...needs.columns].map(([named, names]) => queriedRows(named, names));
    const read = newestThatFit(queried, bytesMax);
    if (read.some(({ isCut }) => isCut)) return undefined;
    const catalogue = engine.registerCatalogue(read, needs.functions);
    const registeredMs = performance.now();
    const fresh: Held = { key, catalogue, version, registeredMs, users: 0, isRetired: false };
    // A failed registration is reported to the queries that wait for it, and tried again by the next.
    fresh.catalogue.catch(() => retire(fresh));
    held = [fresh, ...held];
    for (const old of held.slice(heldMax)) retire(old);
    return fresh;
  }

  /** Unregisters a catalogue when its last user is done. */
  function retire(old: Held): void {
    held = held.filter((kept) => kept !== old);
    old.isRetired = true;
    if (old.users > 0) return;
    void old.catalogue
      .then((catalogue) => engine.unregisterCatalogue(catalogue))
      .catch(() => undefined);
  }

  function find(needs: CatalogueNeeds): Held | undefined {
    const columns = [...needs.columns].map(([{ fullName }, names]) => [fullName, ...names]);
    const key = JSON.stringify([needs.functions, columns]);
    const found = held.find((kept) => kept.key === key);
    if (found === undefined) return register(key, needs);
    if (found.version === version || performance.now() - found.registeredMs < freshMs) return found;
    retire(found);
    return register(key, needs);
  }

  /** The rows in the order of their shards or of the partition column, or else in the given one. */
  async function readPortions(table: StoredTable, rows: Rows, isStreaming = false) {
    const isSharded = table.definition?.shards !== undefined;
    const column = partitionColumn(table);
    const timeAt = column && rowColumns(table).indexOf(column);
    const places: number[] = [];
    const read: StoredPortion[] = [];
    const batches = new Map<string | undefined, EncodedRow[]>();
    const encodeBatch = (suffix: string | undefined, batch: EncodedRow[]) => {
      const encoded = engine.encodeRows(batch);
      const isSmall = encoded.length <= portionBytes;
      if (isSmall) countBytes(table, encoded, batch);
      const portions = isSmall
        ? [{ rows: batch.length, encoded }]
        : inPortions(splitRows(encoded), portionRows, portionBytes);
      const own = { suffix, isStreaming };
      read.push(...portions.map((one) => newPortion(one.rows, one.encoded, own)));
      batches.delete(suffix);
    };
    for await (const row of rows) {
      if (timeAt !== undefined) places.push(placeInTime(row[timeAt] ?? {}));
      const suffix = isSharded ? (row.at(-1)?.stringValue ?? '') : undefined;
      const batch = batches.get(suffix) ?? [];
      batches.set(suffix, batch);
      if (batch.push(isSharded ? row.slice(0, -1) : row) < portionRows) continue;
      encodeBatch(suffix, batch);
      await nextTurn();
    }
    for (const [suffix, batch] of batches) encodeBatch(suffix, batch);
    if (isSharded) return inShardOrder(read);
    const isAscending = places.every((place, at) => at === 0 || (places[at - 1] ?? place) <= place);
    return isAscending ? read : sorted(read, places, portionBytes);
  }

  /** No catalogue keeps the table as it was; those in use remain until their last user is done. */
  function changeSchemas(changed: readonly StoredTable[]): void {
    schemas = changed;
    schemaVersion++;
    version++;
    for (const old of held) retire(old);
  }

  return {
    get tables(): readonly StoredTable[] {
      return schemas;
    },

    /** Changes with each `put` and `remove`: what was computed for earlier tables is no longer valid. */
    get schemaVersion(): number {
      return schemaVersion;
    },

    /** Replaces one of its name once all rows are read; nothing changes if `rows` throws. Open queries keep the old table. */
    async put(table: StoredTable, rows: Rows): Promise<void> {
      const read = await readPortions(table, rows);
      dropOldest(read, table.rowsMax ?? Infinity);
      portions.set(table.name, read);
      const others = schemas.filter(({ name }) => name !== table.name);
      changeSchemas(
        [...others, { ...table, changedMs: nowMs() }].sort((a, b) => (a.name < b.name ? -1 : 1)),
      );
    },

    remove(name: string): void {
      portions.delete(name);
      changeSchemas(schemas.filter((schema) => schema.name !== name));
    },

    /**
     * Adds rows once all of them have been read; what `rows` throws is thrown, and then none are added. They
     * are newer than all earlier ones, in the order of the partition column, or else in the given one.
     */
    async append(name: string, rows: Rows, isStreaming = false): Promise<void> {
      const table = schemaOf(name);
      const kept = portions.get(name);
      if (table === undefined || kept === undefined) throw new Error(`no such table: ${name}`);
      const added = await readPortions(table, rows, isStreaming);
      if (added.length === 0) return;
      kept.push(...added);
      if (table.definition?.shards) portions.set(name, inShardOrder(kept));
      dropOldest(portions.get(name) ?? [], table.rowsMax ?? Infinity);
      version++;
    },

    /** Removes rows by their partition and their place in the table. As in BigQuery, no timestamp shows it. */
    deleteRows(name: string, isDeleted: (partitionId: string | null, row: number) => boolean) {
      const table = schemaOf(name);
      if (table === undefined) throw new Error(`no such table: ${name}`);
      const partitionOf = partitionOfRows(table);
      let place = 0;
      const kept = (portions.get(name) ?? []).flatMap((before) => {
        const rows = engine
          .decodeRows(before.encoded)
          .filter((row) => !isDeleted(partitionId(table, partitionOf(row)), place++));
        return rows.length === 0 ? [] : [newPortion(rows.length, engine.encodeRows(rows), before)];
      });
      // The time of a table never goes back.
      const times = statesOf(name).map(({ modifiedMs }) => modifiedMs);
      const changedMs = Math.max(table.changedMs ?? 0, ...times);
      schemas = schemas.map((one) => (one === table ? { ...table, changedMs } : one));
      portions.set(name, kept);
      version++;
    },

    /** The rows of the streaming buffer reach their partitions. */
    flush(name: string): void {
      const flushed = { isStreaming: false, modifiedMs: nowMs() };
      const kept = portions.get(name) ?? [];
      const all = kept.map((one) => (one.isStreaming ? { ...one, ...flushed } : one));
      portions.set(name, all);
      version++;
    },

    statesOf,

    clear(): void {
      for (const kept of portions.values()) kept.length = 0;
      version++;
    },

    /** The bytes that BigQuery bills for a scan of a table, by the names of the tables; each shard has its own. */
    bytesRead({ table, isShardRead, ...read }: TablePart): Map<string, number> {
      const { fullName, shards } = table;
      const bytes = new Map<string, number>(shards ? [] : [[fullName, 0]]);
      for (const { suffix, encoded } of portionsOf(table)) {
        if (suffix !== undefined && !isShardRead(suffix)) continue;
        // `analytics_1.events_20261120` for `analytics_1.events_2026*`.
        const isWildcard = suffix !== undefined && shards?.isOne === false;
        const name = isWildcard
          ? fullName.slice(0, -1) + suffix.slice(shards.suffix.length)
          : fullName;
        const added = bytesRead(table.source, encoded, read, engine.decodeRows);
        bytes.set(name, (bytes.get(name) ?? 0) + added);
      }
      return bytes;
    },

    /** The tables with the needed columns, and the rows of the partitions that one of the parts reads. */
    queriedRows(columns: CatalogueNeeds['columns'], parts: readonly TablePart[]): QueriedRows[] {
      return [...columns].map(([named, names]) => {
        const own = parts.filter(({ table }) => table === named);
        const isRead = ({ suffix, encoded }: StoredPortion): boolean => {
          const partitions = storedPartitions(named.source, encoded, engine.decodeRows).keys();
          const kept = [...partitions];
          return own.some(
            (part) => (suffix === undefined || part.isShardRead(suffix)) && kept.some(part.isRead),
          );
        };
        return queriedRows(named, names, own.length > 0 ? isRead : undefined);
      });
    },

    bytesMax,

    /** The number of rows that a query reads of a table, at most. */
    rowsIn: (table: NamedTable | undefined) => (table ? rowsOf(portionsOf(table)) : 0),

    /** The suffixes of the shards of a table with rows; undefined for one without. */
    suffixesOf(name: string): ReadonlySet<string> | undefined {
      const kept = keptOf(name);
      return kept.length === 0 ? undefined : new Set(kept.map(({ suffix = '' }) => suffix));
    },

    /** Runs `use` with what it needs, with rows at most `freshMs` old; undefined if these are more than the engine takes. */
    async withCatalogue<Result>(
      needs: CatalogueNeeds,
      use: (catalogue: RegisteredCatalogue) => Promise<Result>,
    ): Promise<Result | undefined> {
      const found = find(needs);
      if (found === undefined) return undefined;
      found.users++;
      try {
        return await use(await found.catalogue);
      } finally {
        found.users--;
        if (found.isRetired) retire(found);
      }
    },

    close(): void {
      for (const kept of held) retire(kept);
    },
  };
}

function inShardOrder(read: readonly StoredPortion[]): StoredPortion[] {
  return read.toSorted(({ suffix: a = '' }, { suffix: b = '' }) => (a < b ? -1 : a > b ? 1 : 0));
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
    let encoded = selected.get(key) ?? selectColumns(all, keep);
    if (hasSuffix && !selected.has(key)) {
      encoded = appendCell(encoded, suffix.slice(shards?.suffix.length));
    }
    selected.set(key, encoded);
    yield { rows, encoded };
  }
}

/** By the places of the rows; rows of the same place keep their order. */
function sorted(
  added: readonly StoredPortion[],
  places: readonly number[],
  bytesMax: number,
): StoredPortion[] {
  const [first] = added;
  if (first === undefined) return [];
  const given = added.flatMap(({ encoded }) => splitRows(encoded));
  const order = [...places.entries()].sort(([, a], [, b]) => a - b);
  const rows = order.flatMap(([index]) => given[index] ?? []);
  const portions = inPortions(rows, portionRows, bytesMax);
  return portions.map((portion) => ({ ...first, ...portion, selected: new Map() }));
}

const rowsOf = (kept: readonly Portion[]): number => kept.reduce((sum, { rows }) => sum + rows, 0);

function dropOldest(kept: Portion[], rowsMax: number): void {
  let rows = rowsOf(kept);
  while (kept[0] && rows - kept[0].rows >= rowsMax) rows -= kept.shift()?.rows ?? 0;
}

/** The place of a row among those of its table, by its partition column; NULL is the oldest. */
function placeInTime({ timestampValue, datetimeValue, dateValue }: EngineValue): number {
  if (timestampValue) return Number(timestampValue.seconds) + (timestampValue.nanos ?? 0) / 1e9;
  if (datetimeValue) {
    return Number(datetimeValue.bitFieldDatetimeSeconds) + (datetimeValue.nanos ?? 0) / 1e9;
  }
  return dateValue ?? -Number.MAX_VALUE;
}
