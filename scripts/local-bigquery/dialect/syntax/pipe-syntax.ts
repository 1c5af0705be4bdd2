// Rewrites pipe syntax, which the engine's parser lacks, to subqueries.
import { closingBracket, placeOf, sameLevel } from '../../../lexer/brackets.ts';
import { type Token, type Tokens, isSymbol, isWord, tokens } from '../../../lexer/sql-tokens.ts';
import { rewrittenInSteps } from '../../analysis/mapped-text.ts';
import type { MappedText, Piece, PieceEdit } from '../../analysis/mapped-text.ts';
import { createPipeOperators, pipeInput, queryText } from './pipe-operators.ts';
import { isPipe, withClauseAt } from '../../../lexer/query-clauses.ts';

/** `FROM t |> WHERE a |> SELECT b` as `SELECT b FROM t WHERE a`, in all brackets. */
export function withoutPipes(sql: string): MappedText {
  return rewrittenInSteps(sql, innermostPipes);
}

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

function pipesIn(own: Tokens): number[] {
  return sameLevel(own).filter((index) => isPipe(own, index));
}

function mainQuery(own: Tokens): Tokens {
  return own.slice(withClauseAt(own, 0)?.next ?? 0);
}

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
