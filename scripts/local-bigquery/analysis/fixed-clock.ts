// Replaces CURRENT_TIMESTAMP in a query by a fixed instant, because the engine's clock cannot be set.
import { closingBracket } from '../../lexer/brackets.ts';
import { type Edit, applyEdits, isSymbol, isWord, tokens } from '../../lexer/sql-tokens.ts';

const conversions: Readonly<Record<string, string>> = {
  CURRENT_TIMESTAMP: '',
  CURRENT_DATETIME: 'DATETIME',
  CURRENT_DATE: 'DATE',
  CURRENT_TIME: 'TIME',
};

/** Replaces CURRENT_TIMESTAMP, _DATETIME, _DATE and _TIME, with or without brackets, by an instant. */
export function fixClock(sql: string, nowMs: number): string {
  const instant = `TIMESTAMP '${new Date(nowMs).toISOString().replace('T', ' ').replace('Z', '+00')}'`;
  const all = tokens(sql);
  const edits: Edit[] = [];
  for (const [index, token] of all.entries()) {
    const conversion = token.kind === 'word' ? conversions[token.text.toUpperCase()] : undefined;
    const before = all[index - 1];
    if (conversion === undefined || isSymbol(before, '.') || isWord(before, 'AS')) continue;
    const close = isSymbol(all[index + 1], '(') ? closingBracket(all, index + 1) : index;
    if (close === undefined) continue;
    const zone = sql.slice(all[index + 1]?.end ?? 0, close > index ? all[close]?.start : 0).trim();
    const text = conversion ? `${conversion}(${instant}${zone && `, ${zone}`})` : instant;
    edits.push({ start: token.start, end: all[close]?.end ?? token.end, text });
  }
  return applyEdits(sql, edits);
}
