// Says how a query can bound the partitions of a table that it reads: with which condition, and where to write it.
import type { QueryParameterType, TableReference } from '../../local-bigquery/index.ts';

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
