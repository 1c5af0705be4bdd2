// Says how a query can bound the partitions of a table that it reads: with which condition, and where to write it.
import { textOf } from '../../lexer/brackets.ts';
import { aliasAfter, clausesAround } from '../../lexer/query-clauses.ts';
import { isSymbol, isWord, tokens } from '../../lexer/sql-tokens.ts';
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
export function boundPartitions({ table, scan }: TableReference, query: BoundQuery): string {
  const { sql, parameters = {} } = query;
  const all = tokens(sql);
  const isTested = (name: string): boolean =>
    all.some(
      ({ text }, at) =>
        text === `@${name}` && isWord(all[at + 1], 'IS') && isWord(all[at + 2], 'NULL'),
    );
  const { fields, definition } = table.source;
  const field = definition?.partitioning?.field ?? '_PARTITIONTIME';
  const own = fields.find((one) => one.name === field)?.type ?? 'TIMESTAMP';
  const found = Object.entries(parameters).find(
    ([name, { type }]) => LAST_DAYS[type] && isTested(name),
  );
  const { column, place } = placeOfBound(sql, scan.offset, field);
  if (found === undefined) {
    return `: ${place(`${column} >= ${LAST_DAYS[own]}`, 'add')} for the last 30 days`;
  }
  const [parameter, { type }] = found;
  const compared = own === type ? column : `${type}(${column})`;
  const bound = `${compared} >= COALESCE(@${parameter}, ${LAST_DAYS[type]})`;
  return `. A call without ${parameter} reads all partitions: ${place(bound, 'write')} for the last 30 days`;
}

/** WHERE comes after the joins, so it bounds no table whose columns an outer join makes NULL where there is no match. */
function placeOfBound(sql: string, offset: number, field: string) {
  const all = tokens(sql);
  const at = all.findIndex(({ start }) => start === offset);
  let last = at;
  while (isSymbol(all[last + 1], '.')) last += 2;
  const alias = aliasAfter(all, last);
  const path = textOf(sql, all.slice(at, last + 1));
  const name = alias === undefined ? path : (all[alias]?.text ?? '');
  const from = clausesAround(all, at).get('FROM') ?? { at, end: at };
  const clause = all.slice(from.at, from.end).filter(({ depth }) => depth === all[at]?.depth);
  const joins = clause.filter((token) => isWord(token, 'JOIN'));
  const column = joins.length > 0 ? `${/^[`\w]+$/.test(name) ? name : path}.${field}` : field;
  /** The words before JOIN: LEFT, RIGHT, FULL. */
  const sideOf = (join: (typeof joins)[number]): string => {
    const before = clause.slice(0, clause.indexOf(join)).slice(-2);
    return (
      before
        .map(({ text }) => text.toUpperCase())
        .find((text) => /^(?:LEFT|RIGHT|FULL)$/.test(text)) ?? ''
    );
  };
  const joined = joins.find((join) => join === all[at - 1]);
  const later = joins.some((join) => join.start > offset && /RIGHT|FULL/.test(sideOf(join)));
  const side = joined ? sideOf(joined) : '';
  const hasOn = isWord(all[(alias ?? last) + 1], 'ON');
  const because = 'because WHERE comes after the join:';
  if (!later && side === 'LEFT' && hasOn) {
    const place = (bound: string): string =>
      `add to the ON of its LEFT JOIN, ${because} AND ${bound},`;
    return { column, place };
  }
  if (later || side === 'LEFT' || side === 'FULL') {
    const place = (bound: string): string =>
      `join its rows in brackets, ${because} (SELECT * FROM ${path} WHERE ${bound}) AS ${name},`;
    return { column: field, place };
  }
  return { column, place: (bound: string, verb: string) => `${verb} ${bound}` };
}
