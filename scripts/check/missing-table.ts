// Explains what to do about a table that a query names and sql/sources lacks.
import { pathParts } from '../lexer/sql-text.ts';
import { nameParts, type PartitionedTable, queriedTable } from '../local-bigquery/index.ts';

/** GoogleSQL's message that a table was not found, with what to do; undefined for another message. */
export function missingTable(message: string, sources: readonly PartitionedTable[]) {
  const written = notFound(message);
  if (written === undefined) return undefined;
  const inOther = wrongProject(message, sources);
  if (inOther !== undefined) return inOther;
  if (message.includes('Did you mean')) return message;
  const name = folderOf(written);
  const shards = written.includes('*') ? ', and shards in its table.json' : '';
  return `${message}: no source has this name; npm run new -- --source ${name} --from FILE creates sql/sources/${name}${shards}`;
}

/** The same for a table that a source has in another project than the query; else undefined. */
export function wrongProject(message: string, sources: readonly PartitionedTable[]) {
  const written = notFound(message);
  if (written === undefined) return undefined;
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
export function folderOf(written: string): string {
  return pathParts(written).slice(-2).join('.').replace(/_*\*$/, '');
}

function notFound(message: string): string | undefined {
  return /^Table not found: (.+?)(?:; Did you mean .*\?)?$/.exec(message)?.[1];
}
