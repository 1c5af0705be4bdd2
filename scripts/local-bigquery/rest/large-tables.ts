// Takes the newest rows of tables that have more than the engine takes at once, which the answer says.

export interface Portion {
  rows: number;
  encoded: Buffer;
}

/** A table with its rows that may matter to a query, the newest portion first. */
interface QueriedRows {
  name: string;
  rows: number;
  portions: () => Iterable<Portion>;
}

/** A table that was read in part. */
export interface CutTable {
  table: string;
  rowsRead: number;
  /** Of the partitions that the query reads. */
  rows: number;
}

/** The newest rows of a table, oldest first. */
interface NewestRows {
  encodedRows: Buffer[];
  rowsRead: number;
  isCut: boolean;
}

/**
 * Each table with as many of its newest portions as fit into `bytesMax` together: one of each table in turn, so that small
 * tables stay whole. Of each, only one more than fits is asked for.
 */
export function newestThatFit<Table extends QueriedRows>(
  tables: readonly Table[],
  bytesMax: number,
): (Table & NewestRows)[] {
  const all = tables.map((table) => {
    return { ...table, rowsRead: 0, isCut: false, encodedRows: [] as Buffer[] };
  });
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
      table.encodedRows.push(encoded);
      table.rowsRead += rows;
      bytesLeft -= encoded.length;
    }
  }
  for (const { encodedRows } of all) encodedRows.reverse();
  return all;
}

export function cutTables(read: readonly (QueriedRows & NewestRows)[]): CutTable[] {
  return read
    .filter(({ isCut }) => isCut)
    .map(({ name, rowsRead, rows }) => ({ table: name, rowsRead, rows }));
}
