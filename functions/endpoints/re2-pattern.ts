// Regular expressions of callers: BigQuery runs RE2, so RE2's own rules decide, not JavaScript's.
import { RE2JS } from 're2js';
import { re2Cost } from './re2-cost.ts';

/** Instructions of a compiled pattern; each costs time for every byte that it is matched against. */
const PROGRAM_SIZE_MAX = 2500;

// What keeps the worst pattern below 10 ms; a pattern of a dashboard takes a hundredth of that.
const LENGTH_MAX = 3000;
/** Before RE2 simplifies, which it does once it has made them all. */
const INSTRUCTIONS_MAX = 2 * PROGRAM_SIZE_MAX;
/** All Chinese characters once, or all that have another letter case ten times. */
const FOLDED_CODE_POINTS_MAX = 30_000;
const UNICODE_CLASSES_MAX = 10;

/**
 * Completes "<parameter> …" where the pattern is none of RE2, or takes too long to compile or to
 * run; else undefined. Whatever the pattern is, that costs at most some milliseconds.
 */
export function re2PatternFault(pattern: string): string | undefined {
  const excess = excessOf(pattern);
  if (excess !== undefined) return refused(excess);
  try {
    // As one of two alternatives: for a pattern that begins with ^ RE2JS would look for a form that
    // is faster to match, in cubic time (half a second for 480 optional letters), and we match nothing.
    const size = RE2JS.compile(`|${pattern}`).programSize() - EMPTY_ALTERNATIVE_SIZE;
    return size > PROGRAM_SIZE_MAX ? refused('it is too large') : undefined;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const ofPattern = message.replace(`\`|${pattern}\``, () => `\`${pattern}\``);
    return `is not a regular expression of RE2: ${ofPattern}`;
  }
}

/** The branch, and the instruction that does nothing. */
const EMPTY_ALTERNATIVE_SIZE = 2;

function refused(reason: string): string {
  return `is not a regular expression that this service takes: ${reason}`;
}

function excessOf(pattern: string): string | undefined {
  if (pattern.length > LENGTH_MAX) return `it is longer than ${LENGTH_MAX} characters`;
  const cost = re2Cost(pattern);
  if (cost.instructions > INSTRUCTIONS_MAX)
    return 'it is too large, each repetition counted in full';
  if (cost.foldedCodePoints > FOLDED_CODE_POINTS_MAX) {
    return `its classes hold more than ${FOLDED_CODE_POINTS_MAX} characters without regard to letter case`;
  }
  if (cost.unicodeClasses > UNICODE_CLASSES_MAX) {
    return `it has more than ${UNICODE_CLASSES_MAX} Unicode classes`;
  }
  return undefined;
}
