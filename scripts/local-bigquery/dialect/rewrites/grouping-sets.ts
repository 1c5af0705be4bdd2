// Rewrites ROLLUP, CUBE and GROUPING SETS, whose sets the reference engine leaves out.
import { applyEdits, closingBracket, isSymbol, isWord, tokens } from '../../../lexer/sql-tokens.ts';
import type { Edit, Token } from '../../../lexer/sql-tokens.ts';
import { callArguments, separated, textOf } from '../syntax/call-arguments.ts';
import { clausesAround, isAggregateCall, selectItems } from '../syntax/query-clauses.ts';

/**
 * Joins the rows with the numbers of the sets, and groups by these and by the keys, which are NULL in the
 * sets that do not have them: `FROM t, UNNEST([0, 1]) AS local_set_0, UNNEST([IF(local_set_0 IN (0), a, NULL)])
 * AS local_key_0_0 GROUP BY local_set_0, local_key_0_0`.
 */
export function expandedGroupingSets(sql: string): string {
  let text = sql;
  // From the last query to the first, so that inner ones come before the ones around them.
  for (let number = 0, before = Infinity; ; number++) {
    const all = tokens(text);
    const at = all.findLastIndex(
      ({ start }, index) => start < before && setsAt(all, index) !== undefined,
    );
    const group = all[at];
    if (!group) return text;
    before = group.start;
    text = expanded(text, all, at, number);
  }
}

/** Each set as its keys; undefined where no `GROUP BY ROLLUP (…)` begins. */
function setsAt(all: readonly Token[], index: number): Token[][][] | undefined {
  if (!isWord(all[index], 'GROUP') || !isWord(all[index + 1], 'BY')) return undefined;
  return groupingSets(all, index + 2);
}

function groupingSets(all: readonly Token[], at: number): Token[][][] | undefined {
  const isSets = isWord(all[at], 'GROUPING') && isWord(all[at + 1], 'SETS');
  const kind = isSets ? 'SETS' : all[at]?.text.toUpperCase();
  const open = isSets ? at + 2 : at + 1;
  if (!kind || !['ROLLUP', 'CUBE', 'SETS'].includes(kind) || !isSymbol(all[open], '(')) {
    return undefined;
  }
  const items = callArguments(all, open)?.list ?? [];
  if (kind === 'SETS') return items.flatMap((item) => groupingSets(item, 0) ?? [keysOf(item)]);
  const keys = items.map(keysOf);
  if (kind === 'ROLLUP') {
    return [...keys.map((_, index) => keys.slice(0, keys.length - index).flat()), []];
  }
  return keys.reduceRight<Token[][][]>(
    (sets, some) => [...sets.map((set) => [...some, ...set]), ...sets],
    [[]],
  );
}

/** `a` and `(a, b)`; `()` has none. */
function keysOf(item: Token[]): Token[][] {
  const isList = isSymbol(item[0], '(') && closingBracket(item, 0) === item.length - 1;
  if (!isList) return [item];
  return item.length === 2 ? [] : separated(item.slice(1, -1));
}

interface Key {
  /** The expression in the text. */
  value: readonly Token[];
  /** Whether an expression is the same, by its text without letter case and quotes. */
  isNamed: (name: string) => boolean;
  /** The name of its column in the rewritten query. */
  column: string;
  /** True in the sets that have the key. */
  condition: string;
  /** The item of SELECT that it stands for, if it is a number or an alias. */
  item: Item | undefined;
}

interface Item {
  value: readonly Token[];
  alias: Token | undefined;
}

