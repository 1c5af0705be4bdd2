// Regular expressions of callers: BigQuery runs RE2, so RE2's own rules decide, not JavaScript's.
import { RE2JS } from 're2js';

/** Instructions of a compiled pattern; each costs time for every byte that it is matched against. */
const PROGRAM_SIZE_MAX = 2500;

/** What RE2 says against the pattern, or undefined; bounds on repetition and size included. */
export function re2PatternFault(pattern: string): string | undefined {
  try {
    const size = RE2JS.compile(pattern).programSize();
    return size > PROGRAM_SIZE_MAX ? 'it is too large' : undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
