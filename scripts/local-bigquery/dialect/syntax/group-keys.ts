// Rewrites GROUP BY with grouping sets, which the engine ignores, and with expressions, which it does not find in other clauses.
import {
  callArguments,
  closingBracket,
  openingBracket,
  placeOf,
  sameLevel,
  separated,
} from '../../../lexer/brackets.ts';
import { type Token, type Tokens, isSymbol, isWord, tokens } from '../../../lexer/sql-tokens.ts';
import { rewrittenInSteps } from '../../analysis/mapped-text.ts';
import type { MappedText, Piece, PieceEdit } from '../../analysis/mapped-text.ts';
import {
  clausesAround,
  isAggregateCall,
  isOperand,
  isStar,
  itemOf,
  ownAggregates,
  selectItems,
  tableNames,
  withoutOrder,
} from '../../../lexer/query-clauses.ts';
import type { Item, Clause } from '../../../lexer/query-clauses.ts';

/**
 * `SELECT UPPER(a) AS b … GROUP BY UPPER(a) HAVING UPPER(a) > 'A'` as `… GROUP BY 1 HAVING ANY_VALUE(UPPER(a)) > 'A'`:
 * all rows of a group have the same value. Sets join the rows with the numbers of the sets, and group by these and by
 * the keys, which are NULL in the sets that do not have them: `FROM t, UNNEST([0, 1]) AS local_set_0,
 * UNNEST([IF(local_set_0 IN (0), a, NULL)]) AS local_key_0_0_a GROUP BY local_set_0, local_key_0_0_a`.
 */
export function withGroupKeys(sql: string): MappedText {
  // From the last query to the first, so that inner ones come before the ones around them.
  let [number, before] = [0, Infinity];
  return rewrittenInSteps(sql, (text) => {
    const all = tokens(text);
    const at = all.findLastIndex(
      ({ start }, index) =>
        start < before && isWord(all[index], 'GROUP') && isWord(all[index + 1], 'BY'),
    );
    before = all[at]?.start ?? 0;
    return at < 0 ? undefined : groupEdits(queryAround(text, all, at), number++);
  });
}

interface Query {
  sql: string;
  all: Tokens;
  at: number;
  clauses: ReadonlyMap<string, Clause>;
  items: readonly Item[];
  tables: ReadonlySet<string>;
  own: ReadonlySet<string>;
}

interface Key {
  value: Tokens;
  /** The item of SELECT that it represents, if it is a number or an alias. */
  item: Item | undefined;
  pieces: readonly Piece[];
  /** A condition that is true in the sets that have the key. */
  condition?: string;
}

function queryAround(sql: string, all: Tokens, at: number): Query {
  const clauses = clausesAround(all, at);
  const [select, from] = [clauses.get('SELECT'), clauses.get('FROM')];
  const items = select ? selectItems(all, select).map(itemOf) : [];
  const tables = from ? tableNames(all.slice(from.at + 1, from.end)) : new Set<string>();
  return { sql, all, at, clauses, items, tables, own: ownAggregates(all) };
}

function groupEdits(query: Query, number: number): PieceEdit[] {
  if (!query.clauses.has('SELECT')) return [];
  const sets = groupingSets(query.all, query.at + 2);
  return sets ? setEdits(query, sets, number) : keyEditsOf(query);
}

