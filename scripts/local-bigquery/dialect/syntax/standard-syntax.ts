// Rewrites BigQuery syntax that the engine's parser lacks, and refuses syntax that only the engine accepts.
import {
  closingBracket,
  levelEnd,
  openingBracket,
  placeOf,
  sameLevel,
  callArguments,
} from '../../../lexer/brackets.ts';
import { isName, isSymbol, isWord, replaceTokens, tokens } from '../../../lexer/sql-tokens.ts';
import type { Token, Tokens } from '../../../lexer/sql-tokens.ts';
import { withGroupKeys } from './group-keys.ts';
import { chained, errorAt, rewritten, rewrittenInSteps } from '../../analysis/mapped-text.ts';
import type { MappedText, PieceEdit } from '../../analysis/mapped-text.ts';
import { ColumnsNeeded, type KnownColumns, withoutPipes } from './pipe-syntax.ts';
import {
  clausesAround,
  isAggregateCall,
  isStar,
  ownAggregates,
  selectItems,
} from './query-clauses.ts';

/**
 * The same text if it contains no such syntax. Throws `GoogleSqlError` for what cannot be rewritten, and for what only
 * the engine accepts; throws `ColumnsNeeded` to be called again with the columns of a query.
 */
export function standardSyntax(sql: string, columns: KnownColumns = new Map()): MappedText {
  refuseSyntax(sql);
  const withoutNames = (text: string): MappedText => {
    refuseOtherColumns(text, columns);
    return withoutByName(text);
  };
  const withoutChained = (text: string): MappedText => rewrittenInSteps(text, firstChained);
  return [withoutNames, withoutGroupByAll, withGroupKeys, withoutChained].reduce(
    (mapped, rewrite) => chained(mapped, rewrite),
    withoutPipes(sql, columns),
  );
}

/** PERCENTILE_CONT and PERCENTILE_DISC as aggregates, EXCEPT ALL and INTERSECT ALL: BigQuery does not accept them. */
function refuseSyntax(sql: string): void {
  const all = tokens(sql);
  for (const [index, token] of all.entries()) {
    const name = token.text.toUpperCase();
    const next = all[index + 1];
    const isOperation = isWord(token, 'EXCEPT') || isWord(token, 'INTERSECT');
    if (isOperation && isWord(next, 'ALL')) {
      throw errorAt(sql, token.start, `${name} ALL is not supported: use ${name} DISTINCT`);
    }
    if (isWord(all[index + 2], 'ON') && wordBeforeByName(all, index) !== undefined) {
      throw errorAt(sql, token.start, 'BY NAME ON is not supported locally', 'unsupported');
    }
    const isWindow = isWord(token, 'PERCENTILE_CONT') || isWord(token, 'PERCENTILE_DISC');
    const close = isWindow && isSymbol(next, '(') ? closingBracket(all, index + 1) : undefined;
    if (close !== undefined && !isWord(all[close + 1], 'OVER')) {
      const message = `Analytic function ${name} cannot be called without an OVER clause`;
      throw errorAt(sql, token.start, message);
    }
  }
}

/**
 * BY NAME alone takes the same columns on all sides. Where they differ, the query has more columns with those of any
 * side than with those of all sides, and a UNION ALL of both is not valid.
 */
function refuseOtherColumns(sql: string, columns: KnownColumns): void {
  const all = tokens(sql);
  const isValid = (query: string): boolean => {
    const { text } = withoutByName(query);
    if (!columns.has(text)) throw new ColumnsNeeded(text);
    return columns.get(text) !== undefined;
  };
  for (const [index, token] of all.entries()) {
    if (!isStrictByName(all, index)) continue;
    const open = openingBracket(all, index);
    const ends = sameLevel(all, open + 1).filter((at) => isSymbol(all[at], ';'));
    const first = ends.findLast((at) => at < index) ?? open;
    const last = ends.find((at) => at > index) ?? levelEnd(all, index);
    const { start, end } = placeOf(all.slice(first + 1, last));
    const query = sql.slice(start, end);
    const full = replaceTokens(query, ({ depth, text }, at, part) =>
      depth === 0 && isStrictByName(part, at + 2) ? { text: `FULL ${text}` } : undefined,
    );
    const both = `${sql.slice(0, start)}(${full}) UNION ALL (${query})${sql.slice(end)}`;
    if (isValid(both) || !isValid(sql)) continue;
    const message =
      'BY NAME needs queries with the same columns, unless preceded by FULL, LEFT or INNER';
    throw errorAt(sql, token.start, `${message} ${all[index - 2]?.text}`);
  }
}

/** UNION ALL BY NAME and its kin as CORRESPONDING, the engine's name; it is INNER by itself. */
function withoutByName(sql: string): MappedText {
  const all = tokens(sql);
  const edits = all.flatMap((_, index): PieceEdit[] => {
    const before = wordBeforeByName(all, index);
    if (before === undefined) return [];
    const name = placeOf(all.slice(index, index + 2));
    const edit = { ...name, pieces: ['CORRESPONDING'] };
    return before === 'INNER'
      ? [{ ...placeOf(all.slice(index - 3, index - 2)), pieces: [] }, edit]
      : [edit];
  });
  return rewritten(sql, edits);
}

