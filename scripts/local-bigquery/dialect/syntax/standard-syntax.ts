// Rewrites the syntax that BigQuery has and the engine's parser lacks, and refuses what the engine alone takes.
import { closingBracket } from '../../../lexer/brackets.ts';
import { type Token, isSymbol, isWord, tokens } from '../../../lexer/sql-tokens.ts';
import { withoutChainedFunctions } from './chained-functions.ts';
import { withoutGroupByAll } from './group-by-all.ts';
import { withGroupKeys } from './group-keys.ts';
import { type MappedText, type PieceEdit, chained, errorAt, rewritten } from './mapped-text.ts';
import { type KnownColumns, withoutPipes } from './pipe-syntax.ts';

/**
 * The same text where it has nothing of the kind. Throws `GoogleSqlError` for what cannot be rewritten, and for what
 * the engine takes and BigQuery does not; and `ColumnsNeeded`, to be called again with the columns of a query.
 */
export function standardSyntax(sql: string, columns: KnownColumns = new Map()): MappedText {
  refuseSyntax(sql);
  return [withoutByName, withoutGroupByAll, withGroupKeys, withoutChainedFunctions].reduce(
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
    const isWindow = isWord(token, 'PERCENTILE_CONT') || isWord(token, 'PERCENTILE_DISC');
    const close = isWindow && isSymbol(next, '(') ? closingBracket(all, index + 1) : undefined;
    if (close !== undefined && !isWord(all[close + 1], 'OVER')) {
      const message = `Analytic function ${name} cannot be called without an OVER clause`;
      throw errorAt(sql, token.start, message);
    }
  }
}

/** UNION ALL BY NAME and its kin as CORRESPONDING, the engine's name; it is INNER by itself. */
function withoutByName(sql: string): MappedText {
  const all = tokens(sql);
  const edits = all.flatMap((token, index): PieceEdit[] => {
    if (!isQuantifier(token) || !isOperation(all[index - 1])) return [];
    const [first, second, third] = all.slice(index + 1);
    const isByName = isWord(first, 'BY') && isWord(second, 'NAME');
    if (!first || !second || !isByName) return [];
    if (isWord(third, 'ON')) {
      throw errorAt(sql, first.start, 'BY NAME ON is not in the local engine', 'unsupported');
    }
    const inner = all[index - 2];
    const name = { start: first.start, end: second.end, pieces: ['CORRESPONDING'] };
    if (!inner || !isWord(inner, 'INNER')) return [name];
    return [{ start: inner.start, end: inner.end, pieces: [] }, name];
  });
  return rewritten(sql, edits);
}

function isQuantifier(token: Token): boolean {
  return isWord(token, 'ALL') || isWord(token, 'DISTINCT');
}

function isOperation(token: Token | undefined): boolean {
  return isWord(token, 'UNION') || isWord(token, 'INTERSECT') || isWord(token, 'EXCEPT');
}
