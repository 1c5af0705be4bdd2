// Finds in a query everything that may be the name of a table, as BigQuery reads it.
import { tokens } from './sql-tokens.ts';

/** A path as it is written, such as `` my-project.`crm.customers` ``. */
export interface TablePath {
  /** The names in it, without back quotes: BigQuery also takes several names in one pair of them. */
  parts: readonly string[];
  start: number;
  end: number;
}

/** A name in back quotes, or one of letters, digits and the dashes and colons of a project's id. */
const NAME = '(?:`[^`\\n]*`|[\\w-]+(?::[\\w-]+)?)';
const PATH = new RegExp(`${NAME}(?:\\s*\\.\\s*${NAME})*`, 'g');

/** Also paths that name a column or a function, and sums such as `a-b`. Nothing in strings and comments. */
export function tablePaths(sql: string): TablePath[] {
  let code = '';
  for (const { kind, text, start } of tokens(sql)) {
    code = code.padEnd(start) + (kind === 'string' ? ' '.repeat(text.length) : text);
  }
  return [...code.matchAll(PATH)].map(({ 0: text, index }) => ({
    parts: pathParts(text),
    start: index,
    end: index + text.length,
  }));
}

/** The names of a path that is written in one of the ways of BigQuery. */
export function pathParts(text: string): string[] {
  return text.split('.').map((part) => part.replaceAll('`', '').trim());
}
