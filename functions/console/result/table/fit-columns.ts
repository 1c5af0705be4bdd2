// Distributes the width of the table among its columns.

interface ColumnWidths {
  /** The least width of the column, in pixels. */
  least: number;
  /** The width that its longest text needs. */
  most: number;
}

/** More would put the columns of a narrow table too far from each other to read along a row. */
const EXTRA_MAX = 160;

/**
 * Whole pixels for each column. What `least` leaves goes first to columns that need more, evenly, and the rest to all.
 * The sum exceeds `available` only where `least` does.
 */
export function fitColumns(columns: readonly ColumnWidths[], available: number): number[] {
  const widths = columns.map(({ least }) => least);
  let room = available - sum(widths);
  let needy = columns.flatMap(({ least, most }, index) => (most > least ? [{ index, most }] : []));
  while (room > 0 && needy.length > 0) {
    const share = room / needy.length;
    for (const { index, most } of needy)
      widths[index] = Math.min(most, (widths[index] ?? 0) + share);
    room = available - sum(widths);
    const still = needy.filter(({ index, most }) => (widths[index] ?? 0) < most);
    if (still.length === needy.length) break;
    needy = still;
  }
  const rest = Math.min(Math.max(0, available - sum(widths)) / columns.length, EXTRA_MAX);
  return widths.map((width) => Math.floor(width + rest));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