function expanded(sql: string, all: readonly Token[], at: number, number: number): string {
  const sets = setsAt(all, at) ?? [];
  const clauses = clausesAround(all, at);
  const [select, from, group] = ['SELECT', 'FROM', 'GROUP'].map((name) => clauses.get(name));
  if (!select || !from || !group) return sql;
  const set = `local_set_${number}`;
  const items = selectItems(all, select).map(itemOf);
  const tables = namesIn(all.slice(from.at + 1, from.end));
  const keys = distinctKeys(sets, items, tables).map(({ sets: numbers, ...key }, index): Key => {
    const condition = `${set} IN (${numbers.join(', ')})`;
    return { ...key, column: `local_key_${number}_${index}`, condition };
  });
  const joined = keys.map(
    (key) => `, UNNEST([IF(${key.condition}, ${textOf(sql, key.value)}, NULL)]) AS ${key.column}`,
  );
  const fromEnd = all[from.end - 1]?.end ?? 0;
  const edits: Edit[] = [
    {
      start: fromEnd,
      end: fromEnd,
      text: `, UNNEST([${sets.map((_, index) => index).join(', ')}]) AS ${set}${joined.join('')}`,
    },
    {
      start: all[group.at]?.start ?? 0,
      end: all[group.end - 1]?.end ?? 0,
      text: `GROUP BY ${[set, ...keys.map(({ column }) => column)].join(', ')}`,
    },
    ...items.flatMap((item) => itemEdits(item, keys)),
    ...['HAVING', 'QUALIFY', 'WINDOW', 'ORDER'].flatMap((name) => {
      const clause = clauses.get(name);
      return clause ? keyEdits(all.slice(clause.at, clause.end), keys) : [];
    }),
  ];
  return applyEdits(sql, edits);
}

/** Each expression once, with the numbers of the sets that have it. */
function distinctKeys(
  sets: readonly Token[][][],
  items: readonly Item[],
  tables: ReadonlySet<string>,
): (Pick<Key, 'value' | 'item' | 'isNamed'> & { sets: number[] })[] {
  const found: ReturnType<typeof distinctKeys> = [];
  for (const [number, set] of sets.entries()) {
    for (const written of set) {
      const writtenName = nameOf(written);
      const item =
        items[Number(writtenName) - 1] ??
        items.find(({ alias }) => alias && nameOf([alias]) === writtenName);
      const value = item?.value ?? written;
      const name = nameOf(value);
      const same = found.find((key) => key.isNamed(name));
      if (same) same.sets.push(number);
      else {
        const isNamed = (other: string) => isSameName(name, other, tables);
        found.push({ value, item, isNamed, sets: [number] });
      }
    }
  }
  return found;
}

/** `a`, `a AS b` and `a b`. */
function itemOf(item: readonly Token[]): Item {
  const [before, last] = item.slice(-2);
  if (item.length > 2 && isWord(before, 'AS')) return { value: item.slice(0, -2), alias: last };
  const follows = ['word', 'quoted', 'number', 'string'].includes(before?.kind ?? '');
  const isAlias =
    item.length > 1 &&
    (last?.kind === 'quoted' ||
      (last?.kind === 'word' && !/^(END|NULL|TRUE|FALSE)$/i.test(last.text))) &&
    (follows || isSymbol(before, ')') || isSymbol(before, ']'));
  return isAlias ? { value: item.slice(0, -1), alias: last } : { value: item, alias: undefined };
}

/** A column keeps the name that it has without an alias. */
function itemEdits(item: Item, keys: readonly Key[]): Edit[] {
  const { value, alias } = item;
  const key = keys.find((some) => some.item === item || some.isNamed(nameOf(value)));
  const [first, last] = [value[0], value.at(-1)];
  if (!key || !first || !last) return keyEdits(value, keys);
  const isColumn = last.kind === 'word' || last.kind === 'quoted';
  const name = alias || !isColumn ? '' : ` AS ${last.text}`;
  return [{ start: first.start, end: last.end, text: `${key.column}${name}` }];
}

/** The keys in an expression by their columns, but for those in aggregates. */
function keyEdits(part: readonly Token[], keys: readonly Key[]): Edit[] {
  const edits: Edit[] = [];
  for (let index = 0; index < part.length; index++) {
    const token = part[index];
    if (!token || isWord(part[index - 1], 'AS')) continue;
    const close = isSymbol(part[index + 1], '(') ? closingBracket(part, index + 1) : undefined;
    if (close !== undefined && isAggregateCall(part, index) && !isWord(part[close + 1], 'OVER')) {
      const key = keys.find(({ isNamed }) => isNamed(nameOf(part.slice(index + 2, close))));
      if (isWord(token, 'GROUPING') && key) {
        const text = `IF(${key.condition}, 0, 1)`;
        edits.push({ start: token.start, end: part[close]?.end ?? token.end, text });
      }
      index = close;
      continue;
    }
    if (isSymbol(token, '(') && isWord(part[index + 1], 'SELECT')) {
      index = closingBracket(part, index) ?? index;
      continue;
    }
    const match = keyAt(part, index, keys);
    if (!match) continue;
    const end = part[match.last]?.end ?? token.end;
    edits.push({ start: token.start, end, text: match.key.column });
    index = match.last;
  }
  return edits;
}

