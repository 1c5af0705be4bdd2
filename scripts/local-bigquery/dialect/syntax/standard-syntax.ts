// Rewrites the syntax that BigQuery has and the engine's parser lacks, and refuses what the engine alone takes.
import {
  closingBracket,
  levelEnd,
  openingBracket,
  placeOf,
  sameLevel,
} from '../../../lexer/brackets.ts';
import { type Token, isSymbol, isWord, replaceTokens, tokens } from '../../../lexer/sql-tokens.ts';
import { withoutChainedFunctions } from './chained-functions.ts';
import { withoutGroupByAll } from './group-by-all.ts';
import { withGroupKeys } from './group-keys.ts';
import { chained, errorAt, rewritten } from '../../analysis/mapped-text.ts';
import type { MappedText, PieceEdit } from '../../analysis/mapped-text.ts';
import { ColumnsNeeded, type KnownColumns, withoutPipes } from './pipe-syntax.ts';

/**
 * The same text where it has nothing of the kind. Throws `GoogleSqlError` for what cannot be rewritten, and for what
 * the engine takes and BigQuery does not; and `ColumnsNeeded`, to be called again with the columns of a query.
 */
export function standardSyntax(sql: string, columns: KnownColumns = new Map()): MappedText {
  refuseSyntax(sql);
  const withoutNames = (text: string): MappedText => {
    refuseOtherColumns(text, columns);
    return withoutByName(text);
  };
  return [withoutNames, withoutGroupByAll, withGroupKeys, withoutChainedFunctions].reduce(
    (mapped, rewrite) => chained(mapped, rewrite),
    withoutPipes(sql, columns),
  );
}

/** PERCENTILE_CONT and PERCENTILE_DISC as aggregates, EXCEPT ALL and INTERSECT ALL: BigQuery does not take them. */
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
      throw errorAt(sql, token.start, 'BY NAME ON is not in the local engine', 'unsupported');
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
      'BY NAME takes queries with the same columns, unless FULL, LEFT or INNER is before';
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

function isStrictByName(all: readonly Token[], index: number): boolean {
  return /^(?!INNER$|LEFT$|FULL$|OUTER$)/.test(wordBeforeByName(all, index) ?? 'INNER');
}

/** What is before the set operation, in upper case, if its BY NAME begins at an index. */
function wordBeforeByName(all: readonly Token[], index: number): string | undefined {
  if (!isWord(all[index], 'BY')) return undefined;
  const words = all.slice(Math.max(index - 3, 0), index + 2).map(({ text }) => text.toUpperCase());
  return /^(.+) (?:UNION|INTERSECT|EXCEPT) (?:ALL|DISTINCT) BY NAME$/s.exec(words.join(' '))?.[1];
}
