// Finds the columns that a query needs of its tables.
import type { Analysis } from '../sql-script.ts';
import { isSymbol, tokens } from '../../../lexer/sql-tokens.ts';
import type { TableField } from '../../values/table-schema.ts';

/**
 * The columns that the engine needs to run the query, by table: those that are read, and those that are
 * only named. `SELECT *` needs all columns. At least one per table.
 */
export function columnsNeeded(
  { statement, functions, reads }: Analysis,
  fieldsOf: (table: string) => readonly TableField[],
): Map<string, Set<string>> {
  const all = [statement, ...functions.map(({ body }) => body)].flatMap(tokens);
  const names = new Set(
    all.map(({ kind, text }) =>
      (kind === 'quoted' ? text.slice(1, -1) : kind === 'word' ? text : '').toLowerCase(),
    ),
  );
  const isStar = all.some(
    (token, index) =>
      isSymbol(token, '*') &&
      /^(SELECT|DISTINCT|ALL|STRUCT|VALUE|,|\.)$/i.test(all[index - 1]?.text ?? ''),
  );
  const needed = new Map<string, Set<string>>();
  for (const { table, columns } of reads) {
    const fields = fieldsOf(table);
    const named = fields
      .map((field) => field.name)
      .filter((column) => isStar || names.has(column.toLowerCase()));
    const some = [...(needed.get(table) ?? []), ...columns, ...named];
    needed.set(
      table,
      new Set(some.length > 0 ? some : fields.slice(0, 1).map((field) => field.name)),
    );
  }
  return needed;
}
