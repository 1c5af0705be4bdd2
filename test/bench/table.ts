// The findings of a measurement, and their format as a Markdown table.
import { format } from 'prettier';
import { table } from '../docs/generate/markdown.ts';

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
export function formatFindings({ title, columns, rows, notes = [] }: Findings): Promise<string> {
  const cells = rows.map((row) => row.map(String));
  const parts = [`## ${title}`, table(columns, cells), ...notes];
  return format(parts.join('\n\n'), { parser: 'markdown', printWidth: 200 });
}

/** Three or four significant digits; more would be noise. */
export function round(value: number): number {
  return value >= 1000 ? Math.round(value) : Number(value.toPrecision(3));
}
