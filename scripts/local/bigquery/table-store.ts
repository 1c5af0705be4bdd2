// Stores the rows of all tables, and registers them with the engine as queries need them.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { selectColumns } from '../googlesql/encoded-rows.ts';
import type { TableContents } from '../googlesql/engine-catalogue.ts';
import type { GoogleSql } from '../googlesql/engine.ts';
import type { RegisteredCatalogue } from '../googlesql/registered-catalogue.ts';
import type { EncodedRow } from '../googlesql/row-encoder.ts';
import type { SqlFunction } from '../googlesql/sql-script.ts';
import { newestThatFit } from './newest-rows.ts';
import type { NewestRows, Portion } from './newest-rows.ts';
import { placeInTime, sortRows } from './partition-order.ts';
import type { PartitionedTable } from './partitions.ts';
import { bytesRead } from './stored-bytes.ts';
import type { Read } from './stored-bytes.ts';

/** A table by its unqualified name, as in the queries. */
export interface StoredTable extends PartitionedTable {
  /** Approximate number of rows that are kept; the oldest are removed. By default all are kept. */
  rowsMax?: number;
}

type Rows = Iterable<EncodedRow> | AsyncIterable<EncodedRow>;

export interface TableStore {
  readonly tables: readonly StoredTable[];
  /** Changes with each `put` and `remove`: what was worked out for other tables no longer holds. */
  readonly schemaVersion: number;
  /**
   * Adds a table, or replaces one of its name with its rows, once all rows have been read; what `rows` throws is
   * thrown, and then nothing has changed. Queries under way go on with the old table.
   */
  put(table: StoredTable, rows: Rows): Promise<void>;
  remove(name: string): void;
  /**
   * Adds rows once all of them have been read; what `rows` throws is thrown, and then none are added. They
   * are newer than all earlier ones, in the order of the partition column, or else in the given one.
   */
  append(name: string, rows: Rows): Promise<void>;
  /** Removes the rows of all tables. */
  clear(): void;
  /** The bytes that BigQuery bills for a scan of a table. */
  bytesRead(name: string, read: Read): number;
  /** Runs `use` with a catalogue that has the needed tables and functions, with rows at most `freshMs` old. */
  withCatalogue<Result>(
    needs: CatalogueNeeds,
    use: (catalogue: RegisteredCatalogue) => Promise<Result>,
  ): Promise<Result>;
  close(): void;
}

export interface CatalogueNeeds {
  functions: readonly SqlFunction[];
  /** Names of the columns by table; at least one per table. */
  columns: ReadonlyMap<string, ReadonlySet<string>>;
}

export interface TableStoreOptions {
  /**
   * With 0 a query sees every row appended before it. With more, appended rows are registered in
   * the background, at most every `freshMs`, and no query waits for that.
   */
  freshMs: number;
  /** Is called when queries read only the newest rows of a table, because the engine cannot hold all. */
  onCut?: ((cut: CutTable) => void) | undefined;
}

export interface CutTable {
  table: string;
  /** The number of rows that a query reads, and of all rows. */
  rowsRead: number;
  rows: number;
}

/** Rows, and the same rows with fewer columns, by the columns kept. */
interface StoredPortion extends Portion {
  selected: Map<string, Buffer>;
}

/** The content of a catalogue: functions by their definition, and `table.column` names. */
interface Contents {
  functions: ReadonlyMap<string, SqlFunction>;
  columns: ReadonlySet<string>;
}

/** A table of a catalogue, with as many of its rows as fit. */
type Contained = TableContents & NewestRows;

interface Held extends Contents {
  catalogue: Promise<RegisteredCatalogue>;
  /** Rows are missing. Only queries of the same columns use it: a query always reads the same rows. */
  isCut: boolean;
  version: number;
  users: number;
  isRetired: boolean;
}

/** Rows encoded between two turns of the event loop, about 10 ms of work. */
const portionRows = 250;
/** Catalogues held at the same time, for queries that need different functions or columns. */
const heldMax = 4;
/** The engine refuses messages over 4 MiB. */
export const ENGINE_MIB = 4;
/** The rest is for types, functions and options. */
const contentsBytesMax = ENGINE_MIB * 1024 * 1024 - 64 * 1024;

