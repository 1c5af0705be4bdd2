// Replaces CURRENT_TIMESTAMP in a query by a fixed instant, because the engine's clock cannot be set.
import { closingBracket, openingBracket } from '../../lexer/brackets.ts';
import { isName, isSymbol, isWord, nameOf, replaceTokens } from '../../lexer/sql-tokens.ts';
import type { Tokens } from '../../lexer/sql-tokens.ts';

const conversions: Readonly<Record<string, string>> = {
  CURRENT_TIMESTAMP: '',
  CURRENT_DATETIME: 'DATETIME',
  CURRENT_DATE: 'DATE',
  CURRENT_TIME: 'TIME',
};

/** Replaces CURRENT_TIMESTAMP, _DATETIME, _DATE and _TIME, with or without brackets, by an instant. */
export function fixClock(sql: string, nowMs: number): string {
  const instant = `TIMESTAMP '${new Date(nowMs).toISOString().replace('T', ' ').replace('Z', '+00')}'`;
  return replaceTokens(sql, (token, index, all) => {
    const conversion = isName(token) ? conversions[nameOf(token).toUpperCase()] : undefined;
    const isCall = isSymbol(all[index + 1], '(');
    if (conversion === undefined || (!isCall && !isValue(all, index))) return undefined;
    const last = isCall ? closingBracket(all, index + 1) : index;
    if (last === undefined) return undefined;
    const zone = sql.slice(all[index + 1]?.end ?? 0, last > index ? all[last]?.start : 0).trim();
    // A literal cannot follow SAFE.
    const called = conversion || (isSymbol(all[index - 1], '.') ? 'TIMESTAMP' : '');
    const text = called ? `${called}(${instant}${zone && `, ${zone}`})` : instant;
    return { last, text };
  });
}

/** Whether a name without brackets is not that of a column, and not an alias. */
function isValue(all: Tokens, index: number): boolean {
  if (all[index]?.kind === 'quoted' || isSymbol(all[index - 1], '.')) return false;
  // A variable of WITH(name AS value, …) has a value there.
  return !isWord(all[index - 1], 'AS') || isWord(all[openingBracket(all, index) - 1], 'WITH');
}
