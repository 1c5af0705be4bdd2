// Applies pipe operators to a query, as clauses of it or of a query around it.
import { type Token, closingBracket, isSymbol, isWord, tokens } from '../../../lexer/sql-tokens.ts';
import { separated } from './call-arguments.ts';
import { googleSqlPlace } from '../../../faults/text-place.ts';
import { GoogleSqlError } from '../../engine/error.ts';
import type { Piece } from './mapped-text.ts';

/** What is left of the first pipe: `FROM t`, or a query. */
export function pipeInput(head: readonly Token[]): PipedQuery {
  return isWord(head[0], 'FROM')
    ? { from: [slice(head.slice(1))], alias: aliasOf(head.slice(1)), where: [] }
    : { from: ['(', slice(head), ')'], where: [] };
}

/** A query in the making: what is undefined can still be added. */
interface PipedQuery {
  from: Piece[];
  /** The name by which operators may refer to the table so far. */
  alias?: Piece | undefined;
  where: Piece[][];
  select?: Piece[];
  groupBy?: string;
  orderBy?: Piece[];
  limit?: Piece[];
}

/** The query as SQL without pipes. */
export function queryText({
  from,
  where,
  select = ['*'],
  groupBy,
  orderBy,
  limit,
}: PipedQuery): Piece[] {
  const conditions = where.flatMap((condition, index) => [
    index === 0 ? ' WHERE (' : ' AND (',
    ...condition,
    ')',
  ]);
  return [
    'SELECT ',
    ...select,
    ' FROM ',
    ...from,
    ...conditions,
    ...(groupBy === undefined ? [] : [` GROUP BY ${groupBy}`]),
    ...(orderBy ? [' ORDER BY ', ...orderBy] : []),
    ...(limit ? [' LIMIT ', ...limit] : []),
  ];
}

/** The query as a table. */
function nested(query: PipedQuery, alias = query.alias): PipedQuery {
  const name = alias === undefined ? [] : [' AS ', alias];
  return { from: ['(', ...queryText(query), ')', ...name], alias, where: [] };
}

/** As a query to whose columns, order and number of rows nothing has been done. */
function open(query: PipedQuery): PipedQuery {
  const { select, orderBy, limit } = query;
  return select || orderBy || limit ? nested(query) : query;
}

/** Throws `GoogleSqlError` at an operator that has no other form; `sql` is the text of the tokens. */
export function withOperator(
  query: PipedQuery,
  operator: readonly Token[],
  sql: string,
): PipedQuery {
  const words = operator.slice(0, 2).map(({ text }) => text.toUpperCase());
  const rest = operator.slice(1);
  switch (words[0] ?? '') {
    case 'WHERE': {
      const base = open(query);
      return { ...base, where: [...base.where, [slice(rest)]] };
    }
    case 'SELECT': {
      const isOpen = !query.select && !query.limit && !isWord(rest[0], 'DISTINCT');
      const base = isOpen && !hidesOrder(query, rest, sql) ? query : open(query);
      return { ...base, select: [slice(rest)], alias: undefined };
    }
    case 'EXTEND':
    case 'WINDOW':
      return { ...open(query), select: ['*, ', slice(rest)] };
    case 'SET': {
      const columns = separated(rest).flatMap(([name, , ...value]): Piece[] => [
        ', ',
        slice(value),
        ' AS ',
        slice(name ? [name] : []),
      ]);
      return { ...open(query), select: ['* REPLACE (', ...columns.slice(1), ')'] };
    }
    case 'DROP':
      return { ...open(query), select: ['* EXCEPT (', slice(rest), ')'] };
    case 'RENAME': {
      const columns = separated(rest);
      const old = columns.flatMap(([name]): Piece[] => [', ', slice(name ? [name] : [])]);
      const renamed = columns.flatMap((column): Piece[] => [', ', slice(column)]);
      return { ...open(query), select: ['* EXCEPT (', ...old.slice(1), ')', ...renamed] };
    }
    case 'DISTINCT':
      return { ...open(query), select: ['DISTINCT *'] };
    case 'AGGREGATE':
      return aggregated(open(query), rest);
    case 'ORDER':
      return { ...(query.limit ? open(query) : query), orderBy: [slice(rest.slice(1))] };
    case 'LIMIT':
      return { ...(query.limit ? open(query) : query), limit: [slice(rest)] };
    case 'AS':
      return nested(query, slice(rest));
    case 'UNION':
    case 'INTERSECT':
    case 'EXCEPT':
      return combined(query, operator);
    case 'PIVOT':
    case 'UNPIVOT': {
      const alias = aliasOf(rest.slice((closingBracket(rest, 0) ?? 0) + 1));
      const { from } = nested(query, undefined);
      return { from: [...from, ' ', slice(operator)], alias, where: [] };
    }
    case 'TABLESAMPLE': {
      const base = isTable(query) ? query : nested(query);
      return { ...base, from: [...base.from, ' ', slice(operator)] };
    }
    default:
      break;
  }
  if (['LEFT', 'FULL'].includes(words[0] ?? '') && ['UNION', 'OUTER'].includes(words[1] ?? '')) {
    const set = operator.findIndex((token) => isWord(token, 'UNION'));
    if (set > 0 && set < 3) return combined(query, operator);
  }
  if (JOINS.includes(words[0] ?? '')) return joined(query, operator);
  const place = googleSqlPlace(sql, operator[0]?.start ?? 0);
  throw new GoogleSqlError(
    'unsupported',
    `the pipe operator ${words[0] ?? ''} is not in the local engine at [${place}]`,
  );
}