export function createTableStore(
  engine: GoogleSql,
  first: readonly StoredTable[],
  { freshMs, onCut }: TableStoreOptions,
): TableStore {
  let schemas = first;
  let schemaVersion = 0;
  const portions = new Map<string, StoredPortion[]>(schemas.map(({ name }) => [name, []]));
  let version = 0;
  /** When the oldest row that is in no catalogue yet was appended. */
  let pendingSince: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  /** Most recently registered first. */
  let held: Held[] = [];

  function contentsOf(columns: ReadonlySet<string>): { tables: Contained[]; isCut: boolean } {
    const needed = schemas.flatMap(({ name, fields }) => {
      const keep = fields.map((field) => columns.has(columnKey(name, field.name)));
      if (!keep.includes(true)) return [];
      return [{ name, fields: fields.filter((_, index) => keep[index]), keep }];
    });
    const tables = newestThatFit(
      needed,
      ({ name, keep }) => newestFirst(portions.get(name) ?? [], keep),
      contentsBytesMax,
    );
    return { tables, isCut: tables.some((table) => table.isCut) };
  }

  function register({ functions, columns }: Contents): Held {
    const { tables, isCut } = contentsOf(columns);
    for (const { name, rows, isCut } of tables) {
      if (isCut) onCut?.({ table: name, rowsRead: rows, rows: rowsOf(portions.get(name) ?? []) });
    }
    const fresh: Held = {
      catalogue: engine.registerCatalogue(tables, [...functions.values()]),
      functions,
      columns,
      isCut,
      version,
      users: 0,
      isRetired: false,
    };
    pendingSince = undefined;
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

  /** Registers the same contents with the present rows; queries use the old catalogue until then. */
  async function replace(old: Held): Promise<void> {
    // What queries of several columns share must have all rows.
    if (!old.isCut && contentsOf(old.columns).isCut) return retire(old);
    const fresh = register(old);
    held = [old, ...held.filter((kept) => kept !== old)];
    await fresh.catalogue.catch(() => undefined);
    retire(old);
  }

  function refreshLater(): void {
    if (freshMs === 0 || timer !== undefined) return;
    timer = setTimeout(() => {
      timer = undefined;
      const stale = held.filter((kept) => kept.version < version);
      void Promise.all(stale.map(replace));
    }, freshMs);
    timer.unref();
  }

  function find(needs: CatalogueNeeds): Held {
    const isTooOld =
      pendingSince !== undefined && performance.now() - pendingSince >= freshMs * 1.5;
    if (isTooOld) for (const old of held.filter((kept) => kept.version < version)) retire(old);
    const needed: Contents = {
      functions: new Map(needs.functions.map((f) => [JSON.stringify(f), f])),
      columns: new Set(
        [...needs.columns].flatMap(([table, names]) =>
          [...names].map((name) => columnKey(table, name)),
        ),
      ),
    };
    const fitting = held.find((kept) => includes(kept, needed));
    if (fitting) return fitting;
    for (const base of held) {
      const both = merged(base, needed);
      if (both && !contentsOf(both.columns).isCut) {
        const fresh = register(both);
        retire(base);
        return fresh;
      }
    }
    return register(needed);
  }

  /** The rows in the order of the partition column, or else in the given one. */
  async function readPortions(table: StoredTable, rows: Rows): Promise<StoredPortion[]> {
    const placeOf = placeInTime(table);
    const places: number[] = [];
    const read: StoredPortion[] = [];
    let batch: EncodedRow[] = [];
    const encodeBatch = () => {
      read.push(portion(batch.length, engine.encodeRows(batch)));
      batch = [];
    };
    for await (const row of rows) {
      if (placeOf) places.push(placeOf(row));
      if (batch.push(row) < portionRows) continue;
      encodeBatch();
      await nextTurn();
    }
    if (batch.length > 0) encodeBatch();
    return isAscending(places) ? read : sorted(read, places);
  }

  /** No catalogue holds the table as it was; those in use go on until their last user is done. */
  function changeSchemas(changed: readonly StoredTable[]): void {
    schemas = changed;
    schemaVersion++;
    version++;
    for (const old of held) retire(old);
  }

  return {
    get tables() {
      return schemas;
    },

    get schemaVersion() {
      return schemaVersion;
    },

    async put(table, rows) {
      const read = await readPortions(table, rows);
      dropOldest(read, table.rowsMax ?? Infinity);
      portions.set(table.name, read);
      const others = schemas.filter(({ name }) => name !== table.name);
      changeSchemas([...others, table].sort((a, b) => (a.name < b.name ? -1 : 1)));
    },

    remove(name) {
      portions.delete(name);
      changeSchemas(schemas.filter((schema) => schema.name !== name));
    },

    async append(name, rows) {
      const table = schemas.find((schema) => schema.name === name);
      const kept = portions.get(name);
      if (table === undefined || kept === undefined) throw new Error(`no such table: ${name}`);
      const added = await readPortions(table, rows);
      if (added.length === 0) return;
      kept.push(...added);
      dropOldest(kept, table.rowsMax ?? Infinity);
      version++;
      pendingSince ??= performance.now();
      refreshLater();
    },

    clear() {
      for (const kept of portions.values()) kept.length = 0;
      version++;
      pendingSince ??= performance.now();
      refreshLater();
    },

    bytesRead: (name, read) => {
      const table = schemas.find((schema) => schema.name === name);
      return (portions.get(name) ?? []).reduce(
        (sum, { encoded }) => sum + (table ? bytesRead(table, encoded, read) : 0),
        0,
      );
    },

    async withCatalogue(needs, use) {
      const found = find(needs);
      found.users++;
      try {
        return await use(await found.catalogue);
      } finally {
        found.users--;
        if (found.isRetired) retire(found);
      }
    },

    close() {
      clearTimeout(timer);
      for (const kept of held) retire(kept);
    },
  };
}

function columnKey(table: string, column: string): string {
  return `${table}.${column}`.toLowerCase();
}

function portion(rows: number, encoded: Buffer): StoredPortion {
  return { rows, encoded, selected: new Map() };
}

/** With the columns of `keep` alone. */
function* newestFirst(
  kept: readonly StoredPortion[],
  keep: readonly boolean[],
): Generator<Portion> {
  const key = keep.map(Number).join('');
  for (const { rows, encoded: all, selected } of kept.toReversed()) {
    const encoded = selected.get(key) ?? selectColumns(all, keep);
    selected.set(key, encoded);
    yield { rows, encoded };
  }
}

function isAscending(places: readonly number[]): boolean {
  return places.every((place, index) => index === 0 || (places[index - 1] ?? place) <= place);
}

function sorted(added: readonly StoredPortion[], places: readonly number[]): StoredPortion[] {
  const rows = sortRows(
    added.map(({ encoded }) => encoded),
    places,
  );
  return Array.from({ length: Math.ceil(rows.length / portionRows) }, (_, index) => {
    const some = rows.slice(index * portionRows, (index + 1) * portionRows);
    return portion(some.length, Buffer.concat(some));
  });
}

function includes(held: Held, needed: Contents): boolean {
  return (
    (!held.isCut || held.columns.size === needed.columns.size) &&
    [...needed.functions.keys()].every((definition) => held.functions.has(definition)) &&
    [...needed.columns].every((column) => held.columns.has(column))
  );
}

/** The union of both; `undefined` if they have different functions with the same name. */
function merged(base: Contents, needed: Contents): Contents | undefined {
  const functions = new Map([...base.functions, ...needed.functions]);
  const names = new Set([...functions.values()].map(({ name }) => name.toLowerCase()));
  if (names.size < functions.size) return undefined;
  return { functions, columns: new Set([...base.columns, ...needed.columns]) };
}

function rowsOf(kept: readonly Portion[]): number {
  return kept.reduce((sum, { rows }) => sum + rows, 0);
}

function dropOldest(kept: Portion[], rowsMax: number): void {
  let rows = rowsOf(kept);
  while (kept[0] && rows - kept[0].rows >= rowsMax) rows -= kept.shift()?.rows ?? 0;
}