function isStrictByName(all: Tokens, index: number): boolean {
  return /^(?!INNER$|LEFT$|FULL$|OUTER$)/.test(wordBeforeByName(all, index) ?? 'INNER');
}

/** What is before the set operation, in upper case, if its BY NAME begins at an index. */
function wordBeforeByName(all: Tokens, index: number): string | undefined {
  if (!isWord(all[index], 'BY')) return undefined;
  const words = all.slice(Math.max(index - 3, 0), index + 2).map(({ text }) => text.toUpperCase());
  return /^(.+) (?:UNION|INTERSECT|EXCEPT) (?:ALL|DISTINCT) BY NAME$/s.exec(words.join(' '))?.[1];
}

/** Groups by the columns without an aggregate or a window function that are not constants. `SELECT *` is not changed. */
function withoutGroupByAll(sql: string): MappedText {
  const all = tokens(sql);
  const own = ownAggregates(all);
  const edits = all.flatMap((group, index) => {
    const last = all[index + 2];
    if (!isWord(group, 'GROUP') || !isWord(all[index + 1], 'BY') || !isWord(last, 'ALL')) return [];
    const select = clausesAround(all, index).get('SELECT');
    if (!select || !last) return [];
    const items = selectItems(all, select);
    if (items.some(isStar)) return [];
    const numbers = items.flatMap((item, position) => (isGrouped(item, own) ? [position + 1] : []));
    // Without a column to group by, all rows are one group; without an aggregate too, that needs a constant in GROUP BY.
    const isOneGroup = items.some((item) => item.some((_, at) => isAggregateCall(item, at, own)));
    const none = isOneGroup ? '' : 'GROUP BY IF(TRUE, 1, 1)';
    const text = numbers.length === 0 ? none : `GROUP BY ${numbers.join(', ')}`;
    return [{ start: group.start, end: last.end, pieces: [text] }];
  });
  return rewritten(sql, edits);
}

const CONSTANTS = /^(?:NULL|TRUE|FALSE|DATE|DATETIME|TIME|TIMESTAMP|NUMERIC|BIGNUMERIC|JSON)$/i;

function isGrouped(item: Tokens, own: ReadonlySet<string>): boolean {
  let isConstant = true;
  for (let index = 0; index < item.length; index++) {
    const token = item[index];
    if (isWord(token, 'AS') && index === item.length - 2) break;
    if (isAggregateCall(item, index, own) || isWord(token, 'OVER')) return false;
    if (isSymbol(token, '(') && /^(?:SELECT|WITH|FROM)$/i.test(item[index + 1]?.text ?? '')) {
      index = closingBracket(item, index) ?? item.length;
      isConstant = false;
    }
    const isWordOfConstant = token?.kind === 'word' && CONSTANTS.test(token.text);
    if (isName(token) && !isWordOfConstant) isConstant = false;
  }
  return !isConstant;
}

/** `(x).UPPER().REPLACE('A', 'b')` as `UPPER((x)).REPLACE('A', 'b')`. */
function firstChained(sql: string): [PieceEdit] | undefined {
  const all = tokens(sql);
  for (let index = 1; index < all.length; index++) {
    const [dot, name, open] = all.slice(index, index + 3);
    if (!isSymbol(all[index - 1], ')') || !isSymbol(dot, '.') || !isSymbol(open, '(')) continue;
    const first = all[startOf(all, index - 1)];
    const call = callArguments(all, index + 2);
    const close = call && all[call.close];
    if (!dot || !name || name.kind === 'symbol' || !open || !first || !close) continue;
    const pieces = [
      { start: name.start, end: name.end },
      '(',
      { start: first.start, end: dot.start },
      call.list.length === 0 ? '' : ', ',
      { start: open.end, end: close.end },
    ];
    return [{ start: first.start, end: close.end, pieces }];
  }
  return undefined;
}

/** Index of the first token of the expression in brackets, or of the call, that ends at `close`. */
function startOf(all: Tokens, close: number): number {
  const depth = all[close]?.depth ?? 0;
  let index = all.findLastIndex((token, at) => at < close && token.depth <= depth);
  if (!isFunctionName(all[index - 1])) return index;
  index--;
  while (isSymbol(all[index - 1], '.') && isFunctionName(all[index - 2])) index -= 2;
  return index;
}

/** Words that may precede an expression in brackets. */
const NO_FUNCTIONS = new Set(
  (
    'ALL AND AS BETWEEN BY CASE DISTINCT ELSE FROM HAVING IN IS LIKE LIMIT NOT ON OR QUALIFY SELECT THEN UNNEST ' +
    'WHEN WHERE'
  ).split(' '),
);

function isFunctionName(token: Token | undefined): boolean {
  if (token?.kind === 'quoted') return true;
  return token?.kind === 'word' && !NO_FUNCTIONS.has(token.text.toUpperCase());
}
