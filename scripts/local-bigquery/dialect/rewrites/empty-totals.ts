// Adds the totals of grouping sets over no rows, which the rewriting of `ROLLUP` to joined rows loses.
import { isWord, tokens } from '../../../lexer/sql-tokens.ts';
import { GoogleSqlError } from '../../engine/error.ts';
import { clausesAround } from '../../../lexer/query-clauses.ts';

/**
 * `SELECT … GROUP BY local_set_0, …` as itself and, for each set without keys, as `UNION ALL` of the same query without
 * GROUP BY, which has a row only if no row was read: an aggregate without GROUP BY has one row then too.
 */
export function withEmptyTotals(sql: string): string {
  const all = tokens(sql);
  const isOfSets = (at: number): boolean =>
    isWord(all[at], 'GROUP') && /^local_set_\d+$/.test(all[at + 2]?.text ?? '');
  // Inner queries come first, because outer ones repeat them.
  const [at] = [...all.keys()]
    .filter(isOfSets)
    .sort((a, b) => (all[b]?.depth ?? 0) - (all[a]?.depth ?? 0));
  if (at === undefined) return sql;
  const name = all[at + 2]?.text ?? '';
  const parts = [...clausesAround(all, at)].map(([clause, place]) => {
    const [start, end] = [all[place.at]?.start ?? 0, all[place.end - 1]?.end ?? 0];
    return { clause, start, end, text: sql.slice(start, end) };
  });
  const [start, end] = [parts[0]?.start ?? 0, parts.at(-1)?.end ?? 0];
  const whole = sql.slice(start, end);
  const listOf = (pattern: string): string[] =>
    [...whole.matchAll(new RegExp(pattern, 'g'))].flatMap(([, list = '']) => list.split(', '));
  const keyed = listOf(`${name} IN \\(([\\d, ]+)\\)`);
  const sets = listOf(`UNNEST\\(\\[([\\d, ]+)\\]\\) AS ${name}\\b`);
  const totals = sets
    .filter((set) => !keyed.includes(set))
    .map((set) => {
      const key = new RegExp(`\\b${name.replace('set', 'key')}_\\w+`, 'g');
      const ofTotal = (text: string): string =>
        text.replaceAll(key, 'ANY_VALUE($&)').replaceAll(name, set);
      const clauses = parts.map(({ clause, text }) => {
        if (clause === 'WHERE') return text;
        if (clause === 'FROM') return text.replace(`[${sets.join(', ')}]`, `[${set}]`);
        if (clause === 'GROUP') return `GROUP BY () HAVING COUNT(*) = 0`;
        return ofTotal(text).replace(/^HAVING\b(.*)/is, 'AND ($1\n)');
      });
      return clauses.join('\n');
    });
  if (totals.length > 1 && /\b(?:LIMIT|QUALIFY|OVER|DISTINCT)\b/i.test(whole)) {
    throw new GoogleSqlError('unsupported', 'several sets () with LIMIT, DISTINCT or a window');
  }
  const kept = whole.replaceAll(new RegExp(`\\b${name}\\b`, 'g'), name.replace('set', 'sum'));
  const joined = totals.length === 0 ? kept : `((${[kept, ...totals].join('\n) UNION ALL (')}\n))`;
  return withEmptyTotals(sql.slice(0, start) + joined + sql.slice(end));
}
