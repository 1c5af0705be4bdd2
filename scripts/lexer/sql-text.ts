// Finds the parameters and function calls in the text of a saved query.
import { type Token, isName, isSymbol, tokens } from './sql-tokens.ts';

/** A name in a text, where it is used first. */
interface NameUse {
  name: string;
  /** Counted in UTF-16 code units. */
  offset: number;
}

/** The parameters (`@name`) in order of first use, without system variables (`@@name`). */
export function parametersOf(sql: string): NameUse[] {
  const isParameter = ({ kind, text }: Token) => kind === 'parameter' && !text.startsWith('@@');
  return firstUses(tokens(sql).filter(isParameter));
}

/** Everything that is called like a function, in order of first use. */
export function calledFunctions(sql: string): NameUse[] {
  const isCall = (token: Token, index: number, all: readonly Token[]) =>
    isName(token) && isSymbol(all[index + 1], '(');
  return firstUses(tokens(sql).filter(isCall));
}

/** Names are without the mark of a parameter, and without the back-ticks that they may be written in. */
function firstUses(uses: readonly Token[]): NameUse[] {
  const first = new Map<string, NameUse>();
  for (const { text, start } of uses) {
    const written = text.replace(/^@/, '');
    const name = written.startsWith('`') ? written.slice(1, -1) : written;
    if (!first.has(name)) first.set(name, { name, offset: start });
  }
  return [...first.values()];
}
