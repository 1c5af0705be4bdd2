// The rows of the local tables, and notes about them at the start.
import type { LocalTable } from '../../local-bigquery/index.ts';

export interface NotedTable extends LocalTable {
  /** Notes for the user about its rows, as for those of all tables. */
  notes: () => string[];
}

export interface LocalRows {
  /** The rows are read when they are asked for. */
  tables: NotedTable[];
  /** Notes for the user about the rows, a sentence each; complete once all rows have been read. */
  notes: () => string[];
}

const NAMES_SHOWN = 5;

/** The first names of a list, and how many more there are: `a, b, c, d, e and 35 more`. */
export function someNames(names: Iterable<string>): string {
  const all = [...names];
  const shown = all.slice(0, NAMES_SHOWN).join(', ');
  return all.length > NAMES_SHOWN ? `${shown} and ${all.length - NAMES_SHOWN} more` : shown;
}
