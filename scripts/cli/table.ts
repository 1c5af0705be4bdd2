// Formats rows as a text table, and numbers with their noun.

/**
 * Lines with two spaces between columns and none at their ends. All rows have the same number of cells.
 * Columns in `right` (from 0) are aligned to the right.
 */
export function formatTable(
  rows: readonly (readonly string[])[],
  right: readonly number[] = [],
): string {
  const widths = rows[0]?.map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  return rows
    .map((row) =>
      row
        .map((cell, column) => {
          const width = widths?.[column] ?? 0;
          return right.includes(column) ? cell.padStart(width) : cell.padEnd(width);
        })
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** `1 row`, `2 rows`. */
export function counted(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