function keyAt(
  part: readonly Token[],
  index: number,
  keys: readonly Key[],
): { key: Key; last: number } | undefined {
  if (isSymbol(part[index - 1], '.')) return undefined;
  let last = index;
  while (isSymbol(part[last + 1], '.')) last += 2;
  const path = nameOf(part.slice(index, last + 1));
  const column = keys.find(({ isNamed }) => isNamed(path));
  if (column && part[index]?.kind !== 'symbol') {
    return isNoColumn(part, index, last) ? undefined : { key: column, last };
  }
  const expression = keys.find(
    ({ value }) =>
      value.length > 1 && nameOf(part.slice(index, index + value.length)) === nameOf(value),
  );
  return expression && { key: expression, last: index + expression.value.length - 1 };
}

/** A function, the type of a literal, the name of an argument, or a part of a date: `date` in `DATE '2026-01-01'`. */
function isNoColumn(part: readonly Token[], index: number, last: number): boolean {
  if (part[index]?.kind !== 'word') return false;
  const [next, afterNext] = part.slice(last + 1, last + 3);
  if (isSymbol(next, '(') || next?.kind === 'string') return true;
  if (isSymbol(next, '=') && isSymbol(afterNext, '>')) return true;
  if (isWord(part[index - 2], 'INTERVAL')) return true;
  if (isWord(part[index - 2], 'EXTRACT')) return isWord(next, 'FROM');
  return isSymbol(part[index - 1], ',') && isDatePartOf(functionAround(part, index));
}

function isDatePartOf(name: string): boolean {
  return /^(?:(?:DATE|DATETIME|TIME|TIMESTAMP)_(?:TRUNC|DIFF)|LAST_DAY)$/i.test(name);
}

/** The name of the function in whose brackets a token is; '' in none. */
function functionAround(part: readonly Token[], index: number): string {
  let depth = 0;
  for (let at = index - 1; at >= 0; at--) {
    if (isSymbol(part[at], ')') || isSymbol(part[at], ']')) depth++;
    if (isSymbol(part[at], '(') || isSymbol(part[at], '[')) depth--;
    if (depth < 0) return part[at - 1]?.text ?? '';
  }
  return '';
}

/** `a` and `t.a` are the same column where `t` is a table, and others where it is a STRUCT. */
function isSameName(one: string, other: string, tables: ReadonlySet<string>): boolean {
  return (
    one === other || withoutTable(one, tables) === other || one === withoutTable(other, tables)
  );
}

function withoutTable(name: string, tables: ReadonlySet<string>): string | undefined {
  const dot = name.indexOf('.');
  return tables.has(name.slice(0, Math.max(dot, 0))) ? name.slice(dot + 1) : undefined;
}

/** The words of a FROM clause that may be names of tables: the last of each path, but those in ON. */
function namesIn(from: readonly Token[]): Set<string> {
  const names = new Set<string>();
  let isCondition = false;
  for (let index = 0; index < from.length; index++) {
    const token = from[index];
    if (isSymbol(token, '(') || isSymbol(token, '[')) {
      index = closingBracket(from, index) ?? from.length;
      continue;
    }
    if (isWord(token, 'ON')) isCondition = true;
    if (isWord(token, 'JOIN') || isSymbol(token, ',')) isCondition = false;
    const isLast = token && token.kind !== 'symbol' && !isSymbol(from[index + 1], '.');
    if (isLast && !isCondition) names.add(nameOf([token]).split('.').at(-1) ?? '');
  }
  return names;
}

function nameOf(part: readonly Token[]): string {
  return part
    .map(({ kind, text }, index) => {
      const name = kind === 'string' ? text : text.replaceAll('`', '').toLowerCase();
      const isJoined = index === 0 || kind === 'symbol' || part[index - 1]?.kind === 'symbol';
      return isJoined ? name : ` ${name}`;
    })
    .join('');
}
