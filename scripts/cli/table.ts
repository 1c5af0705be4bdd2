// Formats rows as a text table, numbers with their noun, and lists of names.

/** Two spaces between columns, none at their ends. All rows have as many cells; columns in `right` (from 0) are aligned right. */
export function formatTable(rows: readonly (readonly string[])[], right: readonly number[] = []) {
  const widths = rows[0]?.map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  const padded = (cell: string, column: number): string => {
    const width = widths?.[column] ?? 0;
    return right.includes(column) ? cell.padStart(width) : cell.padEnd(width);
  };
  return rows.map((row) => row.map(padded).join('  ').trimEnd()).join('\n');
}

/** `1 row`, `2 rows`. */
export function counted(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

/** The first items of a list, and how many more there are. */
export function firstOf(items: readonly string[], most: number): string[] {
  if (items.length <= most) return [...items];
  return [...items.slice(0, most), `… and ${items.length - most} more`];
}

export function someNames(names: Iterable<string>): string {
  return firstOf([...names], 5).join(', ');
}
