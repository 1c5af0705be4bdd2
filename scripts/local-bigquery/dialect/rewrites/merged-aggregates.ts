// Divides a query of aggregates over a large table: those of each part of its rows, and what merges them.
import {
  callArguments,
  closingBracket,
  placeOf,
  sameLevel,
  separated,
  textOf,
} from '../../../lexer/brackets.ts';
import { hasWord, isName, isSymbol, isWord, nameOf } from '../../../lexer/sql-tokens.ts';
import type { Edit, Token, Tokens } from '../../../lexer/sql-tokens.ts';
import { isAggregateCall, isStar, itemOf, selectItems } from '../../../lexer/query-clauses.ts';
import type { Clause } from '../../../lexer/query-clauses.ts';

export interface PartialQuery {
  /** Over a part of the table, by its own name: the rows that the whole query needs of it, or the aggregates of these. */
  sql: string;
  /** Makes one answer of several, which are in the table of the answers; absent for rows. */
  merge?: string;
  /** By which the query reads the table of the answers in place of the large one. */
  edits: Edit[];
}

/** A query that reads a table, or a query over it in brackets: the tokens from `first` to `last`. */
export interface Block {
  sql: string;
  all: Tokens;
  first: number;
  last: number;
  /** Undefined if it has no alias. */
  alias: Token | undefined;
  clauses: ReadonlyMap<string, Clause>;
  select: Clause;
  from: Clause;
  /** The index after its last token. */
  end: number;
  /** The name of the table of the answers. */
  answers: string;
}

/** A column of the answers: a key, or a value with the aggregate function that merges those of several parts. */
interface Column {
  name: string;
  value: string;
  merge?: string;
}

/** The clauses that read groups. */
const OTHERS = ['SELECT', 'HAVING', 'QUALIFY', 'WINDOW', 'ORDER'];

/** `SELECT a, COUNT(*) … GROUP BY a`: the counts of the parts, and their sums. Undefined if it has other aggregates, or none. */
export function mergedAggregates(block: Block): PartialQuery | undefined {
  const { sql, all, clauses, from, alias, answers } = block;
  const columns: Column[] = [];
  const keyEdits = editsOfKeys(block, columns);
  if (keyEdits === undefined) return undefined;
  const others = OTHERS.flatMap((name) => clauses.get(name) ?? []);
  const callEdits = others.flatMap((clause) => editsOfCalls(block, clause, keyEdits, columns));
  const edits = [...keyEdits, ...callEdits.flatMap((edit) => edit ?? [])];
  const words = others.flatMap(({ at, end }) => all.slice(at + 1, end));
  // The windows of SELECT DISTINCT are computed before the rows are distinct.
  const other = hasDistinct(block) ? /^(?:SELECT|OVER)$/i : /^SELECT$/i;
  if (hasWord(words, other) || hasHiddenColumn(block)) return undefined;
  if (columns.length === 0 || callEdits.includes(undefined)) return undefined;

  const list = [...columns].sort((a, b) => Number(!!a.merge) - Number(!!b.merge));
  const numbers = list.flatMap(({ merge }, index) => (merge ? [] : [index + 1]));
  const grouped = numbers.length > 0 ? ` GROUP BY ${numbers.join(', ')}` : '';
  const named = (textOf: (column: Column) => string): string =>
    list.map((column) => `${textOf(column)} AS \`${column.name}\``).join(', ');
  const source = placeOf(all.slice(from.at + 1, clauses.get('WHERE')?.end ?? from.end));
  return {
    sql: `SELECT ${named(({ value }) => value)} FROM ${sql.slice(source.start, source.end)}\n${grouped}`,
    merge: `SELECT ${named(merged)} FROM \`${answers}\`${grouped}`,
    edits: [...edits, { ...source, text: `\`${answers}\`${alias ? ` AS ${alias.text}` : ''}` }],
  };
}

const hasDistinct = ({ all, select }: Block): boolean => isWord(all[select.at + 1], 'DISTINCT');

/** Whether an aggregate after SELECT has a name that an item of SELECT gives to something else than the column. */
function hasHiddenColumn(block: Block): boolean {
  const { all, clauses, select } = block;
  const others = ['HAVING', 'QUALIFY', 'ORDER'].flatMap((name) => clauses.get(name) ?? []);
  const words = others.flatMap(({ at, end }) => all.slice(at, end));
  const inCalls = words.flatMap((_, at) =>
    isAggregateCall(words, at) ? words.slice(at, closingBracket(words, at + 1)).map(nameOf) : [],
  );
  return selectItems(all, select).some((item) => {
    const { value, alias = value.at(-1) } = itemOf(item);
    const isColumn = columnOf(value, block) === nameOf(alias);
    return isName(alias) && !isColumn && inCalls.includes(nameOf(alias));
  });
}

