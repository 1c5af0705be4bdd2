// Replaces CURRENT_TIMESTAMP in a query by a fixed instant, because the engine's clock cannot be set.
import { closingBracket } from '../../lexer/brackets.ts';
import { isSymbol, isWord, replaceTokens } from '../../lexer/sql-tokens.ts';

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
    const conversion = token.kind === 'word' ? conversions[token.text.toUpperCase()] : undefined;
    const before = all[index - 1];
    if (conversion === undefined || isSymbol(before, '.') || isWord(before, 'AS')) return undefined;
    const last = isSymbol(all[index + 1], '(') ? closingBracket(all, index + 1) : index;
    if (last === undefined) return undefined;
    const zone = sql.slice(all[index + 1]?.end ?? 0, last > index ? all[last]?.start : 0).trim();
    const text = conversion ? `${conversion}(${instant}${zone && `, ${zone}`})` : instant;
    return { last, text };
  });
}
