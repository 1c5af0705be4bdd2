// Replaces WITH in the body of a function by subqueries: the engine takes no arguments inside WITH there.
import { levelEnd, textOf } from '../../../lexer/brackets.ts';
import { isSymbol, isWord, nameOf, replaceTokens, tokens } from '../../../lexer/sql-tokens.ts';
import type { Tokens } from '../../../lexer/sql-tokens.ts';
import { GoogleSqlError } from '../../engine/error.ts';
import type { SqlFunction } from '../../values/engine-catalogue.ts';
import { aliasAfter, clausesAround, withClauseAt } from '../../../lexer/query-clauses.ts';

/** Each use of a WITH query becomes that query in brackets. WITH RECURSIVE stays as it is. */
export function inlineWith(sql: string): string {
  let text = sql;
  // From the last WITH to the first: there is no other WITH inside it, and its names hide those outside.
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
  throw new GoogleSqlError('unsupported', `function ${name} has WITH RECURSIVE over its arguments`);
}

/** The text with the tables that are known by their names as subqueries. */
function withSubqueries(sql: string, known: ReadonlyMap<string, string>): string {
  return replaceTokens(sql, (token, index, all) => {
    const query = known.get(nameOf(token));
    const isPath = isSymbol(all[index + 1], '.');
    if (query === undefined || isPath || !isTable(all, index)) return undefined;
    return { text: aliasAfter(all, index) ? query : `${query} AS ${token.text}` };
  });
}

/** Whether the name of a table may begin at a token: after FROM, JOIN, and commas and brackets in FROM. */
function isTable(all: Tokens, index: number): boolean {
  const before = all[index - 1];
  if (isWord(before, 'FROM')) return !isWord(all[index - 2], 'DISTINCT');
  if (isWord(before, 'JOIN')) return true;
  if (isSymbol(before, '(')) return isTable(all, index - 1);
  const from = isSymbol(before, ',') ? clausesAround(all, index).get('FROM') : undefined;
  return from !== undefined && from.at < index && index < from.end;
}