/** Adds the keys to the columns. One that is no column of the table gets a name, which takes its place in the text. */
function editsOfKeys(block: Block, columns: Column[]): Edit[] | undefined {
  const { sql, all, clauses, select } = block;
  const group = clauses.get('GROUP');
  const items = selectItems(all, select).map(itemOf);
  const isDistinct = !group && hasDistinct(block);
  const keys = group ? separated(all.slice(group.at + 2, group.end)) : [];
  const edits: Edit[] = [];
  for (const value of isDistinct ? items.map((item) => item.value) : keys) {
    const [only] = value;
    const named = items.find(({ alias }) => alias && nameOf(alias) === nameOf(only));
    const item = only?.kind === 'number' ? items[Number(only.text) - 1] : named;
    const key = value.length === 1 && item ? item.value : value;
    const name = columnOf(key, block);
    const text = textOf(sql, key);
    const known = columns.find((one) => one.name === name);
    if (name?.startsWith('local_') || (known && known.value !== text)) return undefined;
    if (name !== undefined) {
      if (!known) columns.push({ name, value: text });
    } else if (isStar(key) || !isOfItsRow(key)) return undefined;
    else {
      const added = add(columns, { value: text });
      const same = items.filter((one) => textOf(sql, one.value) === text);
      for (const { value: place, alias } of same) {
        const last = place.at(-1);
        const own = !alias && isName(last) ? ` AS ${last.text}` : '';
        edits.push({ ...placeOf(place), text: added + own });
      }
      if (!isDistinct && key === value) edits.push({ ...placeOf(key), text: added });
    }
  }
  return edits;
}

/** Those outside the keys. Undefined for a call that cannot be merged. */
function editsOfCalls(
  { sql, all }: Block,
  { at: first, end }: Clause,
  keyEdits: readonly Edit[],
  columns: Column[],
): (Edit | undefined)[] {
  const found: (Edit | undefined)[] = [];
  for (let at = first; at < end; at++) {
    const [start, close] = [all[at]?.start ?? 0, closingBracket(all, at + 1) ?? at];
    const isKey = keyEdits.some((edit) => edit.start <= start && start < edit.end);
    if (!isAggregateCall(all, at) || isKey) continue;
    // The aggregates inside a window call are merged, and those of the window are computed from them.
    if (isWord(all[close + 1], 'OVER')) continue;
    const text = mergedCall(sql, all, at, columns);
    found.push(text === undefined ? undefined : { start, end: all[close]?.end ?? 0, text });
    at = close;
  }
  return found;
}

/** The functions that merge their own results. */
const MERGING = 'SUM MIN MAX LOGICAL_AND LOGICAL_OR BIT_AND BIT_OR BIT_XOR'.split(' ');

function mergedCall(sql: string, all: Tokens, at: number, columns: Column[]): string | undefined {
  const { list = [], close = at } = callArguments(all, at + 1) ?? {};
  const [given = [], ...others] = list;
  if (others.length > 0 || isSymbol(all[at - 1], '.') || !isOfItsRow(given)) return undefined;
  const name = all[at]?.text.toUpperCase() ?? '';
  const text = sql.slice(all[at]?.start, all[close]?.end);
  const column = (value: string, merge: string): string =>
    merged({ name: add(columns, { value, merge }), value, merge });
  if (name === 'ANY_VALUE' && / HAVING MAX \(.*\) IS NOT NULL\)$/s.test(text)) {
    return column(text, name);
  }
  const level = sameLevel(given).flatMap((index) => given[index] ?? []);
  const isChanged = level.some(({ text: word }) => /^(?:HAVING|ORDER|LIMIT|NULLS)$/i.test(word));
  if (isChanged || given.some((_, index) => isAggregateCall(given, index))) return undefined;
  if (isWord(given[0], 'DISTINCT')) {
    return `${name}(DISTINCT ${add(columns, { value: textOf(sql, given.slice(1)) })})`;
  }
  const value = textOf(sql, given);
  if (name === 'AVG') {
    return `(${column(`SUM(${value})`, 'SUM')} / NULLIF(${column(`COUNT(${value})`, 'SUM')}, 0))`;
  }
  if (name.startsWith('COUNT')) return `IFNULL(${column(text, 'SUM')}, 0)`;
  return MERGING.includes(name) ? column(text, name) : undefined;
}

function merged({ name, merge }: Column): string {
  if (merge === undefined) return `\`${name}\``;
  const isAny = merge === 'ANY_VALUE';
  return `${merge}(\`${name}\`${isAny ? ` HAVING MAX \`${name}\` IS NOT NULL` : ''})`;
}

/** The generated name of a column, which is added if there is none of its value. */
function add(columns: Column[], { value, merge }: Omit<Column, 'name'>): string {
  const known = columns.find(
    (one) => one.value === value && one.merge === merge && one.name.startsWith('local_'),
  );
  if (known) return known.name;
  const name = `local_part_${columns.length}`;
  columns.push({ name, value, ...(merge && { merge }) });
  return name;
}

/** The name of the column in `a` and `t.a`. */
function columnOf(value: Tokens, { alias }: Block): string | undefined {
  const [first, dot, last] = value;
  if (value.length === 1) return isName(first) ? nameOf(first) : undefined;
  const isOwn =
    value.length === 3 && isSymbol(dot, '.') && alias && nameOf(first) === nameOf(alias);
  return isOwn && isName(last) ? nameOf(last) : undefined;
}

export const isOfItsRow = (part: Tokens): boolean =>
  !hasWord(part, /^(?:SELECT|OVER|PIVOT|UNPIVOT|TABLESAMPLE)$/i);
