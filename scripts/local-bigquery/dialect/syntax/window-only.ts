// Refuses PERCENTILE_CONT and PERCENTILE_DISC without OVER, which the engine takes as aggregates and BigQuery does not.
import { closingBracket, isSymbol, isWord, tokens } from '../../../lexer/sql-tokens.ts';
import { googleSqlPlace } from '../../../faults/text-place.ts';
import { GoogleSqlError } from '../../engine/error.ts';

/** Throws a `GoogleSqlError` at the name of the first such call. */
export function requireWindows(sql: string): void {
  const all = tokens(sql);
  const found = all.find((token, index) => {
    const isName = isWord(token, 'PERCENTILE_CONT') || isWord(token, 'PERCENTILE_DISC');
    if (!isName || !isSymbol(all[index + 1], '(')) return false;
    const close = closingBracket(all, index + 1);
    return close !== undefined && !isWord(all[close + 1], 'OVER');
  });
  if (found === undefined) return;
  throw new GoogleSqlError(
    'invalid',
    `Analytic function ${found.text.toUpperCase()} cannot be called without an OVER clause at [${googleSqlPlace(sql, found.start)}]`,
  );
}
