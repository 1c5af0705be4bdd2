// Explains what to do about a table that a query names and sql/sources lacks.
import { pathParts } from '../../lexer/sql-text.ts';
import { nameParts, type PartitionedTable, queriedTable } from '../../local-bigquery/index.ts';

/** GoogleSQL's message that a table was not found, with what to do. Undefined for another message. */
export function missingTable(message: string, sources: readonly PartitionedTable[]) {
  const written = /^Table not found: (.+?)(?:; Did you mean .*\?)?$/.exec(message)?.[1];
  if (written === undefined) return undefined;
  const parts = pathParts(written);
  const [table = '', dataset] = parts.toReversed();
  const name = parts.slice(-2).join('.');
  const inProject = parts.slice(0, -2).join('.') || undefined;
  const elsewhere = sources.find((source) => {
    const prefix = source.definition?.shards?.prefix;
    const isNamed = prefix ? table.startsWith(prefix) : table === nameParts(source.name).table;
    const place = queriedTable(source);
    return isNamed && dataset && place.dataset === dataset && place.project !== inProject;
  });
  if (elsewhere !== undefined) {
    const { project } = queriedTable(elsewhere);
    const remedy = project
      ? `says that it is in ${project}: write \`${project}.${name}\``
      : `needs "table": "${parts.join('.')}", if the table is there`;
    return `${message}: the table.json of ${elsewhere.name} ${remedy}`;
  }
  if (message.includes('Did you mean')) return message;
  const given = name.includes('*') ? `'${name}'` : name;
  const creates = `npm run new -- --source ${given} --from FILE creates`;
  const isSame = (source: PartitionedTable): boolean =>
    source.name === table && queriedTable(source).dataset === undefined;
  if (dataset !== undefined && sources.some(isSame)) {
    return `${message}: write ${table}, the source of sql/sources/${table}; if the query means another table, ${creates} it`;
  }
  const place = parts.length > 2 ? `, whose table.json needs "table": "${parts.join('.')}"` : '';
  const known = sources.map((source) => source.name).join(', ') || 'none';
  const folder = name.replace(/_*\*$/, '');
  return `${message}: no source has this name; ${creates} sql/sources/${folder}${place} (known: ${known})`;
}
