// Finds the clauses of a query in its tokens.
import { closingBracket, openingBracket, sameLevel } from './brackets.ts';
import { type Token, type Tokens, isSymbol, isWord, nameOf } from './sql-tokens.ts';
import words from './words.json' with { type: 'json' };

const CLAUSES = 'SELECT FROM WHERE GROUP HAVING QUALIFY WINDOW ORDER LIMIT'.split(' ');

/** The clauses of one SELECT without set operations and pipes, by their first keyword: indexes, `end` exclusive. */
export function clausesOf(all: Tokens) {
  const starts = sameLevel(all).flatMap((at) => {
    const isField = isSymbol(all[at - 1], '.');
    const name = all[at]?.kind === 'word' && !isField ? (all[at]?.text.toUpperCase() ?? '') : '';
    const isComparison = name === 'FROM' && isWord(all[at - 1], 'DISTINCT');
    return CLAUSES.includes(name) && !isComparison ? [{ name, at }] : [];
  });
  return new Map(
    starts.map(({ name, at }, index) => {
      return [name, { at, end: starts[index + 1]?.at ?? all.length }] as const;
    }),
  );
}

/** The index of the bracket that opens the query in which a token is; -1 if no bracket does. */
export function queryBracket(all: Tokens, index: number): number {
  const open = openingBracket(all, index);
  const isQuery = ['SELECT', 'WITH', 'FROM'].some((word) => isWord(all[open + 1], word));
  return open < 0 || isQuery ? open : queryBracket(all, open);
}

/** `|>` */
export function isPipe(all: Tokens, index: number): boolean {
  const [bar, greater] = [all[index], all[index + 1]];
  return isSymbol(bar, '|') && isSymbol(greater, '>') && bar?.end === greater?.start;
}

interface WithClause {
  /** `open` and `close` are the indexes of the brackets. */
  queries: { name: Token; open: number; close: number }[];
  next: number;
}

/** The clause whose keyword is at an index; undefined for any other token, `WITH OFFSET` and `WITH(a AS 1, a)`. */
export function withClauseAt(all: Tokens, index: number): WithClause | undefined {
  if (!isWord(all[index], 'WITH')) return undefined;
  const queries: WithClause['queries'] = [];
  let next = isWord(all[index + 1], 'RECURSIVE') ? index + 1 : index;
  do {
    const [name, open] = [all[next + 1], next + 3];
    const isQuery = isWord(all[next + 2], 'AS') && isSymbol(all[open], '(');
    const close = isQuery ? closingBracket(all, open) : undefined;
    if (!name || close === undefined) return undefined;
    queries.push({ name, open, close });
    next = close + 1;
  } while (isSymbol(all[next], ','));
  return { queries, next };
}

/** An expression without `DESC NULLS LAST`. */
export function withoutOrder(item: Tokens): Tokens {
  const rest = isWord(item.at(-2), 'NULLS') ? item.slice(0, -2) : item;
  return isWord(rest.at(-1), 'ASC') || isWord(rest.at(-1), 'DESC') ? rest.slice(0, -1) : rest;
}

/** The words of a FROM clause that may be names of tables: the last of each path, except those in ON. */
export function tableNames(from: Tokens): Set<string> {
  const names = new Set<string>();
  let isCondition = false;
  for (const index of sameLevel(from)) {
    const token = from[index];
    if (isWord(token, 'ON')) isCondition = true;
    if (isWord(token, 'JOIN') || isSymbol(token, ',')) isCondition = false;
    const isLast = token && token.kind !== 'symbol' && !isSymbol(from[index + 1], '.');
    if (isLast && !isCondition) names.add(nameOf(token).split('.').at(-1) ?? '');
  }
  return names;
}

const AGGREGATES = new Set(words.aggregates);

/** Whether a token is the name in a call of an aggregate function of GoogleSQL. */
export function isAggregateCall(all: Tokens, index: number): boolean {
  const token = all[index];
  if (!token || token.kind === 'symbol' || !isSymbol(all[index + 1], '(')) return false;
  const before = isSymbol(all[index - 1], '.') ? [nameOf(all[index - 2])] : [];
  return isAggregate([...before, nameOf(token)]);
}

/** By the names in the path of the function; `own` are those of the query, in upper case. */
export function isAggregate(path: readonly string[], own: ReadonlySet<string> = new Set()) {
  const names = path.map((one) => one.toUpperCase()).filter((one) => one !== 'SAFE');
  const [name = '', outer] = names.reverse();
  if (outer !== undefined) return outer === 'HLL_COUNT' && name !== 'EXTRACT';
  return AGGREGATES.has(name) || own.has(name);
}
