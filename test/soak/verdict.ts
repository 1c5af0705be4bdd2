// Collects the results of a soak test: counts of what happened, and every violation; prints whether it passed.
import { PROJECT_DIRECTORY } from '../../scripts/cli/project.ts';

export interface Verdict {
  violate: (sentence: string) => void;
  count: (name: string, by?: number) => void;
  countOf(name: string): number;
  violationCount(): number;
  /** Prints one line that begins with the time. */
  say(text: string): void;
  /** All counts, as one JSON object. */
  toString(): string;
}

const VIOLATIONS_SHOWN = 50;

/** Runs a soak test, then what it has put into `cleanUps`. Rejects if there was a violation. */
export async function judge(
  cleanUps: (() => unknown)[],
  soak: (verdict: Verdict) => Promise<void>,
): Promise<void> {
  // Its parts have paths in the project.
  process.chdir(PROJECT_DIRECTORY);
  const verdict = createVerdict((text) => process.stdout.write(text));
  try {
    await soak(verdict);
  } finally {
    for (const cleanUp of cleanUps.reverse()) await cleanUp();
  }
  const violations = verdict.violationCount();
  process.stdout.write(`${violations === 0 ? 'Passed' : `FAILED: ${violations} violations`}\n`);
  if (violations > 0) throw new Error(`${violations} violations`);
}

function createVerdict(print: (text: string) => void): Verdict {
  const counts = new Map<string, number>();
  let violations = 0;
  const say = (text: string): void => {
    print(`${new Date().toISOString().slice(11, 19)} ${text}\n`);
  };
  return {
    violate(sentence) {
      violations += 1;
      if (violations <= VIOLATIONS_SHOWN) say(`VIOLATION ${sentence}`);
    },
    count: (name, by = 1) => void counts.set(name, (counts.get(name) ?? 0) + by),
    countOf: (name) => counts.get(name) ?? 0,
    violationCount: () => violations,
    say,
    toString: () => JSON.stringify(Object.fromEntries(counts)),
  };
}
