// Reads and writes the comment that a query begins with: the question, what one row is, and the cost.
import { tokens } from '../lexer/sql-tokens.ts';
import { type Analysis, partitionColumn } from '../local-bigquery/index.ts';
import type { Source } from '../sources/read-sources.ts';

/** The text before the first token, without the marks of comments; empty if there is none. */
export function leadingComment(sql: string): string {
  const end = tokens(sql)[0]?.start ?? sql.length;
  return sql
    .slice(0, end)
    .replace(/^\uFEFF/, '')
    .split('\n')
    .map((line) => line.replace(/^\s*(?:--|#|\/\*+|\*(?!\/))?\s?/, '').replace(/\s*\*+\/\s*$/, ''))
    .join('\n')
    .trim();
}

/** The description in a leading comment: its text up to the line of the cost. */
export function describedBy(comment: string): string {
  const [question = ''] = comment.split(/^cost:/im);
  return question
    .replace(/^query\.sql:/, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

export function newLeadingComment(
  description: string,
  groups: readonly string[] | undefined,
  { scans }: Analysis,
  sources: readonly Source[],
): string {
  const read = scans.map((scan) => {
    const source = sources.find(({ name }) => name === scan.table);
    const column = source && partitionColumn(source)?.name;
    return column !== undefined && scan.conditions.has(column)
      ? `the partitions of ${scan.table} that the filter on ${column} leaves`
      : `all of ${scan.table}`;
  });
  const tables = [...new Set(scans.map(({ table }) => table))];
  const match = `${tables.length > 1 ? 'match' : 'row'} of ${listFormat.format(tables)}`;
  const row = groups ? listFormat.format(groups) : tables.length === 0 ? '' : match;
  const question = /[.?!]$/.test(description) ? description : `${description}.`;
  return [
    `-- ${question} ${row === '' ? 'One row' : `One row per ${row}`}.`,
    `-- Cost: ${read.length === 0 ? 'reads no table' : `scans ${[...new Set(read)].join(', and ')}`}.`,
    '',
  ].join('\n');
}

/** `a, b and c`. */
const listFormat = new Intl.ListFormat('en-GB');
