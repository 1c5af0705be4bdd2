// Reads the tables of the READMEs, for tests that compare them with the code.
import { readFileSync } from 'node:fs';

/** The rows of the first table under a heading with this first column, without back-ticks. */
export function tableUnder(page: string, heading: string, column: string): string[][] {
  const lines = readFileSync(page, 'utf8').split(`\n${heading}\n`)[1]?.split('\n') ?? [];
  const start = lines.findIndex((line) => line.startsWith(`| ${column} `));
  if (start === -1) throw new Error(`${page} has no table of ${column} under ${heading}`);
  const end = lines.findIndex((line, index) => index > start && !line.startsWith('|'));
  return lines.slice(start + 2, end).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('`', '')),
  );
}
