// Refuses a caller's regular expression that RE2 (BigQuery's engine) cannot compile, or that costs too much.
import { RE2JS } from 're2js';
import { errorMessage } from '../core/describe-error.ts';

/** The most instructions of a compiled pattern; each takes time for every byte of the input. */
const PROGRAM_SIZE_MAX = 2500;

// These two keep the worst pattern below 300 ms (RE2 refuses nested counts of more than 1000); a usual one takes 0.1 ms.
const LENGTH_MAX = 1000;
/** The length times the sum of the counts, as in `{8}`. */
const REPEATED_MAX = 10_000;

/** Completes "<parameter> …" for a pattern that RE2 refuses, or that would take too long. */
export function re2PatternFault(pattern: string): string | undefined {
  if (pattern.length > LENGTH_MAX) return refused(`it is longer than ${LENGTH_MAX} characters`);
  if (pattern.length * sumOfCounts(pattern) > REPEATED_MAX) {
    return refused(
      `its length times the sum of its counts, such as {8}, is over ${REPEATED_MAX}; shorten it or repeat less`,
    );
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

/** Of all that looks like a count, also in a class, where it is none. */
function sumOfCounts(pattern: string): number {
  let sum = 0;
  for (const [, min, max] of pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/g)) {
    sum += Math.max(Number(min), Number(max ?? 0));
  }
  return sum;
}
