// Finds the columns that a query needs of its tables.
import type { NamedTable, NamedTables } from '../named-tables.ts';
import type { Analysis } from '../sql-script.ts';
import { isSymbol, tokens } from '../../../lexer/sql-tokens.ts';

/**
 * The columns that the engine needs to run the query, by table: those that are read, and those that are
 * only named. `SELECT *` needs all columns. At least one per table.
 */
export function columnsNeeded(
  { statement, functions, reads }: Analysis,
  find: NamedTables['find'],
): Map<NamedTable, Set<string>> {
  const words = [statement, ...functions.map(({ body }) => body)].flatMap(tokens);
  const names = new Set(
    words.map(({ kind, text }) =>
      (kind === 'quoted' ? text.slice(1, -1) : kind === 'word' ? text : '').toLowerCase(),
    ),
  );
  const isStar = words.some(
    (token, index) =>
      isSymbol(token, '*') &&
      /^(SELECT|DISTINCT|ALL|STRUCT|VALUE|,|\.)$/i.test(words[index - 1]?.text ?? ''),
  );
  const needed = new Map<NamedTable, Set<string>>();
  for (const { table, columns } of reads) {
    const found = find(table);
    if (found === undefined) continue;
    const all = found.fields.map(({ name }) => name);
    const named = all.filter((column) => isStar || names.has(column.toLowerCase()));
    const some = [...(needed.get(found) ?? []), ...columns, ...named];
    needed.set(found, new Set(some.length > 0 ? some : all.slice(0, 1)));
  }
  return needed;
}
