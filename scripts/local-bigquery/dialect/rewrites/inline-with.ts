// Replaces WITH in the body of a function by subqueries: the engine takes no arguments inside WITH there.
import { levelEnd, textOf } from '../../../lexer/brackets.ts';
import { applyEdits, isName, isSymbol, isWord, nameOf, tokens } from '../../../lexer/sql-tokens.ts';
import type { Edit, Token } from '../../../lexer/sql-tokens.ts';
import { GoogleSqlError } from '../../engine/error.ts';
import type { SqlFunction } from '../../values/sql-function.ts';
import { withClauseAt } from '../syntax/query-clauses.ts';

/** Each use of a WITH query becomes that query in brackets. WITH RECURSIVE stays as it is. */
export function inlineWith(sql: string): string {
  let text = sql;
  // From the last one to the first: there is no other WITH inside of it, and its names hide those outside.
  for (let before = Infinity; ;) {
    const all = tokens(text);
    const at = all.findLastIndex(
      ({ start }, index) => start < before && withClauseAt(all, index)?.isRecursive === false,
    );
    const clause = withClauseAt(all, at);
    if (!clause) return text;
    before = all[at]?.start ?? 0;
    const known = new Map<string, string>();
    for (const { name, open, close } of clause.queries) {
      const query = withSubqueries(textOf(text, all.slice(open + 1, close)), known);
      known.set(nameOf(name), `(${query}\n)`);
    }
    const end = levelEnd(all, clause.next);
    const main = withSubqueries(textOf(text, all.slice(clause.next, end)), known);
    text = text.slice(0, before) + main + text.slice(all[end]?.start ?? text.length);
  }
}

/** Throws a `GoogleSqlError` for WITH RECURSIVE over the arguments of a function: it cannot become a subquery. */
export function refuseRecursiveBody({ name, arguments: list, body }: SqlFunction): void {
  const names = new Set(list.map((argument) => argument.name.toLowerCase()));
  const all = tokens(body);
  const isOver = all.some(
    (_, index) =>
      withClauseAt(all, index)?.isRecursive &&
      all.slice(index, levelEnd(all, index)).some((one) => names.has(nameOf(one))),
  );
  if (!isOver) return;
  const message = `function ${name} has WITH RECURSIVE over its arguments`;
  throw new GoogleSqlError('unsupported', message);
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
