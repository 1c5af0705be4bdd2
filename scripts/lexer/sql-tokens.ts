// Splits GoogleSQL text into tokens, so that strings and comments are not read as code; replaces parts of it.
import { LRUCache } from 'lru-cache';

export interface Token {
  kind: 'word' | 'quoted' | 'string' | 'number' | 'parameter' | 'symbol';
  text: string;
  /** Offsets into the text, end exclusive. */
  start: number;
  end: number;
  /** How many brackets, round or square, enclose it; a bracket does not enclose itself. */
  depth: number;
}

export type Tokens = readonly Token[];

export interface Edit {
  start: number;
  end: number;
  text: string;
}

const escaped = String.raw`\\(?:[\s\S]|$)`;
/** A triple-quoted literal may span lines; any other ends with its line. */
const long = (quote: string) =>
  `${quote}{3}(?:${escaped}|(?!${quote}{3})[^\\\\])*(?:${quote}{3}|$)`;
const short = (quote: string) => `${quote}(?:${escaped}|[^${quote}\\\\\\n])*(?:${quote}|$|(?=\\n))`;

/** The kind of each alternative below, in their order; the first gives no token. */
const KINDS = ['blank', 'string', 'quoted', 'parameter', 'word', 'number', 'symbol'] as const;

/** Every alternative matches once it has begun, so that the time is linear in the text. */
const patterns = new RegExp(
  [
    String.raw`(\s+|--[^\r\n]*|#[^\r\n]*|/\*[\s\S]*?(?:\*/|$))`,
    `((?:[rR][bB]?|[bB][rR]?)?(?:${[long("'"), long('"'), short("'"), short('"')].join('|')}))`,
    `(${short('`')})`,
    '(@@?(?:[A-Za-z_][A-Za-z0-9_]*|`[^`\\n]*`))',
    // After the dot of a path a name may begin with a digit, and `.5` is a number elsewhere alone.
    String.raw`([A-Za-z_][A-Za-z0-9_]*|(?<=[\w\`)\]]\.)\w+)`,
    String.raw`(0[xX][\da-fA-F]+|(?:\d+\.?\d*|(?<![\w\`)\]])\.\d+)(?:[eE][+-]?\d+)?)`,
    String.raw`([\s\S])`,
  ].join('|'),
  'gy',
);

/** The tokens of a text without white space and comments. Never throws: unclosed quotes run to the end. */
export function tokens(sql: string): Tokens {
  const all = known.get(sql) ?? tokensIn(sql);
  known.set(sql, all);
  return all;
}

const CHARACTERS_MAX = 200_000;
/** By text: one analysis needs the tokens of its query a dozen times. */
const known = new LRUCache<string, Tokens>({
  maxSize: CHARACTERS_MAX,
  sizeCalculation: (_, sql) => sql.length + 1,
});

function tokensIn(sql: string): Tokens {
  const found: Token[] = [];
  let depth = 0;
  for (const match of sql.matchAll(patterns)) {
    const kind = KINDS.find((_, index) => match[index + 1] !== undefined) ?? 'symbol';
    if (kind === 'blank') continue;
    const [text] = match;
    if (text === ')' || text === ']') depth--;
    found.push({ kind, text, start: match.index, end: match.index + text.length, depth });
    if (text === '(' || text === '[') depth++;
  }
  return found;
}

/** The text with edits that do not overlap, in any order. At one place insertions come first, in the given order. */
export function applyEdits(sql: string, edits: readonly Edit[]): string {
  const parts: string[] = [];
  let from = 0;
  const inOrder = [...edits].sort((a, b) => a.start - b.start || a.end - b.end);
  for (const { start, end, text } of inOrder) {
    parts.push(sql.slice(from, start), text);
    from = end;
  }
  return parts.join('') + sql.slice(from);
}

/** The replacement of a token, or of the tokens to `last`. */
interface Replacement {
  text: string;
  /** Index of the last token; the tokens in between are not asked for. */
  last?: number;
}

export function replaceTokens(
  sql: string,
  replacementOf: (token: Token, index: number, all: Tokens) => Replacement | undefined,
): string {
  const all = tokens(sql);
  let next = 0;
  const edits = all.flatMap((token, index): Edit[] => {
    const found = index < next ? undefined : replacementOf(token, index, all);
    if (found === undefined) return [];
    const last = found.last ?? index;
    next = last + 1;
    return [{ start: token.start, end: all[last]?.end ?? sql.length, text: found.text }];
  });
  return applyEdits(sql, edits);
}

export function isWord(token: Token | undefined, word: string): boolean {
  return token?.kind === 'word' && token.text.toUpperCase() === word;
}

/** A word, or a name in back quotes. */
export function isName(token: Token | undefined): token is Token {
  return token?.kind === 'word' || token?.kind === 'quoted';
}

/** As names are compared: without back quotes and letter case. */
export function nameOf(token: Token | undefined): string {
  const { kind, text = '' } = token ?? {};
  return (
    kind === 'quoted' ? unescaped(text.replace(/^`|`$/g, '')) : text.replaceAll('`', '')
  ).toLowerCase();
}

const ESCAPE = /\\(?:x([\da-f]{2})|u([\da-f]{4})|U([\da-f]{8})|([0-7]{3})|([\s\S]))/gi;

/** Only the escapes that a name needs: the others do not occur in names. */
function unescaped(text: string): string {
  return text.replace(
    ESCAPE,
    (all, x?: string, u?: string, long?: string, octal?: string, one: string = ''): string => {
      const hexadecimal = x ?? u ?? long;
      if (hexadecimal === undefined && octal === undefined) return one;
      const code = Number.parseInt(hexadecimal ?? octal ?? '', octal === undefined ? 16 : 8);
      return code <= 0x10_ff_ff ? String.fromCodePoint(code) : all;
    },
  );
}

export function isSymbol(token: Token | undefined, symbol: string): boolean {
  return token?.kind === 'symbol' && token.text === symbol;
}
