// Rewrites ROLLUP, CUBE and GROUPING SETS, whose sets the reference engine leaves out.
import {
  applyEdits,
  closingBracket,
  isSymbol,
  isWord,
  tokens,
} from '../../../functions/endpoints/sql-tokens.ts';
import type { Edit, Token } from '../../../functions/endpoints/sql-tokens.ts';
import { callArguments, separated, textOf } from './call-arguments.ts';
import { clausesAround, isAggregateCall, selectItems } from './query-clauses.ts';

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
  /** As the queries write it, without letter case and quotes. */
  name: string;
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
  const keys = distinctKeys(sets, items).map(({ value, item, sets: numbers }, index): Key => {
    const condition = `${set} IN (${numbers.join(', ')})`;
    return { value, item, name: nameOf(value), column: `local_key_${number}_${index}`, condition };
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
): (Pick<Key, 'value' | 'item'> & { sets: number[] })[] {
  const found: (Pick<Key, 'value' | 'item'> & { sets: number[] })[] = [];
  for (const [number, set] of sets.entries()) {
    for (const written of set) {
      const name = nameOf(written);
      const item =
        items[Number(name) - 1] ?? items.find(({ alias }) => alias && nameOf([alias]) === name);
      const value = item?.value ?? written;
      const same = found.find((key) => isSameName(nameOf(key.value), nameOf(value)));
      if (same) same.sets.push(number);
      else found.push({ value, item, sets: [number] });
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
  const key = keys.find((some) => some.item === item || isSameName(some.name, nameOf(value)));
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
      const key = keys.find(({ name }) => isSameName(name, nameOf(part.slice(index + 2, close))));
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
  const column = keys.find(({ name }) => isSameName(name, path));
  if (column && part[index]?.kind !== 'symbol') return { key: column, last };
  const expression = keys.find(
    ({ value, name }) =>
      value.length > 1 && nameOf(part.slice(index, index + value.length)) === name,
  );
  return expression && { key: expression, last: index + expression.value.length - 1 };
}

/** `a` and `t.a` are the same column. */
function isSameName(one: string, other: string): boolean {
  return one === other || one.endsWith(`.${other}`) || other.endsWith(`.${one}`);
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
