// Explains what to do about a table that a query names and sql/sources lacks.
import { pathParts, tablePaths } from '../../lexer/sql-text.ts';
import { isSymbol, isWord, nameOf, tokens } from '../../lexer/sql-tokens.ts';
import { nameParts, type PartitionedTable, queriedTable } from '../../local-bigquery/index.ts';

/** GoogleSQL's message that a table was not found, with what to do, also for others of the text. Undefined for another message. */
export function missingTable(message: string, sources: readonly PartitionedTable[], sql: string) {
  const written = /^Table not found: (.+?)(?:; Did you mean .*\?)?$/.exec(message)?.[1];
  if (written === undefined) return undefined;
  const inOther = wrongProject(written, sources);
  if (inOther !== undefined) return inOther;
  if (message.includes('Did you mean')) return message;
  const parts = pathParts(written);
  const name = parts.slice(-2).join('.');
  const given = name.includes('*') ? `'${name}'` : name;
  const known = sources.map((source) => source.name).join(', ');
  const others = missingSources(sql, sources).filter((folder) => folder !== folderOf(written));
  const nor = others.length === 0 ? '' : `, nor ${others.join(' nor ')}`;
  const same = sources.find(
    (source) =>
      parts.length > 1 &&
      queriedTable(source).dataset === undefined &&
      source.name === parts.at(-1),
  );
  if (same !== undefined) {
    return `${message}: write ${same.name}, the source of sql/sources/${same.name}; if the query means another table, npm run new -- --source ${given} --from FILE creates it`;
  }
  const place = parts.length > 2 ? `, whose table.json needs "table": "${parts.join('.')}"` : '';
  return `${message}: no source has this name${nor}; npm run new -- --source ${given} --from FILE creates sql/sources/${folderOf(written)}${place} (known: ${known || 'none'})`;
}

/** The same for a table that a source has in another project than the query; else undefined. */
function wrongProject(written: string, sources: readonly PartitionedTable[]) {
  const [table = '', dataset, ...before] = pathParts(written).toReversed();
  const project = before.length > 0 ? before.toReversed().join('.') : undefined;
  for (const source of sources) {
    const { name, definition } = source;
    const place = queriedTable(source);
    if (place.dataset === undefined || place.dataset !== dataset) continue;
    const prefix = definition?.shards?.prefix;
    const isNamed =
      prefix === undefined ? table === nameParts(name).table : table.startsWith(prefix);
    if (!isNamed || project === place.project) continue;
    const looked = project ?? 'the project in which the query runs';
    if (place.project === undefined) {
      const full = `${looked}.${dataset}.${place.table}`;
      return `${written}: BigQuery looks in ${looked}; if the table is there, the table.json of ${name} needs "table": "${full}"`;
    }
    return `${written}: BigQuery looks in ${looked}, but the table.json of ${name} has ${place.project}: write \`${place.project}.${dataset}.${table}\``;
  }
  return undefined;
}

/** The name of the folder for a table as a query writes it. */
function folderOf(written: string): string {
  return pathParts(written).slice(-2).join('.').replace(/_*\*$/, '');
}

/** The folders of tables without a source, in the order of the text: the names after FROM or JOIN that the query does not define. */
function missingSources(sql: string, sources: readonly PartitionedTable[]): string[] {
  const all = tokens(sql);
  const named = all.filter((_, index) => {
    const isQuery = isWord(all[index + 1], 'AS') && isSymbol(all[index + 2], '(');
    return isQuery || isWord(all[index - 1], 'AS');
  });
  const defined = new Set(named.map(nameOf));
  const folders = tablePaths(sql).flatMap(({ parts, start, end }) => {
    const before = all.findLast((token) => token.end <= start);
    const after = all.find((token) => token.start >= end);
    const isTable = isWord(before, 'FROM') || isWord(before, 'JOIN');
    if (!isTable || isSymbol(after, '(') || defined.has(parts[0]?.toLowerCase() ?? '')) return [];
    return [folderOf(parts.join('.'))];
  });
  const known = sources.map(({ name }) => name);
  return [...new Set(folders)].filter((folder) => !known.includes(folder));
}
