// Splits the text of a job into its statements.
import { type Token, isSymbol, isWord, tokens } from '../lexer/sql-tokens.ts';

interface Statement {
  /** Where it begins, in UTF-16 code units. */
  start: number;
  /** Whether it creates a function. */
  isFunction: boolean;
}

/** In their order; the text is valid GoogleSQL without BEGIN … END. */
export function statementsOf(sql: string): Statement[] {
  const statements: Token[][] = [[]];
  for (const token of tokens(sql)) {
    if (isSymbol(token, ';')) statements.push([]);
    else statements.at(-1)?.push(token);
  }
  return statements.flatMap((statement) => {
    const [first] = statement;
    if (first === undefined) return [];
    const head = statement.slice(
      0,
      statement.findIndex((token) => isSymbol(token, '(')),
    );
    const isFunction = isWord(first, 'CREATE') && head.some((token) => isWord(token, 'FUNCTION'));
    return [{ start: first.start, isFunction }];
  });
}
