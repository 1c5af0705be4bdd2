// Chooses the rows that a query reads if the engine cannot load all rows of its tables.
import { lastRows } from '../engine/encoded-rows.ts';

export interface Portion {
  rows: number;
  encoded: Buffer;
}

/** The newest rows of a table, oldest first; `isCut` if there are more. */
export interface NewestRows {
  encodedRows: Buffer[];
  rows: number;
  bytes: number;
  isCut: boolean;
}

/**
 * Each table with as many of its newest rows as fit into `bytesMax` together. Small tables stay whole; the
 * others share what is left equally. `portionsOf` gives the rows of a table, the newest portion first; no
 * more of them are taken than fit.
 */
export function newestThatFit<Table extends object>(
  tables: readonly Table[],
  portionsOf: (table: Table) => Iterable<Portion>,
  bytesMax: number,
): (Table & NewestRows)[] {
  const alone = tables.map((table) => newestRows(portionsOf(table), bytesMax));
  const wanted = alone.map(({ bytes, isCut }) => (isCut ? Infinity : bytes));
  const shares = shareOut(wanted, bytesMax);
  return tables.map((table, index) => {
    const newest = alone[index];
    const share = shares[index] ?? 0;
    const fits = newest !== undefined && newest.bytes <= share;
    return { ...table, ...(fits ? newest : newestRows(portionsOf(table), share)) };
  });
}

function newestRows(portions: Iterable<Portion>, bytesMax: number): NewestRows {
  const newest: NewestRows = { encodedRows: [], rows: 0, bytes: 0, isCut: false };
  for (const portion of portions) {
    const bytesLeft = bytesMax - newest.bytes;
    newest.isCut = portion.encoded.length > bytesLeft;
    const { encoded, rows } = newest.isCut ? lastRows(portion.encoded, bytesLeft) : portion;
    newest.encodedRows.unshift(encoded);
    newest.rows += rows;
    newest.bytes += encoded.length;
    if (newest.isCut) break;
  }
  return newest;
}

/** The share of each in `total`: no more than it wants, and what one leaves is for the others. */
function shareOut(wanted: readonly number[], total: number): number[] {
  const shares: number[] = [];
  let left = total;
  const ascending = [...wanted.entries()].sort(([, a], [, b]) => a - b);
  for (const [position, [index, bytes]] of ascending.entries()) {
    const share = Math.min(bytes, Math.floor(left / (ascending.length - position)));
    shares[index] = share;
    left -= share;
  }
  return shares;
}
