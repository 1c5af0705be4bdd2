// Rewrites pipe syntax, which the engine's parser lacks: each operator becomes a clause of the query or of one around it.
import { closingBracket, placeOf, sameLevel, separated } from '../../../lexer/brackets.ts';
import { isName, isSymbol, isWord, nameOf, tokens } from '../../../lexer/sql-tokens.ts';
import type { Token, Tokens } from '../../../lexer/sql-tokens.ts';
import {
  isAggregateCall,
  isPipe,
  queryBracket,
  tableNames,
  withClauseAt,
  withoutOrder,
} from '../../../lexer/query-clauses.ts';
import { errorAt, rewrittenInSteps, textOfPieces } from '../../analysis/mapped-text.ts';
import type { MappedText, Piece, PieceEdit } from '../../analysis/mapped-text.ts';

/** `FROM t |> WHERE a |> SELECT b` as `SELECT b FROM t WHERE a`, in all brackets. */
export const withoutPipes = (sql: string): MappedText => rewrittenInSteps(sql, innermostPipes);

/** Undefined where there are no pipes. */
function innermostPipes(sql: string): [PieceEdit] | undefined {
  const own = bracketGroups(tokens(sql))
    .filter((group) => isWord(mainQuery(group)[0], 'FROM') || pipesIn(group).length > 0)
    .sort(([a], [b]) => (b?.depth ?? 0) - (a?.depth ?? 0))[0];
  const [first, last] = [own?.[0], own?.at(-1)];
  if (!own || !first || !last) return undefined;
  return [{ start: first.start, end: last.end, pieces: pipedQuery(own, sql) }];
}

function bracketGroups(all: Tokens): Token[][] {
  const level = sameLevel(all);
  const ends = [...level.filter((index) => isSymbol(all[index], ';')), all.length];
  const statements = ends.map((end, index) => all.slice((ends[index - 1] ?? -1) + 1, end));
  const inBrackets = all.flatMap((token, index) =>
    isSymbol(token, '(') ? [all.slice(index + 1, closingBracket(all, index))] : [],
  );
  return [...statements, ...inBrackets];
}

const pipesIn = (own: Tokens): number[] => sameLevel(own).filter((index) => isPipe(own, index));

const mainQuery = (own: Tokens): Tokens => own.slice(withClauseAt(own, 0)?.next ?? 0);

function pipedQuery(own: Tokens, sql: string): Piece[] {
  const main = mainQuery(own);
  const pipes = pipesIn(main);
  const operators = pipes.map((at, index) => main.slice(at + 2, pipes[index + 1] ?? main.length));
  const query = operators.reduce(
    createPipeOperators(sql),
    pipeInput(main.slice(0, pipes[0] ?? main.length)),
  );
  const clause = own.slice(0, own.length - main.length);
  return [...(clause.length > 0 ? [placeOf(clause), ' '] : []), ...queryText(query)];
}

/** The input before the first pipe: `FROM t`, or a query. */
function pipeInput(head: Tokens): PipedQuery {
  if (!isWord(head[0], 'FROM')) return queryOf(['(', placeOf(head), ')']);
  const from = head.slice(1);
  // The rows of an array are values, which have no name as a table.
  const isArray = isWord(from[0], 'UNNEST');
  const alias = isArray ? undefined : aliasOf(from);
  return { ...queryOf([placeOf(from)], alias), tables: [...tableNames(from)] };
}

function queryOf(from: Piece[], alias?: Piece): PipedQuery {
  return { from, alias, where: [], lost: [], tables: [] };
}

/** A query under construction: clauses that are undefined can still be added. */
interface PipedQuery {
  from: Piece[];
  /** The name by which operators may refer to the table so far. */
  alias?: Piece | undefined;
  where: Piece[][];
  /** A condition on window functions: nothing can be added to it. */
  qualify?: Piece[];
  select?: Piece[];
  /** The names of tables that BigQuery still knows here, but that a query in brackets hides. */
  lost: readonly string[];
  tables: readonly string[];
  groupBy?: string;
  orderBy?: Piece[];
  limit?: Piece[];
}

function queryText(query: PipedQuery): Piece[] {
  const { from, where, qualify, select = ['*'], groupBy, orderBy, limit } = query;
  const word = (index: number): string => (index === 0 ? ' WHERE (' : ' AND (');
  const conditions = where.flatMap((condition, index) => [word(index), ...condition, ')']);
  return [
    'SELECT ',
    ...select,
    ' FROM ',
    ...from,
    ...conditions,
    ...(groupBy === undefined ? [] : [` GROUP BY ${groupBy}`]),
    ...(qualify ? [where.length > 0 ? ' QUALIFY ' : ' WHERE TRUE QUALIFY ', ...qualify] : []),
    ...(orderBy ? [' ORDER BY ', ...orderBy] : []),
    ...(limit ? [' LIMIT ', ...limit] : []),
  ];
}

