// Finds parameters that a query takes for a text, in silence, because they are in quotes.
import { tokens } from '../../lexer/sql-tokens.ts';

/** Each text that is only `@name`, or that has the name of one of these parameters behind an @; likewise {{ name }} of a template. */
export function quotedParameters(sql: string, names: readonly string[]) {
  return tokens(sql).flatMap(({ kind, text, start }) => {
    if (kind !== 'string') return [];
    const inner = text.replace(/^[rRbB]*(['"]{3}|['"])([^]*)\1$/, '$2');
    const one = [...inner.matchAll(/@(\w+)|[{]{2}\s*(\w+)\s*[}]{2}/g)].find(
      ([whole, name = '']) => name === '' || whole === inner || names.includes(name.toLowerCase()),
    );
    if (one === undefined) return [];
    const name = `@${one[1] ?? one[2] ?? ''}`;
    const written = one[0] === inner ? name : `CONCAT('…', ${name}, '…')`;
    const message = `${text} is a text, in which ${one[0]} is no parameter: write ${written} if you mean its value`;
    return [{ offset: start, message }];
  });
}
