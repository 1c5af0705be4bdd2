// The findings of a measurement, and their format as a Markdown table.

export interface Findings {
  title: string;
  columns: string[];
  rows: (string | number)[][];
  /** Printed below the table. */
  notes?: string[];
  /** The figures of `--json`, by key. */
  figures: Record<string, number>;
}

/** A Markdown table with aligned columns. */
export function formatFindings({ title, columns, rows, notes = [] }: Findings): string {
  const cells = [columns, columns.map(() => ''), ...rows.map((row) => row.map(String))];
  const widths = columns.map((_, column) =>
    Math.max(3, ...cells.map((row) => row[column]?.length ?? 0)),
  );
  const lines = cells.map((row, index) => {
    const padded = widths.map((width, column) => {
      if (index === 1) return '-'.repeat(width);
      const cell = row[column] ?? '';
      return column === 0 ? cell.padEnd(width) : cell.padStart(width);
    });
    return `| ${padded.join(' | ')} |`;
  });
  return [`## ${title}`, '', ...lines, ...notes.flatMap((note) => ['', note]), ''].join('\n');
}

/** Three or four significant digits; more would be noise. */
export function round(value: number): number {
  return value >= 1000 ? Math.round(value) : Number(value.toPrecision(3));
}
