// Says what to do about a table that a query names and sql/sources lacks, or whose partitions it does not bound.
import { pathParts } from '../../lexer/sql-text.ts';
import { nameParts, queriedTable } from '../../local-bigquery/index.ts';
import type {
  PartitionedTable,
  QueryParameterType,
  TableReference,
} from '../../local-bigquery/index.ts';

/** The last 30 days, by the type of a column or a parameter. */
const LAST_DAYS: Readonly<Record<string, string>> = {
  DATE: 'DATE_SUB(CURRENT_DATE(), INTERVAL 29 DAY)',
  DATETIME: 'DATETIME_SUB(CURRENT_DATETIME(), INTERVAL 30 DAY)',
  TIMESTAMP: 'TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 30 DAY)',
};

interface BoundQuery {
  sql: string;
  parameters?: Record<string, QueryParameterType>;
}

/** The end of a message: a bound by the parameter that is tested for NULL, or else by the time. */
export function boundPartitions({ table }: TableReference, query: BoundQuery): string {
  const { sql, parameters = {} } = query;
  const { fields, definition } = table.source;
  const column = definition?.partitioning?.field ?? '_PARTITIONTIME';
  const own = fields.find((one) => one.name === column)?.type ?? 'TIMESTAMP';
  const isTested = (name: string): boolean =>
    new RegExp(`@${name}\\s+IS\\s+NULL\\b`, 'i').test(sql);
  const [parameter, { type = '' } = {}] =
    Object.entries(parameters).find(([name, one]) => LAST_DAYS[one.type] && isTested(name)) ?? [];
  // WHERE comes after the joins, so it bounds no table whose columns an outer join makes NULL where there is no match.
  const place = /\b(?:LEFT|RIGHT|FULL)\s+(?:OUTER\s+)?JOIN\b/i.test(sql)
    ? ', to the ON of a LEFT JOIN of this table, or in brackets in its place: (SELECT * FROM … WHERE …),'
    : '';
  if (parameter === undefined)
    return `: add ${column} >= ${LAST_DAYS[own]}${place} for the last 30 days`;
  const compared = own === type ? column : `${type}(${column})`;
  const bound = `${compared} >= COALESCE(@${parameter}, ${LAST_DAYS[type]})`;
  return `. A call without ${parameter} reads all partitions: write ${bound}${place} for the last 30 days`;
}

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
