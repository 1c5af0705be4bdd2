// Rewrites pipe syntax, which the engine's parser lacks, to subqueries.
import { closingBracket, placeOf, sameLevel } from '../../../lexer/brackets.ts';
import { type Token, type Tokens, isSymbol, isWord, tokens } from '../../../lexer/sql-tokens.ts';
import { errorAt, rewrittenInSteps, textOfPieces } from '../../analysis/mapped-text.ts';
import type { MappedText, Piece, PieceEdit } from '../../analysis/mapped-text.ts';
import { type ColumnsOf, createPipeOperators, pipeInput, queryText } from './pipe-operators.ts';
import { isPipe, withClauseAt } from './query-clauses.ts';

/** The columns of queries by their text; undefined for a query that cannot be analysed by itself. */
export type KnownColumns = ReadonlyMap<string, readonly string[] | undefined>;

export class ColumnsNeeded extends Error {
  readonly sql: string;

  constructor(sql: string) {
    super('the columns of a query are needed');
    this.sql = sql;
  }
}

/** `FROM t |> WHERE a |> SELECT b` as `SELECT b FROM t WHERE a`, in all brackets. */
export function withoutPipes(sql: string, columns: KnownColumns): MappedText {
  return rewrittenInSteps(sql, (text) => innermostPipes(text, columns));
}

/** Undefined where there are no pipes. */
function innermostPipes(sql: string, columns: KnownColumns): [PieceEdit] | undefined {
  const own = bracketGroups(tokens(sql))
    .filter((group) => isWord(mainQuery(group)[0], 'FROM') || pipesIn(group).length > 0)
    .sort(([a], [b]) => (b?.depth ?? 0) - (a?.depth ?? 0))[0];
  const [first, last] = [own?.[0], own?.at(-1)];
  if (!own || !first || !last) return undefined;
  // A query in brackets may use what is outside of them; it is analysed without that.
  const before = first.depth === 0 ? sql.slice(0, first.start) : '';
  const columnsOf: ColumnsOf = (query, place) => {
    const clause = own.slice(0, own.length - mainQuery(own).length);
    const pieces = clause.length > 0 ? [placeOf(clause), ' ', ...query] : query;
    const text = before + textOfPieces(sql, pieces);
    if (!columns.has(text)) throw new ColumnsNeeded(text);
    const found = columns.get(text);
    if (found) return found;
    const message =
      'the pipe operator RENAME, after a part that depends on the outer query, is not supported locally';
    throw errorAt(sql, place, message, 'unsupported');
  };
  return [{ start: first.start, end: last.end, pieces: pipedQuery(own, sql, columnsOf) }];
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

function pipesIn(own: Tokens): number[] {
  return sameLevel(own).filter((index) => isPipe(own, index));
}

function mainQuery(own: Tokens): Tokens {
  return own.slice(withClauseAt(own, 0)?.next ?? 0);
}

function pipedQuery(own: Tokens, sql: string, columnsOf: ColumnsOf): Piece[] {
  const main = mainQuery(own);
  const pipes = pipesIn(main);
  const operators = pipes.map((at, index) => main.slice(at + 2, pipes[index + 1] ?? main.length));
  const query = operators.reduce(
    createPipeOperators(sql, columnsOf),
    pipeInput(main.slice(0, pipes[0] ?? main.length)),
  );
  const clause = own.slice(0, own.length - main.length);
  return [...(clause.length > 0 ? [placeOf(clause), ' '] : []), ...queryText(query)];
}
