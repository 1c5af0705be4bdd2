// Replaces WITH in the body of a function by subqueries: the engine takes no arguments inside WITH there.
import { closingBracket, levelEnd } from '../../../lexer/brackets.ts';
import { applyEdits, isName, isSymbol, isWord, nameOf, tokens } from '../../../lexer/sql-tokens.ts';
import type { Edit, Token } from '../../../lexer/sql-tokens.ts';

/** Each use of a WITH query becomes that query in brackets. WITH RECURSIVE stays as it is. */
export function inlineWith(sql: string): string {
  let text = sql;
  // From the last one to the first: there is no other WITH inside of it, and its names hide those outside.
  for (let before: number | undefined; ;) {
    const clause = lastWith(text, before);
    if (clause === undefined) return text;
    before = clause.start;
    text = inlined(text, clause);
  }
}

interface WithClause {
  /** Offset of WITH. */
  start: number;
  /** Each query: its name as written, and the offsets of the query between its brackets. */
  queries: { name: Token; start: number; end: number }[];
  /** Offsets of what follows the clause, to the bracket that closes around it. */
  rest: { start: number; end: number };
}

function lastWith(sql: string, before = sql.length): WithClause | undefined {
  const all = tokens(sql);
  for (let index = all.length - 1; index >= 0; index--) {
    const token = all[index];
    if (!token || token.start >= before || !isWord(token, 'WITH')) continue;
    const clause = withClause(all, index, sql);
    if (clause) return clause;
  }
  return undefined;
}

/** Undefined for WITH RECURSIVE, `WITH OFFSET` and `WITH(a AS 1, a)`. */
function withClause(all: readonly Token[], index: number, sql: string): WithClause | undefined {
  const queries: WithClause['queries'] = [];
  let next = index;
  do {
    const [name, as, open] = all.slice(next + 1, next + 4);
    const close =
      isWord(as, 'AS') && isSymbol(open, '(') ? closingBracket(all, next + 3) : undefined;
    if (!name || !open || close === undefined) return undefined;
    queries.push({ name, start: open.end, end: all[close]?.start ?? open.end });
    next = close + 1;
  } while (isSymbol(all[next], ','));
  const end = all[levelEnd(all, next)];
  return {
    start: all[index]?.start ?? 0,
    queries,
    rest: { start: all[next]?.start ?? sql.length, end: end?.start ?? sql.length },
  };
}

function inlined(sql: string, { start, queries, rest }: WithClause): string {
  const known = new Map<string, string>();
  for (const query of queries) {
    const text = withSubqueries(sql.slice(query.start, query.end), known);
    known.set(nameOf(query.name), `(${text}\n)`);
  }
  const main = withSubqueries(sql.slice(rest.start, rest.end), known);
  return sql.slice(0, start) + main + sql.slice(rest.end);
}

/** The text with the tables that are known by their names as subqueries. */
function withSubqueries(sql: string, known: ReadonlyMap<string, string>): string {
  const all = tokens(sql);
  const edits: Edit[] = [];
  for (const index of tablePositions(all)) {
    const token = all[index];
    const query = token && known.get(nameOf(token));
    if (!token || query === undefined || isSymbol(all[index + 1], '.')) continue;
    const text = hasAlias(all[index + 1]) ? query : `${query} AS ${token.text}`;
    edits.push({ start: token.start, end: token.end, text });
  }
  return applyEdits(sql, edits);
}

/** Indexes of the tokens at which the name of a table may begin: after FROM, JOIN, and commas in FROM. */
function tablePositions(all: readonly Token[]): number[] {
  const found: number[] = [];
  /** By depth of brackets: whether a comma separates tables. */
  const inFrom: boolean[] = [false];
  for (const [index, token] of all.entries()) {
    const before = all[index - 1];
    if (isSymbol(token, '(') || isSymbol(token, '[')) {
      inFrom.push(isSymbol(token, '(') && startsTable(before, inFrom));
    } else if (isSymbol(token, ')') || isSymbol(token, ']')) inFrom.pop();
    else if (isWord(token, 'FROM')) inFrom[inFrom.length - 1] = !isWord(before, 'DISTINCT');
    else if (ENDS_FROM.has(token.text.toUpperCase()) && token.kind === 'word') {
      inFrom[inFrom.length - 1] = false;
    } else if (isName(token)) {
      const opensList = isSymbol(before, '(') && inFrom.at(-1) === true;
      if (opensList || startsTable(before, inFrom)) found.push(index);
    }
  }
  return found;
}

function startsTable(before: Token | undefined, inFrom: readonly boolean[]): boolean {
  if (isWord(before, 'JOIN')) return true;
  return inFrom.at(-1) === true && (isWord(before, 'FROM') || isSymbol(before, ','));
}

const ENDS_FROM = new Set(
  'EXCEPT GROUP HAVING INTERSECT LIMIT ORDER QUALIFY SELECT UNION WHERE WINDOW'.split(' '),
);

/** Words that may follow a table and are no alias of it. */
const NO_ALIAS = new Set([
  ...ENDS_FROM,
  ...'CROSS FOR FULL INNER JOIN LEFT ON PIVOT RIGHT TABLESAMPLE UNPIVOT USING WITH'.split(' '),
]);

function hasAlias(next: Token | undefined): boolean {
  return isName(next) && !NO_ALIAS.has(next.text.toUpperCase());
}
