// Chooses the rows that a query reads if the engine cannot load all rows of its tables.

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
