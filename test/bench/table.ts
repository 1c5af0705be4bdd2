// What a part of the benchmark has found, for people and for programs.

export interface Findings {
  title: string;
  columns: string[];
  rows: (string | number)[][];
  /** What the table leaves unsaid. */
  notes?: string[];
  /** For `--json`. */
  figures: Record<string, number>;
}

/** A Markdown table, aligned for a terminal. */
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

/** Four digits at most: more is noise. */
export function round(value: number): number {
  return value >= 1000 ? Math.round(value) : Number(value.toPrecision(3));
}
