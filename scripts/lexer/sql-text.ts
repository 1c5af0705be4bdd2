// Finds the parameters and function calls in the text of a saved query.
import { isName, isSymbol, tokens } from './sql-tokens.ts';

/** A name in a text, where it is used first. */
interface NameUse {
  name: string;
  /** Counted in UTF-16 code units. */
  offset: number;
}

/** The parameters (`@name`) in order of first use, without system variables (`@@name`). */
export function parametersOf(sql: string): NameUse[] {
  return firstUses(
    tokens(sql)
      .filter(({ kind, text }) => kind === 'parameter' && !text.startsWith('@@'))
      .map(({ text, start }) => ({ name: identifier(text.slice(1)), offset: start })),
  );
}

/** Everything that is called like a function, in order of first use. */
export function calledFunctions(sql: string): NameUse[] {
  const all = tokens(sql);
  return firstUses(
    all
      .filter((token, index) => isName(token) && isSymbol(all[index + 1], '('))
      .map(({ text, start }) => ({ name: identifier(text), offset: start })),
  );
}

/** Without the back-ticks that it may be written in. */
function identifier(text: string): string {
  return text.startsWith('`') ? text.slice(1, -1) : text;
}

function firstUses(uses: readonly NameUse[]): NameUse[] {
  const first = new Map<string, NameUse>();
  for (const use of uses) if (!first.has(use.name)) first.set(use.name, use);
  return [...first.values()];
}
