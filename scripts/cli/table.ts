// Formats rows as a text table.

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