/** Replaces expressions by the numbers of their items, and in the other clauses by `ANY_VALUE(…)`. */
function keyEditsOf(query: Query): PieceEdit[] {
  const { all, clauses, items, tables } = query;
  const group = clauses.get('GROUP');
  if (!group) return [];
  const numbered = items.findIndex(({ value }) => isStar(value));
  const edits: PieceEdit[] = [];
  const keys: Key[] = [];
  const numbers = new Map<Item, number>();
  for (const value of separated(all.slice(group.at + 2, group.end))) {
    if (isPath(value)) continue;
    keys.push({ value, item: undefined, pieces: ['ANY_VALUE(', placeOf(value), ')'] });
    const found = items.slice(0, numbered < 0 ? undefined : numbered);
    const index = found.findIndex((item) => isSameExpression(item.value, value, tables));
    const item = items[index];
    if (item === undefined) continue;
    numbers.set(item, index + 1);
    edits.push({ ...placeOf(value), pieces: [String(index + 1)] });
  }
  if (keys.length === 0) return [];
  const order = clauses.get('ORDER');
  return [
    ...edits,
    ...items.flatMap((item) => (numbers.has(item) ? [] : itemEdits(item, keys, query))),
    ...otherClauses(query, ['HAVING', 'QUALIFY', 'WINDOW'], keys),
    ...(order ? separated(all.slice(order.at + 2, order.end)) : []).flatMap((written) => {
      const value = withoutOrder(written);
      const item = items.find(
        (one) => numbers.has(one) && isSameExpression(one.value, value, tables),
      );
      return item
        ? [{ ...placeOf(value), pieces: [String(numbers.get(item))] }]
        : keyEdits(written, keys, query);
    }),
  ];
}

