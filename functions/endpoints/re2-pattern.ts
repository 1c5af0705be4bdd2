// Refuses a caller's regular expression that RE2 (BigQuery's engine) cannot compile, or that costs too much.
import { RE2JS } from 're2js';
import { errorMessage } from '../core/describe-error.ts';
import { re2Cost } from './re2-cost.ts';

/** The most instructions of a compiled pattern; each takes time for every byte of the input. */
const PROGRAM_SIZE_MAX = 2500;

// These bounds keep the worst pattern below 10 ms; a usual pattern takes a hundredth of that.
const LENGTH_MAX = 3000;
/** Instructions before RE2 simplifies, which it does after it has made all of them. */
const INSTRUCTIONS_MAX = 2 * PROGRAM_SIZE_MAX;
/** Enough for all Chinese characters once, or ten times for all characters with another letter case. */
const FOLDED_CODE_POINTS_MAX = 30_000;
const UNICODE_CLASSES_MAX = 10;

/** Completes "<parameter> …" for a pattern that RE2 refuses, or that would take too long. Takes a few milliseconds at most. */
export function re2PatternFault(pattern: string): string | undefined {
  const excess = excessOf(pattern);
  if (excess !== undefined) return refused(excess);
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

function excessOf(pattern: string): string | undefined {
  if (pattern.length > LENGTH_MAX) return `it is longer than ${LENGTH_MAX} characters`;
  const cost = re2Cost(pattern);
  if (cost.instructions > INSTRUCTIONS_MAX)
    return 'it is too large (each repetition counts in full)';
  if (cost.foldedCodePoints > FOLDED_CODE_POINTS_MAX) {
    return `its classes contain more than ${FOLDED_CODE_POINTS_MAX} characters without regard to letter case`;
  }
  if (cost.unicodeClasses > UNICODE_CLASSES_MAX) {
    return `it has more than ${UNICODE_CLASSES_MAX} Unicode classes`;
  }
  return undefined;
}