function nested(query: PipedQuery, alias = query.alias): PipedQuery {
  const name = alias === undefined ? [] : [' AS ', alias];
  const isNamed = alias !== undefined && query.lost.length === 0;
  return {
    ...queryOf(['(', ...queryText(query), ')', ...name], alias),
    lost: isNamed ? [] : [...query.lost, ...query.tables],
    tables: isNamed ? query.tables : [],
  };
}

/** The same as a query whose columns, order and number of rows are unchanged. */
const open = (query: PipedQuery): PipedQuery => (isOpen(query) ? query : nested(query));

function isOpen({ select, orderBy, limit, qualify }: PipedQuery): boolean {
  return !select && !orderBy && !limit && !qualify;
}

/** Applies the operators of a text, whose tokens they are. */
function createPipeOperators(sql: string) {
  /** Throws `GoogleSqlError` at an operator that has no other form. */
  return (query: PipedQuery, operator: Tokens): PipedQuery => {
    requireNoAggregates(operator);
    const next = applied(query, operator);
    const isNested = query.from.some((piece, index) => next.from[index] !== piece);
    const tables = isNested && query.alias === undefined ? query.tables : [];
    requireKnownTables(operator, [...query.lost, ...tables]);
    return next;
  };

  function applied(query: PipedQuery, operator: Tokens): PipedQuery {
    const word = operator[0]?.text.toUpperCase() ?? '';
    const rest = operator.slice(1);
    switch (word) {
      case 'WHERE': {
        const base = open(query);
        if (rest.some((token, at) => isWord(token, 'OVER') && queryBracket(rest, at) < 0))
          return { ...base, qualify: [placeOf(rest)] };
        return { ...base, where: [...base.where, [placeOf(rest)]] };
      }
      case 'SELECT': {
        const isTaken = query.select || query.limit || query.qualify || isWord(rest[0], 'DISTINCT');
        const base = isTaken || hidesOrder(query, rest) ? open(query) : query;
        return { ...base, select: [placeOf(rest)], alias: undefined, lost: [], tables: [] };
      }
      case 'EXTEND':
      case 'WINDOW':
        return { ...open(query), select: ['*, ', placeOf(rest)] };
      case 'SET': {
        const asColumn = ([name, , ...value]: Token[]): Piece[] => {
          return [', ', placeOf(value), ' AS ', placeOf(name ? [name] : [])];
        };
        const columns = separated(rest).flatMap(asColumn);
        return { ...open(query), select: ['* REPLACE (', ...columns.slice(1), ')'] };
      }
      case 'DROP':
        return { ...open(query), select: ['* EXCEPT (', placeOf(rest), ')'] };
      case 'DISTINCT':
        return { ...open(query), select: ['DISTINCT *'] };
      case 'AGGREGATE':
        return aggregated(open(query), rest);
      case 'ORDER': {
        const base = query.limit || query.select || query.qualify ? open(query) : query;
        return { ...base, orderBy: [placeOf(rest.slice(1))] };
      }
      case 'LIMIT':
        return { ...(query.limit ? open(query) : query), limit: [placeOf(rest)] };
      case 'AS':
        return { ...nested(query, placeOf(rest)), lost: [], tables: [...tableNames(rest)] };
      case 'UNION':
      case 'INTERSECT':
      case 'EXCEPT':
        return combined(query, operator);
      case 'PIVOT':
      case 'UNPIVOT': {
        const alias = aliasOf(rest.slice((closingBracket(rest, 0) ?? 0) + 1));
        const { from } = nested(query, undefined);
        return queryOf([...from, ' ', placeOf(operator)], alias);
      }
      default: {
        if (/^(?:JOIN|INNER|LEFT|RIGHT|FULL|CROSS)$/.test(word)) return joined(query, operator);
        const message = `the pipe operator ${word} is not supported locally`;
        throw errorAt(sql, operator[0]?.start ?? 0, message, 'unsupported');
      }
    }
  }

  /** Aggregates belong to AGGREGATE and to window functions. */
  function requireNoAggregates(operator: Tokens): void {
    const [name] = operator;
    if (!['EXTEND', 'ORDER', 'SELECT', 'SET', 'WHERE'].some((word) => isWord(name, word))) return;
    for (let index = 0; index < operator.length; index++) {
      const token = operator[index];
      const isCall = isSymbol(operator[index + 1], '(');
      const close = (isCall ? closingBracket(operator, index + 1) : undefined) ?? index;
      if (isSymbol(token, '(') && /^(?:SELECT|WITH|FROM)$/i.test(operator[index + 1]?.text ?? '')) {
        index = closingBracket(operator, index) ?? index;
      } else if (isAggregateCall(operator, index) && !isWord(operator[close + 1], 'OVER')) {
        const clause = isWord(name, 'ORDER') ? 'ORDER BY' : name?.text.toUpperCase();
        const message = `Aggregate function ${token?.text.toUpperCase()} not allowed in ${clause} clause`;
        throw errorAt(sql, token?.start ?? 0, message);
      }
    }
  }

  function requireKnownTables(operator: Tokens, lost: readonly string[]): void {
    const found = operator.find(
      (token, index) =>
        lost.includes(nameOf(token)) &&
        isSymbol(operator[index + 1], '.') &&
        !isSymbol(operator[index - 1], '.'),
    );
    if (found === undefined) return;
    const message = `the name ${found.text} of a table, after an operator that becomes a subquery here, is not supported locally (use the column name alone, or SELECT it before)`;
    throw errorAt(sql, found.start, message, 'unsupported');
  }

  /** `ORDER BY n |> SELECT -n AS n`: in one query, the rows would be ordered by the new column. */
  function hidesOrder({ orderBy = [] }: PipedQuery, select: Tokens): boolean {
    const names = new Set(
      separated(select).flatMap((item) => {
        const [before, last] = item.slice(-2);
        return last && !isSymbol(before, '.') && item.length > 1 ? nameOf(last) : [];
      }),
    );
    return tokens(textOfPieces(sql, orderBy)).some((token) => names.has(nameOf(token)));
  }
}

