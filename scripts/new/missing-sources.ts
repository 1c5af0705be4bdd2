// Finds the tables that a query names and no source has, so that all of their folders can be made at once.
import { isSymbol, isWord, tokens } from '../../functions/endpoints/sql-tokens.ts';
import { tablePaths } from '../../functions/endpoints/table-paths.ts';
import { folderOf } from '../check/missing-table.ts';
import type { Source } from '../sources/source.ts';

/** The names of their folders, in the order of the text: of what stands after FROM or JOIN, but for names that it defines. */
export function missingSources(sql: string, sources: readonly Source[]): string[] {
  const all = tokens(sql);
  const defined = new Set<string>();
  for (const [index, token] of all.entries()) {
    const isQuery = isWord(all[index + 1], 'AS') && isSymbol(all[index + 2], '(');
    const isAlias = isWord(all[index - 1], 'AS');
    if (isQuery || isAlias) defined.add(token.text.replaceAll('`', '').toLowerCase());
  }
  const folders = tablePaths(sql).flatMap(({ parts, start, end }) => {
    const [before, after] = [
      all.findLast((token) => token.end <= start),
      all.find((token) => token.start >= end),
    ];
    const isTable = isWord(before, 'FROM') || isWord(before, 'JOIN');
    if (!isTable || isSymbol(after, '(') || defined.has(parts[0]?.toLowerCase() ?? '')) return [];
    return [folderOf(parts.join('.'))];
  });
  const known = sources.map(({ name }) => name);
  return [...new Set(folders)].filter((folder) => !known.includes(folder));
}