/** Each set as its keys; undefined where it is not `ROLLUP (…)`. */
function groupingSets(all: Tokens, at: number): Token[][][] | undefined {
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

function setEdits(query: Query, sets: readonly Token[][][], number: number): PieceEdit[] {
  const { all, clauses } = query;
  const [from, where, group] = ['FROM', 'WHERE', 'GROUP'].map((name) => clauses.get(name));
  if (!from || !group) return [];
  const set = `local_set_${number}`;
  const columns: string[] = [];
  const joined: Piece[] = [];
  const keys = distinctKeys(sets, query).map(({ numbers, value, item }, index): Key => {
    const name = isPath(value) ? nameOf(value.slice(-1)).replace(/\W/g, '_') : '';
    const column = `local_key_${number}_${index}_${name}`;
    const condition = `${set} IN (${numbers.join(', ')})`;
    columns.push(column);
    // An expression is not evaluated for the rows that WHERE leaves out.
    const guard: Piece[] =
      where && !isPath(value) ? ['IF(', placeOf(all.slice(where.at + 1, where.end)), ', '] : [];
    joined.push(', UNNEST([', ...guard, `IF(${condition}, `, placeOf(value), ', NULL)');
    joined.push(guard.length > 0 ? ', NULL)' : '', `]) AS ${column}`);
    return { value, item, pieces: [column], condition };
  });
  const fromEnd = all[from.end - 1]?.end ?? 0;
  const numbers = sets.map((_, index) => index).join(', ');
  return [
    { start: fromEnd, end: fromEnd, pieces: [`, UNNEST([${numbers}]) AS ${set}`, ...joined] },
    {
      ...placeOf(all.slice(group.at, group.end)),
      pieces: [`GROUP BY ${[set, ...columns].join(', ')}`],
    },
    ...query.items.flatMap((item) => itemEdits(item, keys, query)),
    ...otherClauses(query, ['HAVING', 'QUALIFY', 'WINDOW', 'ORDER'], keys),
  ];
}

/** Each expression once, with the numbers of the sets that have it. */
function distinctKeys(
  sets: readonly Token[][][],
  { items, tables }: Query,
): (Pick<Key, 'value' | 'item'> & { numbers: number[] })[] {
  const found: ReturnType<typeof distinctKeys> = [];
  for (const [number, set] of sets.entries()) {
    for (const written of set) {
      const name = nameOf(written);
      const item =
        items[Number(name) - 1] ?? items.find(({ alias }) => alias && nameOf([alias]) === name);
      const value = item?.value ?? written;
      const same = found.find((key) => isSameExpression(key.value, value, tables));
      if (same) same.numbers.push(number);
      else found.push({ value, item, numbers: [number] });
    }
  }
  return found;
}

function isPath(value: Tokens): boolean {
  return value.every((token, index) => (index % 2 === 1) === isSymbol(token, '.'));
}

/** A column keeps the name that it has without an alias. */
function itemEdits(item: Item, keys: readonly Key[], query: Query): PieceEdit[] {
  const { value, alias } = item;
  const key = keys.find(
    (some) => some.item === item || isSameExpression(some.value, value, query.tables),
  );
  const last = value.at(-1);
  if (!key || !last) return keyEdits(value, keys, query);
  const isColumn = (last.kind === 'word' && !/^END$/i.test(last.text)) || last.kind === 'quoted';
  const name = alias || !isColumn ? '' : ` AS ${last.text}`;
  // An expression has no name, and the column of a set has one.
  const isUnnamed = key.condition !== undefined && !alias && !isColumn;
  const pieces = isUnnamed ? ['IF(TRUE, ', ...key.pieces, ', NULL)'] : [...key.pieces, name];
  return [{ ...placeOf(value), pieces }];
}

function otherClauses(query: Query, names: readonly string[], keys: readonly Key[]) {
  return names.flatMap((name) => {
    const { at, end } = query.clauses.get(name) ?? { at: 0, end: 0 };
    return keyEdits(query.all.slice(at, end), keys, query);
  });
}

/** The keys in an expression, except those in aggregates. */
function keyEdits(part: Tokens, keys: readonly Key[], query: Query): PieceEdit[] {
  const { tables, own } = query;
  const edits: PieceEdit[] = [];
  for (let index = 0; index < part.length; index++) {
    const token = part[index];
    if (!token || isWord(part[index - 1], 'AS')) continue;
    const close = isSymbol(part[index + 1], '(') ? closingBracket(part, index + 1) : undefined;
    const isAggregate = isAggregateCall(part, index, own);
    if (close !== undefined && isAggregate && !isWord(part[close + 1], 'OVER')) {
      const inside = part.slice(index + 2, close);
      const key = keys.find(({ value }) => isSameExpression(value, inside, tables));
      if (isWord(token, 'GROUPING') && key?.condition) {
        const end = part[close]?.end ?? token.end;
        edits.push({ start: token.start, end, pieces: [`IF(${key.condition}, 0, 1)`] });
      }
      index = close;
      continue;
    }
    if (isSymbol(token, '(') && isWord(part[index + 1], 'SELECT')) {
      index = closingBracket(part, index) ?? index;
      continue;
    }
    const match = keyAt(part, index, keys, tables);
    if (!match) continue;
    const end = part[match.last]?.end ?? token.end;
    edits.push({ start: token.start, end, pieces: match.key.pieces });
    index = match.last;
  }
  return edits;
}

function keyAt(
  part: Tokens,
  index: number,
  keys: readonly Key[],
  tables: ReadonlySet<string>,
): { key: Key; last: number } | undefined {
  if (isSymbol(part[index - 1], '.')) return undefined;
  let pathEnd = index;
  while (isSymbol(part[pathEnd + 1], '.')) pathEnd += 2;
  const path = part.slice(index, pathEnd + 1);
  const column = keys.find(({ value }) => isSameExpression(value, path, tables));
  if (column && part[index]?.kind !== 'symbol') {
    return isNoColumn(part, index, pathEnd) ? undefined : { key: column, last: pathEnd };
  }
  // With or without the names of tables, an expression may have more tokens than the key.
  for (let last = index; last < part.length; last++) {
    const some = part.slice(index, last + 1);
    // The brackets may be those of a call.
    if (isSymbol(some[0], '(') && closingBracket(some, 0) === some.length - 1) continue;
    const key = keys.find(({ value }) => value.length > 1 && isSameExpression(value, some, tables));
    if (key) return isWhole(part, index, last) ? { key, last } : undefined;
    if (some.length > Math.max(...keys.map(({ value }) => value.length)) * 3) break;
  }
  return undefined;
}

/** Whether tokens are a complete expression: in `a * b + c`, `b + c` is not. */
function isWhole(part: Tokens, first: number, last: number): boolean {
  const strength = strengthOf(part.slice(first, last + 1));
  const [before, after] = [part[first - 1], part[last + 1]];
  const isSign = isSymbol(before, '-') && !isOperand(part[first - 2]);
  return !isSign && binding(before, STARTS) < strength && binding(after, ENDS) <= strength;
}

/** How strongly the weakest operator of an expression binds; that of a path, a call and CASE has none. */
function strengthOf(expression: Tokens): number {
  if (isWord(expression[0], 'CASE') && isWord(expression.at(-1), 'END')) return NONE;
  const own = sameLevel(expression).flatMap((index) => expression[index] ?? []);
  const strengths = own.map((token, index) => {
    if (/^[.([]$/.test(token.text)) return NONE;
    const before = own[index - 1];
    const follows = isOperand(before) || /^[([]$/.test(before?.text ?? '');
    // Two adjacent words are an operator such as LIKE, or a literal such as DATE '2026-01-01'.
    if (token.kind === 'symbol' || follows) return Math.min(binding(token, /^$/), WORDS);
    return isWord(token, 'NOT') ? 1 : NONE;
  });
  return Math.min(...strengths);
}

const NONE = 9;
const WORDS = 5;

/** How strongly the operator next to an expression binds: 0 where the expression ends, 8 if that is not known. */
function binding(token: Token | undefined, ends: RegExp): number {
  if (token === undefined || ends.test(token.text)) return 0;
  const operators = [/^OR$/i, /^AND$/i, /^(?:[<>=!]|IS|IN|LIKE|BETWEEN|NOT)$/i, /^[+-]$/, /^[*/]$/];
  const at = operators.findIndex((operator) => operator.test(token.text));
  return at < 0 ? 8 : at + 1;
}

const STARTS = /^(?:BY|CASE|ELSE|HAVING|QUALIFY|THEN|WHEN|[(,[])$/i;
const ENDS = /^(?:AS|ASC|DESC|ELSE|END|NULLS|THEN|WHEN|[),.[\]])$/i;

/** A function, the type of a literal, the name of an argument, or a part of a date: `date` in `DATE '2026-01-01'`. */
function isNoColumn(part: Tokens, index: number, last: number): boolean {
  if (part[index]?.kind !== 'word') return false;
  const [next, afterNext] = part.slice(last + 1, last + 3);
  if (isSymbol(next, '(') || next?.kind === 'string') return true;
  if (isSymbol(next, '=') && isSymbol(afterNext, '>')) return true;
  if (isWord(part[index - 2], 'INTERVAL')) return true;
  if (isWord(part[index - 2], 'EXTRACT')) return isWord(next, 'FROM');
  if (!isSymbol(part[index - 1], ',')) return false;
  const open = openingBracket(part, index);
  return isSymbol(part[open], '(') && OF_DATE_PARTS.test(part[open - 1]?.text ?? '');
}

const OF_DATE_PARTS = /^(?:(?:DATE|DATETIME|TIME|TIMESTAMP)_(?:TRUNC|DIFF)|LAST_DAY)$/i;

const nameOf = (part: Tokens): string => units(part).join(' ');

/** `a` and `t.a` are the same column where `t` is a table, and others where it is a STRUCT. */
function isSameExpression(one: Tokens, other: Tokens, tables: ReadonlySet<string>): boolean {
  const [left, right] = [units(bare(one)), units(bare(other))];
  const isSame = (a: string, b: string): boolean =>
    a === b || withoutTable(a, tables) === b || a === withoutTable(b, tables);
  return left.length === right.length && left.every((a, at) => isSame(a, right[at] ?? ''));
}

function bare(part: Tokens): Tokens {
  const isBracketed = isSymbol(part[0], '(') && closingBracket(part, 0) === part.length - 1;
  return isBracketed ? bare(part.slice(1, -1)) : part;
}

function units(part: Tokens): string[] {
  const found: string[] = [];
  let isOpen = false;
  for (const token of part) {
    const isDot = isSymbol(token, '.');
    if (isDot || isOpen) found.push(`${found.pop() ?? ''}${textOf(token)}`);
    else found.push(textOf(token));
    isOpen = isDot;
  }
  return found;
}

function textOf({ kind, text }: Token): string {
  if (kind === 'string') return text.replace(/^'([^'"\\\n]*)'$/, '"$1"');
  return text.replaceAll('`', '').toLowerCase();
}

function withoutTable(name: string, tables: ReadonlySet<string>): string | undefined {
  const dot = name.indexOf('.');
  return tables.has(name.slice(0, Math.max(dot, 0))) ? name.slice(dot + 1) : undefined;
}
