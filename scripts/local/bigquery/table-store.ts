/** Stores the rows of all tables, and registers them with the engine as queries need them. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { selectColumns } from '../googlesql/encoded-rows.ts';
import type { TableContents } from '../googlesql/engine-catalogue.ts';
import type { GoogleSql, RegisteredCatalogue } from '../googlesql/engine.ts';
import { GoogleSqlError } from '../googlesql/error.ts';
import { encodeRow } from '../googlesql/row-values.ts';
import type { SqlFunction } from '../googlesql/sql-script.ts';
import type { PartitionedTable } from './partitions.ts';
import { bytesRead } from './stored-bytes.ts';
import type { Read } from './stored-bytes.ts';

export interface TableStore {
  readonly tables: readonly PartitionedTable[];
  /** Encodes and adds rows in small portions; throws `InvalidValueError` and then adds none of them. */
  append(name: string, rows: Iterable<object>): Promise<void>;
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
  /** Approximate number of rows kept per table; the oldest are removed. */
  rowsMax: number;
}

/** Rows that were encoded together, and the same rows with fewer columns, by the columns kept. */
interface Portion {
  rows: number;
  encoded: Buffer;
  selected: Map<string, Buffer>;
}

/** The content of a catalogue: functions by their definition, and `table.column` names. */
interface Contents {
  functions: ReadonlyMap<string, SqlFunction>;
  columns: ReadonlySet<string>;
}

interface Held extends Contents {
  catalogue: Promise<RegisteredCatalogue>;
  version: number;
  users: number;
  isRetired: boolean;
}

/** Rows encoded between two turns of the event loop, about 10 ms of work. */
const portionRows = 250;
/** Catalogues held at the same time, for queries that need different functions or columns. */
const heldMax = 4;
/** The engine refuses messages over 4 MiB; the rest is for types, functions and options. */
const contentsBytesMax = 4 * 1024 * 1024 - 64 * 1024;

export function createTableStore(
  engine: GoogleSql,
  schemas: readonly PartitionedTable[],
  { freshMs, rowsMax }: TableStoreOptions,
): TableStore {
  const portions = new Map<string, Portion[]>(schemas.map(({ name }) => [name, []]));
  let version = 0;
  /** When the oldest row that is in no catalogue yet was appended. */
  let pendingSince: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  /** Most recently registered first. */
  let held: Held[] = [];

  function contentsOf(columns: ReadonlySet<string>): TableContents[] {
    return schemas.flatMap(({ name, fields }) => {
      const keep = fields.map((field) => columns.has(columnKey(name, field.name)));
      if (!keep.includes(true)) return [];
      const key = keep.map(Number).join('');
      const encodedRows = (portions.get(name) ?? []).map((portion) => {
        const selected = portion.selected.get(key) ?? selectColumns(portion.encoded, keep);
        portion.selected.set(key, selected);
        return selected;
      });
      return [{ name, fields: fields.filter((_, index) => keep[index]), encodedRows }];
    });
  }

  function register({ functions, columns }: Contents): Held {
    const fresh: Held = {
      catalogue: engine.registerCatalogue(contentsOf(columns), [...functions.values()]),
      functions,
      columns,
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
    if (bytesOf(contentsOf(old.columns)) > contentsBytesMax) return retire(old);
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
      if (both && bytesOf(contentsOf(both.columns)) <= contentsBytesMax) {
        const fresh = register(both);
        retire(base);
        return fresh;
      }
    }
    requireSize(contentsOf(needed.columns));
    return register(needed);
  }

  return {
    tables: schemas,

    async append(name, rows) {
      const schema = schemas.find((table) => table.name === name);
      const kept = portions.get(name);
      if (schema === undefined || kept === undefined) throw new Error(`no such table: ${name}`);
      const added: Portion[] = [];
      let batch: object[] = [];
      const encodeBatch = () => {
        const encoded = engine.encodeRows(batch.map((row) => encodeRow(row, schema.fields)));
        added.push({ rows: batch.length, encoded, selected: new Map() });
        batch = [];
      };
      for (const row of rows) {
        if (batch.push(row) < portionRows) continue;
        encodeBatch();
        await nextTurn();
      }
      if (batch.length > 0) encodeBatch();
      if (added.length === 0) return;
      kept.push(...added);
      dropOldest(kept, rowsMax);
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

function includes(held: Contents, needed: Contents): boolean {
  return (
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

function dropOldest(kept: Portion[], rowsMax: number): void {
  let rows = kept.reduce((sum, portion) => sum + portion.rows, 0);
  while (kept[0] && rows - kept[0].rows >= rowsMax) rows -= kept.shift()?.rows ?? 0;
}

function bytesOf(tables: readonly TableContents[]): number {
  return tables.reduce(
    (sum, { encodedRows }) => sum + encodedRows.reduce((size, part) => size + part.length, 0),
    0,
  );
}

function requireSize(tables: readonly TableContents[]): void {
  const bytes = bytesOf(tables);
  if (bytes <= contentsBytesMax) return;
  const names = tables.map(({ name }) => name).join(' and ');
  const mebibytes = (bytes / 1024 / 1024).toFixed(1);
  throw new GoogleSqlError(
    'too-large',
    `the columns that the query reads of ${names} take ${mebibytes} MiB, the engine takes 4: use fewer rows`,
  );
}
