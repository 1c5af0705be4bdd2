// Computes totals over a window once for each place in its order: the engine would compute each anew from the first row on.
import { callArguments, closingBracket, sameLevel, textOf } from '../../../lexer/brackets.ts';
import { clausesAround, isAggregateCall } from '../../../lexer/query-clauses.ts';
import { type Token, type Tokens, hasWord, isSymbol, isWord } from '../../../lexer/sql-tokens.ts';

/** A call such as `SUM(x) OVER (PARTITION BY p ORDER BY y)`. */
interface WindowTotal {
  start: number;
  end: number;
  /** The totals, each with its place from 1 on: a row of two columns. */
  totals: string;
  /** The place of a row, as an expression in the text. */
  place: string;
}

/** How the totals of two parts that have rows give that of both. */
const MERGED: Readonly<Record<string, string>> = {
  ...{ SUM: 'local_own + local_before', MIN: 'LEAST(local_own, local_before)' },
  ...{ MAX: 'GREATEST(local_own, local_before)', LOGICAL_AND: 'local_own AND local_before' },
  LOGICAL_OR: 'local_own OR local_before',
};

/** Places that are computed together: the time grows with their number, and with the square of the number of blocks. */
const BLOCK = 40;

/** The calls whose window begins with the partition, in queries of rows. `prefixOf` gives the WITH queries before a place. */
export function windowTotals(
  sql: string,
  all: Tokens,
  prefixOf: (place: number) => string,
): WindowTotal[] {
  return [...all.keys()].flatMap((at) => {
    const name = all[at]?.text.toUpperCase() ?? '';
    const merge = /^(?:AVG|COUNT|COUNTIF)$/.test(name) ? 'SUM' : name;
    const isMerged = Object.hasOwn(MERGED, merge) && isSymbol(all[at + 1], '(');
    const call = isMerged ? callArguments(all, at + 1) : undefined;
    const open = (call?.close ?? 0) + 2;
    const close = isSymbol(all[open], '(') ? closingBracket(all, open) : undefined;
    if (!call || !close || !isWord(all[open - 1], 'OVER')) return [];
    const window = windowOf(sql, all.slice(open + 1, close));
    const rows = rowsOf(sql, all, at);
    const given = all.slice(at + 2, call.close);
    if (!window || !rows || call.list.length !== 1 || !isValue(given)) return [];
    const { part, place, unique = place ?? part } = window;
    const source = `SELECT ${isSymbol(given[0], '*') ? '1' : textOf(sql, given)} AS local_value, ${part} AS local_part, ${unique} AS local_place ${rows}\n`;
    const totals = place
      ? running(name, merge, source)
      : `SELECT local_part, ${name}(local_value) FROM (${source}) GROUP BY local_part`;
    const [start, end] = [all[at]?.start ?? 0, all[close]?.end ?? 0];
    return [{ start, end, totals: prefixOf(start) + totals, place: place ?? part }];
  });
}

/** The totals of blocks of places in each partition, and within a block those up to each place. */
function running(name: string, merge: string, source: string): string {
  if (name === 'AVG') {
    const [sums, counts] = ['SUM', 'COUNT'].map((one) => running(one, 'SUM', source));
    return `SELECT local_place, s.local_total / NULLIF(n.local_total, 0) FROM (${sums}) AS s JOIN (${counts}) AS n USING (local_place)`;
  }
  const peers = `SELECT local_part, DIV(local_place, ${BLOCK}) AS local_block, local_place, ${name}(local_value) AS local_value FROM (${source}) GROUP BY 1, 2, 3`;
  const inBlock = `SELECT *, ${merge}(local_value) OVER (PARTITION BY local_part, local_block ORDER BY local_place) AS local_own FROM (${peers})`;
  const blocks = `SELECT local_part, local_block, ${merge}(local_value) AS local_value FROM (${peers}) GROUP BY 1, 2`;
  const before = `SELECT local_part, local_block, ${merge}(local_value) OVER (PARTITION BY local_part ORDER BY local_block ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS local_before FROM (${blocks})`;
  return `SELECT local_place, COALESCE(${MERGED[merge]}, local_own, local_before) AS local_total FROM (${inBlock}) JOIN (${before}) USING (local_part, local_block)`;
}

