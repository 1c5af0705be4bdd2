// Puts an empty array in place of an absent one in the text that is sent: BigQuery binds an array parameter without values as NULL.
import { type Token, type Tokens, isSymbol, isWord, nameOf, replaceTokens } from './sql-tokens.ts';

/** Types of arrays, such as `ARRAY<INT64>`, by name in lower case. */
export type ArrayTypes = ReadonlyMap<string, string>;

/** `own` are the array parameters that may be empty, `ofKeys` such fields of the STRUCTs in `@keys`. */
export function withEmptyArrays(sql: string, own: ArrayTypes, ofKeys: ArrayTypes): string {
  const orEmpty = (value: string, type: string): string => `IFNULL(${value},${type}[])`;
  const fields = [...ofKeys].map(([name, type]) => `${orEmpty(`\`${name}\``, type)}AS\`${name}\``);
  return replaceTokens(sql, (token, index, all) => {
    const name = parameterName(token);
    const type = name === undefined ? undefined : own.get(name);
    // In brackets, because a word may stand right before: `AND@ids`.
    if (type !== undefined && !isUnnested(all, index))
      return { text: `(${orEmpty(token.text, type)})` };
    if (name !== 'keys' || fields.length === 0) return undefined;
    const keys = `SELECT AS STRUCT*REPLACE(${fields.join(',')})FROM UNNEST(${token.text})`;
    return { text: `ARRAY(${keys})` };
  });
}

function parameterName({ kind, text }: Token): string | undefined {
  if (kind !== 'parameter' || text.startsWith('@@')) return undefined;
  return text.slice(1).replaceAll('`', '').toLowerCase();
}

/** `IN UNNEST(@ids)`, `FROM UNNEST(@ids)`: NULL and an empty array are the same there, and the text stays as it is. */
function isUnnested(all: Tokens, index: number): boolean {
  const [before, unnest, open] = [all[index - 3], all[index - 2], all[index - 1]];
  const isAlone = isSymbol(open, '(') && isSymbol(all[index + 1], ')');
  const isTable = ['in', 'from', 'join'].includes(nameOf(before)) || isSymbol(before, ',');
  return isAlone && isWord(unnest, 'UNNEST') && isTable;
}
