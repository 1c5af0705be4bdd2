// Runs a query over tables that have more rows than the engine takes at once: on their newest rows, which the answer says.
import type { EvaluateRequest, GoogleSql, QueryRows } from '../analysis/google-sql.ts';
import type { SqlFunction } from '../values/engine-catalogue.ts';
import type { TableField } from '../values/table-schema.ts';

/** A table with the columns that a query needs; `portions` has the rows that may matter to it, the newest first. */
export interface QueriedRows {
  name: string;
  fields: readonly TableField[];
  rows: number;
  portions: () => Iterable<Portion>;
}

interface LargeQuery extends Omit<EvaluateRequest, 'catalogue'> {
  functions: readonly SqlFunction[];
  tables: readonly QueriedRows[];
  /** The most that the engine takes of all rows at once. */
  bytesMax: number;
}

/** A table that was read in part. */
export interface CutTable {
  table: string;
  rowsRead: number;
  /** Of the partitions that the query reads. */
  rows: number;
}

/** The rows, and the tables of which not all rows were read: only the newest of these decided the rows. */
export async function evaluateLarge(
  engine: GoogleSql,
  query: LargeQuery,
): Promise<{ rows: QueryRows; cuts: CutTable[] }> {
  const newest = newestThatFit(query.tables, query.bytesMax);
  const catalogue = await engine.registerCatalogue(newest, query.functions);
  try {
    const rows = await engine.evaluate({ ...query, catalogue });
    const cut = newest.filter(({ isCut }) => isCut);
    return {
      rows,
      cuts: cut.map(({ name: table, rowsRead, rows: all }) => ({ table, rowsRead, rows: all })),
    };
  } finally {
    void engine.unregisterCatalogue(catalogue).catch(() => undefined);
  }
}

export interface Portion {
  rows: number;
  encoded: Buffer;
}

/** The newest rows of a table, oldest first; `isCut` if there are more. */
interface NewestRows {
  encodedRows: Buffer[];
  rowsRead: number;
  bytes: number;
  isCut: boolean;
}

/**
 * Each table with as many of its newest portions as fit into `bytesMax` together: one of each table in turn, so that small
 * tables stay whole. `portions` gives the newest first; only one more than fits is asked for.
 */
export function newestThatFit<Table extends { portions: () => Iterable<Portion> }>(
  tables: readonly Table[],
  bytesMax: number,
): (Table & NewestRows)[] {
  const none = { rowsRead: 0, bytes: 0, isCut: false };
  const all = tables.map((table) => ({ ...table, ...none, encodedRows: [] as Buffer[] }));
  const open = new Map(all.map((table) => [table, table.portions()[Symbol.iterator]()]));
  let bytesLeft = bytesMax;
  while (open.size > 0) {
    for (const [table, portions] of open) {
      const next = portions.next();
      table.isCut = !next.done && next.value.encoded.length > bytesLeft;
      if (next.done || table.isCut) {
        open.delete(table);
        continue;
      }
      const { encoded, rows } = next.value;
      table.encodedRows.unshift(encoded);
      table.rowsRead += rows;
      table.bytes += encoded.length;
      bytesLeft -= encoded.length;
    }
  }
  return all;
}
