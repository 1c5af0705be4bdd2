// Divides a query over a large table: a query over each part of its rows, and one over the answers of those.
import { closingBracket, placeOf, sameLevel, textOf } from '../../../lexer/brackets.ts';
import { hasWord, isSymbol, isWord, nameOf, tokens } from '../../../lexer/sql-tokens.ts';
import type { Token, Tokens } from '../../../lexer/sql-tokens.ts';
import {
  type Clause,
  aliasAfter,
  clausesAround,
  isAggregateCall,
  isPipe,
} from '../../../lexer/query-clauses.ts';
import { isOfItsRow, mergedAggregates } from './merged-aggregates.ts';
import type { Block, PartialQuery } from './merged-aggregates.ts';

/**
 * For each place in which a query without WITH reads a table, which is there in one pair of back quotes, what may be asked
 * of its parts, from the smallest answers on. The engine refuses those that need another table; only one may be taken.
 */
export function partialQueries(
  sql: string,
  table: string,
  columns: readonly string[],
  answersOf: (place: number) => string,
): PartialQuery[][] {
  const all = tokens(sql);
  const places = [...all.keys()].filter((at) => all[at]?.text === `\`${table}\``);
  return places.map((at, index) => {
    const found: PartialQuery[] = [];
    const innermost = blockOf({ sql, all, answers: answersOf(index) }, at, at);
    if (innermost === undefined) return found;
    for (let block: Block | undefined = innermost; block && readsEachRow(block);) {
      const query = mergedAggregates(block) ?? (isOfRows(block) ? rowsOf(block) : undefined);
      if (query) found.unshift(query);
      block = isOfRows(block) ? blockAround(block) : undefined;
    }
    return [...found, ...tableRows(innermost, columns)];
  });
}

type Text = Pick<Block, 'sql' | 'all' | 'answers'>;

function blockOf({ sql, all, answers }: Text, first: number, last: number): Block | undefined {
  const clauses = clausesAround(all, first);
  const [select, from] = [clauses.get('SELECT'), clauses.get('FROM')];
  if (!select || !from || first < from.at || last >= from.end) return undefined;
  const end = Math.max(...[...clauses.values()].map((clause) => clause.end));
  if (isPipe(all, end)) return undefined;
  const alias = all[aliasAfter(all, last) ?? -1];
  return { sql, all, first, last, alias, clauses, select, from, end, answers };
}

/** The query around `FROM (SELECT …)`. */
function blockAround(block: Block): Block | undefined {
  const { all, select, end } = block;
  const open = select.at - 1;
  const isWhole = isSymbol(all[open], '(') && closingBracket(all, open) === end;
  return isWhole ? blockOf(block, open, end) : undefined;
}

/** Whether each row of what it reads comes from one row of the table, whatever other rows there are. */
function readsEachRow(block: Block): boolean {
  const where = wordsOf(block.all, block.clauses.get('WHERE'));
  const others = beside(block);
  const isFirst = block.from.at + 1 === block.first;
  const outer = isFirst ? /^(?:RIGHT|FULL)$/i : /^(?:LEFT|RIGHT|FULL)$/i;
  // `LEFT JOIN UNNEST(array)` depends on the row alone.
  return isOfItsRow([...others, ...where]) && !hasWord(others, outer);
}

/** What stands beside the table in FROM. */
const beside = ({ all, first, last, from }: Block): Token[] => [
  ...all.slice(from.at, first),
  ...all.slice(last + 1, from.end),
];

/** Whether it only filters and computes. */
function isOfRows({ all, clauses, select }: Block): boolean {
  const items = all.slice(select.at + 1, select.end);
  if (isWord(items[0], 'DISTINCT') || isWord(items[0], 'AS')) return false;
  const isAggregate = items.some((_, index) => isAggregateCall(items, index));
  const names = new Set(['SELECT', 'FROM', 'WHERE']);
  return isOfItsRow(items) && !isAggregate && new Set(clauses.keys()).isSubsetOf(names);
}

const wordsOf = (all: Tokens, clause: Clause | undefined): Token[] =>
  all.slice(clause?.at ?? 0, clause?.end ?? 0);

/** The rows of the query itself. */
function rowsOf({ sql, all, select, end, answers }: Block): PartialQuery {
  const query = all.slice(select.at, end);
  return {
    sql: textOf(sql, query),
    edits: [{ ...placeOf(query), text: `SELECT * FROM \`${answers}\`` }],
  };
}

/** The rows of the table that fulfil all conditions, or one of these. */
function tableRows(block: Block, columns: readonly string[]): PartialQuery[] {
  const { all, first, alias, answers } = block;
  const prefix = alias ? `${alias.text}.` : '';
  const list = columns.map((column) => `${prefix}\`${column}\``).join(', ');
  const source = `${all[first]?.text}${alias ? ` AS ${alias.text}` : ''}`;
  const edits = [{ ...placeOf(all.slice(first, first + 1)), text: `\`${answers}\`` }];
  const conditions = readsEachRow(block) ? conditionsOf(block) : [];
  const some =
    conditions.length > 1 ? [conditions, ...conditions.map((one) => [one])] : [conditions];
  return some
    .filter(({ length }) => length > 0)
    .map((own) => {
      return { sql: `SELECT ${list} FROM ${source} WHERE (${own.join('\n) AND (')}\n)`, edits };
    });
}

/** The conditions of WHERE, which all hold; none with a name that may be of another table in FROM. */
function conditionsOf(block: Block): string[] {
  const { sql, all, clauses, alias } = block;
  const others = beside(block).flatMap((one) => (nameOf(one) === nameOf(alias) ? [] : nameOf(one)));
  const isOther = (token: Token, index: number, part: Tokens): boolean =>
    token.kind !== 'symbol' && !isSymbol(part[index - 1], '.') && others.includes(nameOf(token));
  const words = wordsOf(all, clauses.get('WHERE')).slice(1);
  const level = new Set(sameLevel(words));
  const isWhole = [...level].some((index) => /^(?:OR|CASE)$/i.test(words[index]?.text ?? ''));
  const parts: Token[][] = [[]];
  let isBetween = false;
  for (const [index, word] of words.entries()) {
    const isAnd = level.has(index) && isWord(word, 'AND');
    if (isAnd && !isBetween && !isWhole) parts.push([]);
    else parts.at(-1)?.push(word);
    isBetween = (level.has(index) && isWord(word, 'BETWEEN')) || (isBetween && !isAnd);
  }
  const own = parts.filter((part) => part.length > 0 && !part.some(isOther));
  return own.map((part) => textOf(sql, part));
}
