// Finds in the text of a saved query its parameters, its function calls, and all that may be the name of a table, as BigQuery reads it.
import { type Token, type Tokens, isName, isSymbol, tokens } from './sql-tokens.ts';

interface NameUse {
  name: string;
  offset: number;
}

/** The parameters (`@name`) in order of first use, without system variables (`@@name`). */
export function parametersOf(sql: string): NameUse[] {
  const isParameter = ({ kind, text }: Token) => kind === 'parameter' && !text.startsWith('@@');
  return firstUses(tokens(sql).filter(isParameter));
}

/** Everything that is called like a function, in order of first use. */
export function calledFunctions(sql: string): NameUse[] {
  const isCall = (token: Token, index: number, all: Tokens) =>
    isName(token) && isSymbol(all[index + 1], '(');
  return firstUses(tokens(sql).filter(isCall));
}

/** Names are without the mark of a parameter, and without the back-ticks that they may be written in. */
function firstUses(uses: Tokens): NameUse[] {
  const first = new Map<string, NameUse>();
  for (const { text, start } of uses) {
    const written = text.replace(/^@/, '');
    const name = written.startsWith('`') ? written.slice(1, -1) : written;
    if (!first.has(name)) first.set(name, { name, offset: start });
  }
  return [...first.values()];
}

/** Symbols that are other ones with a space between them. */
const PAIRS = new Set(['<=', '>=', '<>', '!=', '<<', '>>', '||', '->', '=>', '|>', '@@', '@{']);

/**
 * The tokens, without comments and layout: a space before a token where the text would have another meaning without
 * it, as `0x1F` and `0 x1F` have. Whatever the tokens are taken for, two meanings have two lists.
 */
export function withoutLayout(sql: string): string[] {
  return tokens(sql).map(({ text, start }, index, all) => {
    const before = all[index - 1];
    const isApart = before !== undefined && before.end < start;
    const isWord = isApart && /[\w.]$/.test(before.text) && /^[\w.'"]/.test(text);
    return isWord || (isApart && PAIRS.has(before.text + text)) ? ` ${text}` : text;
  });
}

/** A path as it is written, such as `` my-project.`crm.customers` ``. */
export interface TablePath {
  /** The names in it, without back quotes: BigQuery also takes several names in one pair of them. */
  parts: readonly string[];
  start: number;
  end: number;
}

/** A name in back quotes, or one of letters, digits and the dashes and colons of a project's id. */
const NAME = '(?:`[^`\\n]*`|[\\w-]+(?::[\\w-]+)?)';
const PATH = new RegExp(`${NAME}(?:\\s*\\.\\s*${NAME})*`, 'g');

/** The text with blanks in place of strings and comments. */
export function codeOf(sql: string): string {
  let code = '';
  for (const { kind, text, start } of tokens(sql)) {
    code = code.padEnd(start) + (kind === 'string' ? ' '.repeat(text.length) : text);
  }
  return code;
}

/** Also paths that name a column or a function, and sums such as `a-b`. */
export function tablePaths(sql: string): TablePath[] {
  return [...codeOf(sql).matchAll(PATH)].map(({ 0: text, index }) => ({
    parts: pathParts(text),
    start: index,
    end: index + text.length,
  }));
}

/** The names of a path that is written in one of the ways of BigQuery. */
export function pathParts(text: string): string[] {
  return text.split('.').map((part) => part.replaceAll('`', '').trim());
}