/** `ORDER BY n |> SELECT -n AS n`: in one query, the rows would be ordered by the new column. */
function hidesOrder({ orderBy = [] }: PipedQuery, select: readonly Token[], sql: string): boolean {
  const names = new Set(
    separated(select).flatMap((item) => {
      const [before, last] = item.slice(-2);
      return last && !isSymbol(before, '.') && item.length > 1 ? nameOf(last) : [];
    }),
  );
  const text = orderBy.map((piece) =>
    typeof piece === 'string' ? piece : sql.slice(piece.start, piece.end),
  );
  return tokens(text.join('')).some((token) => names.has(nameOf(token)));
}

function nameOf({ text }: Token): string {
  return text.replaceAll('`', '').toLowerCase();
}

const JOINS = ['JOIN', 'INNER', 'LEFT', 'RIGHT', 'FULL', 'CROSS'];

function isTable({ where, select, orderBy, limit }: PipedQuery): boolean {
  return where.length === 0 && !select && !orderBy && !limit;
}

/** A filter on the left side of a join is no filter on its result, if rows of the right side may be alone. */
function joined(query: PipedQuery, operator: readonly Token[]): PipedQuery {
  const isOuter = isWord(operator[0], 'RIGHT') || isWord(operator[0], 'FULL');
  const hasNames = query.alias === undefined && !query.select && !query.orderBy && !query.limit;
  const base = isTable(query) || (hasNames && !isOuter) ? query : nested(query);
  return { ...base, from: [...base.from, ' ', slice(operator)], alias: undefined };
}

/** `AGGREGATE SUM(x) AS s GROUP AND ORDER BY y DESC`: the groups come first. */
function aggregated(query: PipedQuery, rest: readonly Token[]): PipedQuery {
  const group = rest.findIndex(
    (token, index) => isWord(token, 'GROUP') && !isInBrackets(rest, index),
  );
  const aggregates = separated(group < 0 ? rest : rest.slice(0, group));
  const isOrdered = group >= 0 && isWord(rest[group + 1], 'AND');
  const keys = group < 0 ? [] : separated(rest.slice(group + (isOrdered ? 4 : 2)));
  const items = [...keys, ...aggregates]
    .filter((item) => item.length > 0)
    .map((item) => orderedItem(item));
  const orders = items.flatMap(({ order }, index) =>
    order !== '' || (isOrdered && index < keys.length) ? [`${index + 1}${order}`] : [],
  );
  return {
    ...query,
    alias: undefined,
    select: items.flatMap(({ item }): Piece[] => [', ', slice(item)]).slice(1),
    ...(keys.length > 0 ? { groupBy: keys.map((_, index) => index + 1).join(', ') } : {}),
    ...(orders.length > 0 ? { orderBy: [orders.join(', ')] } : {}),
  };
}

/** Takes `DESC NULLS LAST` off the end of an expression. */
function orderedItem(item: readonly Token[]): { item: readonly Token[]; order: string } {
  const at = item.findLastIndex((token) => isWord(token, 'ASC') || isWord(token, 'DESC'));
  const rest = item.slice(at);
  const isOrder = at > 0 && (rest.length === 1 || (rest.length === 3 && isWord(rest[1], 'NULLS')));
  if (!isOrder) return { item, order: '' };
  return { item: item.slice(0, at), order: ` ${rest.map(({ text }) => text).join(' ')}` };
}

function isInBrackets(all: readonly Token[], index: number): boolean {
  let depth = 0;
  for (const token of all.slice(0, index)) {
    if (isSymbol(token, '(') || isSymbol(token, '[')) depth++;
    if (isSymbol(token, ')') || isSymbol(token, ']')) depth--;
  }
  return depth > 0;
}

/** `UNION ALL (q), (r)` */
function combined(query: PipedQuery, operator: readonly Token[]): PipedQuery {
  const first = operator.findIndex((token) => isSymbol(token, '('));
  const name = slice(operator.slice(0, first));
  const others = separated(operator.slice(first)).flatMap((other): Piece[] => [
    ' ',
    name,
    ' ',
    slice(other),
  ]);
  return { from: ['((', ...queryText(query), ')', ...others, ')'], where: [] };
}

/** The name of the only table of a FROM clause. */
function aliasOf(from: readonly Token[]): Piece | undefined {
  let depth = 0;
  for (const token of from) {
    if (isSymbol(token, '(') || isSymbol(token, '[')) depth++;
    if (isSymbol(token, ')') || isSymbol(token, ']')) depth--;
    if (depth === 0 && (isSymbol(token, ',') || isWord(token, 'JOIN'))) return undefined;
  }
  const as = from.findLastIndex(
    (token, index) => isWord(token, 'AS') && !isInBrackets(from, index),
  );
  const name = from[as < 0 ? from.length - 1 : as + 1];
  if (name?.kind !== 'word' && name?.kind !== 'quoted') return undefined;
  return name.kind === 'quoted' && as < 0 && name.text.includes('.')
    ? `\`${name.text.slice(name.text.lastIndexOf('.') + 1)}`
    : slice([name]);
}

export function slice(part: readonly Token[]): Piece {
  return { start: part[0]?.start ?? 0, end: part.at(-1)?.end ?? 0 };
}