/** The place of a row in a window from the first row of its partition on; `unique` fails for ties. Undefined for another window. */
function windowOf(sql: string, spec: Tokens) {
  const level = sameLevel(spec);
  const find = (pattern: RegExp): number =>
    level.find((index) => spec[index]?.kind === 'word' && pattern.test(spec[index].text)) ?? -1;
  const words = [/^PARTITION$/i, /^ORDER$/i, /^(?:ROWS|RANGE)$/i];
  const [partition = -1, orderBy = -1, frame = -1] = words.map(find);
  const isNamed = spec.length > 0 && ![partition, orderBy, frame].includes(0);
  const isOwn = spec.some(({ text }) => /^local_(?:block|part)$/.test(text));
  if (isNamed || isOwn) return undefined;
  const listFrom = (from: number, ...ends: number[]): string => {
    const end = Math.min(...ends.filter((index) => index > from), spec.length);
    return from < 0 ? '' : textOf(sql, spec.slice(from + 2, end));
  };
  const parts = listFrom(partition, orderBy, frame);
  const by = listFrom(orderBy, frame);
  const part = parts === '' ? '1' : `RANK() OVER (ORDER BY ${parts})`;
  const [kind, ...bounds] =
    frame < 0 ? [] : spec.slice(frame).map(({ text }) => text.toUpperCase());
  const written = bounds.join(' ') || (by === '' ? WHOLE : RUNNING[0]);
  if (written === WHOLE) return { part };
  if (by === '' || !RUNNING.includes(written ?? '')) return undefined;
  const place = `RANK() OVER (ORDER BY ${parts === '' ? by : `${parts}, ${by}`})`;
  if (kind !== 'ROWS') return { part, place };
  // Which of equal rows comes first, the engine may decide anew.
  const unique = `IF(${place} = ${place.replace('RANK', 'ROW_NUMBER')}, ${place}, ERROR('ties'))`;
  return { part, place, unique };
}

const WHOLE = 'BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING';
const RUNNING = ['UNBOUNDED PRECEDING', 'BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW'];

/** FROM and WHERE of the query around a call; undefined if it has groups, or other rows each time. */
function rowsOf(sql: string, all: Tokens, at: number): string | undefined {
  const clauses = clausesAround(all, at);
  const [from, where] = [clauses.get('FROM'), clauses.get('WHERE')];
  const rows = from && all.slice(from.at, where?.end ?? from.end);
  const isTotal = (index: number): boolean =>
    isAggregateCall(all, index) && !isWord(all[(closingBracket(all, index + 1) ?? 0) + 1], 'OVER');
  const isOther = [...clauses].some(([name, { at: first, end }]) => {
    if (name === 'FROM' || name === 'WHERE') return false;
    const hasTotal = all.slice(first, end).some((_, index) => isTotal(first + index));
    return hasTotal || /^(?:GROUP|HAVING|WINDOW)$/.test(name);
  });
  const isIn = clauses.get('SELECT')?.end ?? 0;
  const isOpen = !rows || isOther || at >= isIn || hasWord(rows, /^(?:LIMIT|TABLESAMPLE)$/i);
  return isOpen ? undefined : textOf(sql, rows);
}

/** Whether it is a value of the row, without other words of an aggregate. */
function isValue(part: Tokens): boolean {
  const isOther = ({ text, depth }: Token): boolean =>
    depth === part[0]?.depth && /^(?:DISTINCT|HAVING|ORDER|LIMIT|NULLS|SELECT)$/i.test(text);
  return !part.some((one, at) => isOther(one) || isAggregateCall(part, at));
}
