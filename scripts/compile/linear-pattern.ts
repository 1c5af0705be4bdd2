// Translates a pattern of endpoint.json (ECMA-262 with the flag u) for RE2, which takes linear time for any text.
import { RE2JS } from 're2js';

/** The longest request line. */
const TEXT_LENGTH_MAX = 16_384;
/** Instructions times characters: the worst takes some tens of milliseconds. */
const STEPS_MAX = 1_000_000;

// Escapes that RE2 reads in another way, as members of a class.
const SPACE = String.raw`\x{9}-\x{d}\x{20}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}`;
const NO_SPACE = String.raw`\x{0}-\x{8}\x{e}-\x{1f}\x{21}-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027}\x{202a}-\x{202e}\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{fefe}\x{ff00}-\x{10ffff}`;
const LINE_END = String.raw`\n\r\x{2028}\x{2029}`;
const ANY = String.raw`\x{0}-\x{10ffff}`;

const PROPERTY = String.raw`(?<kind>\\[pP]\{)(?:(?:sc|Script)=)?(?<property>[^}]*\})`;
const CHARACTER = String.raw`\\u[Dd][89ABab]..\\u[Dd][C-Fc-f]..|\\u\{\w+\}|\\u.{4}|\\x..|\\c.|\\?.`;
const TOKEN = new RegExp(
  [
    // Look-around, modifiers and back-references.
    String.raw`(?<foreign>\(\?(?:<?[=!]|[a-z-]+:)|\\[1-9]\d*|\\k<[^>]*>)`,
    String.raw`(?<open>\((?:\?:|\?<[^>]*>)?)`,
    String.raw`\[(?<not>\^?)(?<members>(?:\\.|[^\\\]])*)\]`,
    PROPERTY,
    String.raw`(?<space>\\[sS])|(?<dot>\.)|(?<same>\\[dDwWbB]|[)|^$*+?]|\{[\d,]+\})`,
    `(?<first>${CHARACTER})`,
  ].join('|'),
  'gsu',
);
const MEMBER = new RegExp(
  [
    PROPERTY,
    String.raw`(?<space>\\[sS])|(?<same>\\[dDwW])`,
    `(?<first>${CHARACTER})(?:-(?<last>${CHARACTER}))?`,
  ].join('|'),
  'gsu',
);

type Groups = Readonly<Record<string, string | undefined>>;

/**
 * The pattern, which is valid ECMA-262, in RE2's syntax, for texts of at most `textLengthMax` characters. Throws what
 * completes "<parameter>.pattern …" if RE2 lacks a construct, or if it would take too long.
 */
export function linearPattern(pattern: string, textLengthMax = TEXT_LENGTH_MAX): string {
  const translated = replaceTokens(pattern, TOKEN, translateToken);
  // The second alternative matches nothing: see `re2PatternFault`.
  const searched = String.raw`${translated}|\b\B`;
  const lengthMax = Math.floor(STEPS_MAX / programSize(searched));
  if (lengthMax < Math.min(textLengthMax, TEXT_LENGTH_MAX)) {
    throw new Error(`is so large that it needs a maxLength of at most ${lengthMax}`);
  }
  return searched;
}

function programSize(searched: string): number {
  try {
    return RE2JS.compile(searched).programSize();
  } catch (error) {
    const reason = /parsing regexp: (.*)$/s.exec(String(error))?.[1] ?? String(error);
    throw new Error(`is not supported by RE2: ${reason}`, { cause: error });
  }
}

function replaceTokens(
  text: string,
  token: RegExp,
  replace: (groups: Groups, text: string) => string,
): string {
  return text.replaceAll(token, (part: string, ...found: unknown[]) =>
    replace(found.at(-1) as Groups, part),
  );
}

/** The token in RE2's syntax, with the meaning that it has in ECMA-262; groups lose their names. */
function translateToken(groups: Groups, text: string): string {
  const { foreign, open, not, members, space, dot } = groups;
  if (foreign !== undefined) throw new Error(`has ${foreign}, which RE2 does not support`);
  if (open !== undefined) return '(?:';
  if (members === '') return not === '' ? `[^${ANY}]` : `[${ANY}]`;
  if (members !== undefined) return `[${not}${replaceTokens(members, MEMBER, translateMember)}]`;
  if (dot !== undefined) return `[^${LINE_END}]`;
  return space === undefined ? translateMember(groups, text) : `[${translateMember(groups, text)}]`;
}

function translateMember(groups: Groups, text: string): string {
  const { kind, property, space, first, last } = groups;
  if (kind !== undefined) return `${kind}${property}`;
  if (space !== undefined) return space === '\\s' ? SPACE : NO_SPACE;
  if (first === undefined) return text;
  return last === undefined ? literal(first) : `${literal(first)}-${literal(last)}`;
}

const CONTROLS: Readonly<Record<string, number>> = { 0: 0, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13 };

const literal = (character: string): string => `\\x{${codePointOf(character).toString(16)}}`;

function codePointOf(character: string): number {
  const code = (text: string): number => text.codePointAt(0) ?? 0;
  if (character.length === 1 || !character.startsWith('\\')) return code(character);
  const [kind = '', rest] = [character.slice(1, 2), character.slice(2)];
  if (rest === '') return CONTROLS[kind] ?? code(kind);
  if (kind === 'c') return code(rest) % 32;
  const digits = rest.matchAll(/[\dA-Fa-f]{2,}|[\dA-Fa-f]/g);
  const [high = 0, low] = Array.from(digits, ([text]) => Number.parseInt(text, 16));
  return low === undefined ? high : code(String.fromCharCode(high, low));
}
