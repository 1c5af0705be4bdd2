// Refuses a caller's regular expression that RE2 (BigQuery's engine) cannot compile, or that costs too much.
import { RE2JS } from 're2js';
import { errorMessage } from '../core/errors.ts';

/** The most instructions of a compiled pattern; each takes time for every byte of the input. */
const PROGRAM_SIZE_MAX = 2500;

// These keep the worst pattern near 200 ms; a usual one takes 0.1 ms.
const LENGTH_MAX = 1000;
/** Characters and counts, as in `{8}`, each copy of a repeated group included. */
const REPEATED_MAX = 15_000;
/** With `(?i)`, the other case of each character of a range is looked up: 3 ms for a long range. */
const FOLDED_RANGES_MAX = 20;

/** Completes "<parameter> …" for a pattern that RE2 refuses, or that would take too long. */
export function re2PatternFault(pattern: string): string | undefined {
  if (pattern.length > LENGTH_MAX) return refused(`it is longer than ${LENGTH_MAX} characters`);
  if (repeatedLength(pattern) > REPEATED_MAX) {
    return refused('it is too large (each repetition counts in full)');
  }
  if (foldedRanges(pattern) > FOLDED_RANGES_MAX) {
    return refused(`it has more than ${FOLDED_RANGES_MAX} ranges without regard to letter case`);
  }
  try {
    // Compiled as one of two alternatives: for a pattern that begins with ^ RE2JS would look for a form
    // that is faster to match, in cubic time (half a second for 480 optional letters).
    const size = RE2JS.compile(`|${pattern}`).programSize() - EMPTY_ALTERNATIVE_SIZE;
    return size > PROGRAM_SIZE_MAX ? refused('it is too large') : undefined;
  } catch (error) {
    const ofPattern = errorMessage(error).replace(`\`|${pattern}\``, () => `\`${pattern}\``);
    return `is not a regular expression of RE2: ${ofPattern}`;
  }
}

/** Instructions of the empty alternative: the branch, and one that does nothing. */
const EMPTY_ALTERNATIVE_SIZE = 2;

function refused(reason: string): string {
  return `is not a regular expression that this service accepts: ${reason}`;
}

/** At least the number of parts with all counts written out. Also counts what only looks like a count, in a class. */
function repeatedLength(pattern: string): number {
  let length = pattern.length;
  let copies = 1;
  for (const [, group, min, max] of pattern.matchAll(/(\)?)\{(\d+)(?:,(\d*))?\}/g)) {
    const count = Math.max(1, Number(min), Number(max ?? 0));
    if (group === ')') copies *= count;
    else length += count;
  }
  return length * copies;
}

/** Every hyphen from the first class on, if any part of the pattern has the flag. */
function foldedRanges(pattern: string): number {
  const isFolded = /\(\?[a-z]*i/i.test(pattern);
  return isFolded ? pattern.slice(pattern.indexOf('[')).split('-').length - 1 : 0;
}
