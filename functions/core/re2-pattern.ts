// Regular expressions of callers: BigQuery runs RE2, so RE2's own rules decide, not JavaScript's.
import { RE2JS } from 're2js';

/** What RE2 says against the pattern, or undefined; bounds on repetition and size included. */
export function re2PatternFault(pattern: string): string | undefined {
  try {
    RE2JS.compile(pattern);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
