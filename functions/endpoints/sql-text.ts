// Finds the parameters and function calls in the text of a saved query.
import { type Token, isSymbol, tokens } from './sql-tokens.ts';

/** Names of the parameters (`@name`) in order of first use, without system variables (`@@name`). */
export function parameterNames(sql: string): string[] {
  return unique(
    tokens(sql)
      .filter(({ kind, text }) => kind === 'parameter' && !text.startsWith('@@'))
      .map(({ text }) => identifier(text.slice(1))),
  );
}

/** Names of everything that is called like a function, in order of first use. */
export function calledFunctions(sql: string): string[] {
  const all = tokens(sql);
  const isName = ({ kind }: Token): boolean => kind === 'word' || kind === 'quoted';
  return unique(
    all
      .filter((token, index) => isName(token) && isSymbol(all[index + 1], '('))
      .map(({ text }) => identifier(text)),
  );
}

/** Without the back-ticks that it may be written in. */
function identifier(text: string): string {
  return text.startsWith('`') ? text.slice(1, -1) : text;
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)];
}