/** A filter on the left side of a join does not filter its result if rows of the right side may have no match. */
function joined(query: PipedQuery, operator: Tokens): PipedQuery {
  const isOuter = isWord(operator[0], 'RIGHT') || isWord(operator[0], 'FULL');
  const mayStay = query.where.length === 0 || (query.alias === undefined && !isOuter);
  const base = isOpen(query) && mayStay ? query : nested(query);
  const tables = [...base.tables, ...tableNames(operator)];
  return { ...base, from: [...base.from, ' ', placeOf(operator)], alias: undefined, tables };
}

/** `AGGREGATE SUM(x) AS s GROUP AND ORDER BY y DESC`: the groups come first. */
function aggregated(query: PipedQuery, rest: Tokens): PipedQuery {
  const group = sameLevel(rest).find((index) => isWord(rest[index], 'GROUP')) ?? -1;
  const aggregates = separated(group < 0 ? rest : rest.slice(0, group));
  const isOrdered = group >= 0 && isWord(rest[group + 1], 'AND');
  const keys = group < 0 ? [] : separated(rest.slice(group + (isOrdered ? 4 : 2)));
  const items = [...keys, ...aggregates]
    .filter((written) => written.length > 0)
    .map((written) => {
      const item = withoutOrder(written);
      const words = written.slice(item.length).map(({ text }) => ` ${text}`);
      return { item, order: words.join('') };
    });
  const orders = items.flatMap(({ order }, index) =>
    order !== '' || (isOrdered && index < keys.length) ? [`${index + 1}${order}`] : [],
  );
  return {
    ...query,
    alias: undefined,
    lost: [],
    tables: [],
    select: items.flatMap(({ item }): Piece[] => [', ', placeOf(item)]).slice(1),
    ...(keys.length > 0 ? { groupBy: keys.map((_, index) => index + 1).join(', ') } : {}),
    ...(orders.length > 0 ? { orderBy: [orders.join(', ')] } : {}),
  };
}

function combined(query: PipedQuery, operator: Tokens): PipedQuery {
  const first = operator.findIndex((token) => isSymbol(token, '('));
  const name = placeOf(operator.slice(0, first));
  const queries = separated(operator.slice(first)).map(placeOf);
  const others = queries.flatMap((other): Piece[] => [' ', name, ' ', other]);
  return queryOf(['((', ...queryText(query), ')', ...others, ')']);
}

function aliasOf(from: Tokens): Piece | undefined {
  const level = sameLevel(from);
  if (level.some((at) => isSymbol(from[at], ',') || isWord(from[at], 'JOIN'))) return undefined;
  const as = level.findLast((at) => isWord(from[at], 'AS')) ?? -1;
  const name = from[as < 0 ? from.length - 1 : as + 1];
  return isName(name) ? placeOf([name]) : undefined;
}
