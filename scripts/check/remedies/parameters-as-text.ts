// Finds parameters that a query takes for a text, in silence: in quotes, and as the name of a column to sort by.
import { levelEnd, separated } from '../../lexer/brackets.ts';
import { type Tokens, isName, isSymbol, isWord, tokens } from '../../lexer/sql-tokens.ts';
import { withoutOrder } from '../../lexer/query-clauses.ts';

interface Found {
  offset: number;
  message: string;
}

/** Words in an expression that name no column. */
const KEYWORDS =
  /^(?:AND|AS|ASC|BETWEEN|CASE|CAST|DESC|DISTINCT|ELSE|END|FALSE|FIRST|FORMAT|IF|IN|IS|LAST|LIKE|NOT|NULL|NULLS|OR|SAFE_CAST|THEN|TRUE|WHEN)$/i;

/** Each ORDER BY of an expression that has a parameter and no column: all rows have the same value. */
export function constantOrders(sql: string): Found[] {
  const all = tokens(sql);
  return all.flatMap((token, index) => {
    if (!isWord(token, 'ORDER') || !isWord(all[index + 1], 'BY')) return [];
    return separated(orderAt(all, index + 2)).flatMap((item) => {
      const value = withoutOrder(item);
      const parameter = value.find(
        ({ kind, text }) => kind === 'parameter' && !text.startsWith('@@'),
      );
      const [first] = value;
      if (!parameter || !first || hasColumn(value)) return [];
      const { text } = parameter;
      const message = `ORDER BY ${sql.slice(first.start, value.at(-1)?.end)} sorts by one value for all rows, because a parameter is no name of a column: write a CASE for each column, such as CASE WHEN ${text} = 'day' THEN day END`;
      return [{ offset: first.start, message }];
    });
  });
}

/** The items of an ORDER BY, to the end of its clause or bracket. */
function orderAt(all: Tokens, start: number): Tokens {
  const end = levelEnd(all, start);
  const isEnd = /^(?:LIMIT|ROWS|RANGE|GROUPS|UNION|INTERSECT|EXCEPT)$/i;
  const next = all.findIndex(
    (token, at) =>
      at > start &&
      at < end &&
      token.depth === all[start]?.depth &&
      (isEnd.test(token.text) || /^[;|]$/.test(token.text)),
  );
  return all.slice(start, next < 0 ? end : next);
}

function hasColumn(value: Tokens): boolean {
  return value.some((token, at) => {
    if (!isName(token)) return false;
    if (isSymbol(value[at + 1], '('))
      return /^(?:RAND|GENERATE_UUID|SESSION_USER)$/i.test(token.text);
    // CAST(… AS INT64)
    if (isWord(value[at - 1], 'AS')) return false;
    return token.kind === 'quoted' || !KEYWORDS.test(token.text);
  });
}

/** Each text that is only `@name`, or that has the name of one of these parameters behind an @; likewise {{ name }} of a template. */
export function quotedParameters(sql: string, names: readonly string[]): Found[] {
  return tokens(sql).flatMap(({ kind, text, start }) => {
    if (kind !== 'string') return [];
    const inner = text.replace(/^[rRbB]*(['"]{3}|['"])([^]*)\1$/, '$2');
    const all = [...inner.matchAll(/@(\w+)|[{]{2}\s*(\w+)\s*[}]{2}/g)];
    const one = all.find(
      ({ 0: whole, 1: name = '' }) =>
        whole === inner || name === '' || names.includes(name.toLowerCase()),
    );
    if (one === undefined) return [];
    const name = `@${one[1] ?? one[2] ?? ''}`;
    const written = one[0] === inner ? name : `CONCAT('…', ${name}, '…')`;
    const message = `${text} is a text, in which ${one[0]} is no parameter: write ${written} if you mean its value`;
    return [{ offset: start, message }];
  });
}
