/** Splits GoogleSQL text into tokens, so that rewriting never touches a string or a comment. */

export interface Token {
  kind: 'word' | 'quoted' | 'string' | 'number' | 'parameter' | 'symbol';
  text: string;
  /** Offsets into the text, end exclusive. */
  start: number;
  end: number;
}

/** A replacement of the text between two offsets. */
export interface Edit {
  start: number;
  end: number;
  text: string;
}

const escaped = String.raw`\\(?:[\s\S]|$)`;
/** A literal in three quotes runs over lines, one in a single quote to the end of its line. */
const long = (quote: string) =>
  `${quote}{3}(?:${escaped}|(?!${quote}{3})[^\\\\])*(?:${quote}{3}|$)`;
const short = (quote: string) => `${quote}(?:${escaped}|[^${quote}\\\\\\n])*(?:${quote}|$|(?=\\n))`;

/** Every alternative that begins also ends, so that no text takes more than linear time. */
const patterns = new RegExp(
  [
    String.raw`(?<blank>\s+|--[^\n]*|#[^\n]*|/\*[\s\S]*?(?:\*/|$))`,
    `(?<string>(?:[rR][bB]?|[bB][rR]?)?(?:${[long("'"), long('"'), short("'"), short('"')].join('|')}))`,
    `(?<quoted>${short('`')})`,
    '(?<parameter>@@?(?:[A-Za-z_][A-Za-z0-9_]*|`[^`\\n]*`))',
    String.raw`(?<word>[A-Za-z_][A-Za-z0-9_]*)`,
    String.raw`(?<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)`,
    String.raw`(?<symbol>[\s\S])`,
  ].join('|'),
  'gy',
);

/** The tokens of a text without white space and comments. Never throws: unclosed quotes run to the end. */
export function tokens(sql: string): Token[] {
  const found: Token[] = [];
  for (const match of sql.matchAll(patterns)) {
    const [kind] = Object.entries(match.groups ?? {}).find(([, text]) => text !== undefined) ?? [];
    if (kind === undefined || kind === 'blank') continue;
    found.push({
      kind: kind as Token['kind'],
      text: match[0],
      start: match.index,
      end: match.index + match[0].length,
    });
  }
  return found;
}

/** The text with non-overlapping edits applied, in any order. */
export function applyEdits(sql: string, edits: readonly Edit[]): string {
  let edited = sql;
  for (const edit of [...edits].sort((a, b) => b.start - a.start)) {
    edited = edited.slice(0, edit.start) + edit.text + edited.slice(edit.end);
  }
  return edited;
}

/** Index of the bracket that closes the one at `open`; `undefined` when it is never closed. */
export function closingBracket(all: readonly Token[], open: number): number | undefined {
  let depth = 0;
  for (let index = open; index < all.length; index++) {
    const text = all[index]?.kind === 'symbol' ? all[index]?.text : undefined;
    if (text === '(' || text === '[') depth++;
    if (text === ')' || text === ']') depth--;
    if (depth === 0) return index;
  }
  return undefined;
}

export function isWord(token: Token | undefined, word: string): boolean {
  return token?.kind === 'word' && token.text.toUpperCase() === word;
}

export function isSymbol(token: Token | undefined, symbol: string): boolean {
  return token?.kind === 'symbol' && token.text === symbol;
}
