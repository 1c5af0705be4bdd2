// Estimates an upper bound on the cost of compiling a regular expression with RE2, from its text.

interface Re2Cost {
  /** Instructions of the program before RE2 simplifies it; each copy of a repeated part counts. */
  instructions: number;
  /** Code points in classes whose other letter cases RE2 looks up, one by one. */
  foldedCodePoints: number;
  /** Number of `\p{…}` and `\P{…}`: each is a table of up to 1,400 ranges. */
  unicodeClasses: number;
}

/** The first and last code point with another letter case; RE2 skips the look-up for a range around all. */
const FOLD_MIN = 0x41;
const FOLD_MAX = 0x1e943;
/** More code points than `\w`, `[:alpha:]` or a similar class has. */
const NAMED_CLASS_SIZE = 128;

const UNICODE_CLASS = String.raw`\\[pP](?:\{[\^\w]*\}|.)`;
const CHARACTER = String.raw`(?:\\x\{[\da-fA-F]*\}|\\x[\da-fA-F]{2}|\\[0-7]{1,3}|\\?.)`;

/** The count of a repetition; with a leading zero RE2 reads it as text. */
const COUNT = String.raw`(?:0|[1-9]\d*)`;

const TOKEN = new RegExp(
  [
    String.raw`\\Q(?<quoted>.*?)(?:\\E|$)`,
    `(?<unicodeClass>${UNICODE_CLASS})`,
    String.raw`(?<namedClass>\\[dDsSwW])`,
    String.raw`\(\?(?<flags>[imsU]*)(?:-[imsU]*)?(?<flagsEnd>[:)])`,
    String.raw`(?<open>\((?:\?P?<\w*>)?)`,
    String.raw`(?<close>\))`,
    String.raw`(?<bar>\|)`,
    String.raw`(?<class>\[\^?)`,
    String.raw`(?<repeat>[*+?])`,
    String.raw`\{(?<min>${COUNT})(?:(?<comma>,)(?<max>${COUNT})?)?\}`,
    CHARACTER,
  ].join('|'),
  'suy',
);

const CLASS_MEMBER = new RegExp(
  [
    `(?<unicodeClass>${UNICODE_CLASS})`,
    String.raw`(?<namedClass>\\[dDsSwW]|\[:\^?\w*:\])`,
    String.raw`(?<first>${CHARACTER})(?:-(?!\])(?<last>${CHARACTER}))?`,
  ].join('|'),
  'suy',
);

interface Group {
  size: number;
  /** Size of the part that a following repetition would repeat. */
  last: number;
}

/**
 * Never less than the work that RE2JS does before it accepts or refuses the text. It is more where RE2
 * simplifies: `(?i)` counts up to the end of the text, and alternatives with a common prefix count in full.
 */
export function re2Cost(pattern: string): Re2Cost {
  const cost: Re2Cost = { instructions: 0, foldedCodePoints: 0, unicodeClasses: 0 };
  const outer: Group[] = [];
  let group: Group = { size: 0, last: 0 };
  let isFolded = false;
  let position = 0;
  const append = (size: number, replaced = 0): void => {
    group.size += size - replaced;
    group.last = size;
  };
  const repeat = (size: number): void => append(size, group.last);
  const close = (): void => {
    const size = Math.max(1, group.size) + 2;
    group = outer.pop() ?? { size: 0, last: 0 };
    append(size);
  };
  const next = (token: RegExp): Record<string, string | undefined> | undefined => {
    token.lastIndex = position;
    const match = token.exec(pattern);
    if (match === null) return undefined;
    position = token.lastIndex;
    return match.groups ?? {};
  };

  for (let token = next(TOKEN); token !== undefined; token = next(TOKEN)) {
    if (token.quoted !== undefined) for (const _ of token.quoted) append(1);
    else if (token.flagsEnd !== undefined) {
      isFolded ||= token.flags?.includes('i') ?? false;
      if (token.flagsEnd === ':') open();
    } else if (token.open !== undefined) open();
    else if (token.close !== undefined) close();
    else if (token.bar !== undefined) append(2);
    else if (token.repeat !== undefined) repeat(group.last + 2);
    else if (token.min !== undefined) repeat(repeatedSize(group.last, token));
    else {
      if (token.class !== undefined) readClass();
      addClass(token);
      append(1);
    }
  }
  while (outer.length > 0) close();
  cost.instructions = group.size;
  return cost;

  function open(): void {
    outer.push(group);
    group = { size: 0, last: 0 };
  }

  function readClass(): void {
    // A closing bracket in first place is a member of the class.
    for (let isFirst = true; isFirst || pattern[position] !== ']'; isFirst = false) {
      const token = next(CLASS_MEMBER);
      if (token === undefined) return;
      addClass(token);
      if (token.first === undefined || !isFolded) continue;
      const first = codePointOf(token.first);
      cost.foldedCodePoints += foldedBetween(first, codePointOf(token.last ?? token.first));
    }
    position += 1;
  }

  function addClass(token: Record<string, string | undefined>): void {
    if (token.unicodeClass !== undefined) cost.unicodeClasses += 1;
    if (token.namedClass !== undefined && isFolded) cost.foldedCodePoints += NAMED_CLASS_SIZE;
  }
}

function repeatedSize(size: number, token: Record<string, string | undefined>): number {
  const { min = '0', comma, max = min } = token;
  const isOpen = comma !== undefined && token.max === undefined;
  const times = Math.max(Number(min), Number(max), isOpen ? 1 : 0);
  return times * (size + (comma === undefined ? 0 : 1)) + 1;
}

function foldedBetween(first: number, last: number): number {
  if (first <= FOLD_MIN && last >= FOLD_MAX) return 1;
  return Math.max(0, Math.min(last, FOLD_MAX) - Math.max(first, FOLD_MIN) + 1);
}

function codePointOf(character: string): number {
  const hexadecimal = /^\\x\{?([\da-f]+)/i.exec(character)?.[1];
  if (hexadecimal !== undefined) return Number.parseInt(hexadecimal, 16);
  const octal = /^\\([0-7]+)$/.exec(character)?.[1];
  if (octal !== undefined) return Number.parseInt(octal, 8);
  // `\n` and similar escapes are below every letter, so their exact value does not matter.
  return character.codePointAt(character.length > 1 && character.startsWith('\\') ? 1 : 0) ?? 0;
}
