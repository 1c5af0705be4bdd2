// Refuses what the engine takes and BigQuery does not: PERCENTILE_CONT and PERCENTILE_DISC as aggregates, EXCEPT ALL.
import { closingBracket } from '../../../lexer/brackets.ts';
import { isSymbol, isWord, tokens } from '../../../lexer/sql-tokens.ts';
import { errorAt } from './mapped-text.ts';

/** Throws a `GoogleSqlError` at the first such place. */
export function refuseSyntax(sql: string): void {
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
