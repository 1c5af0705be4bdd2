// Collects the results of a soak test: counts of what happened, and every violation; prints whether it passed.
import { PROJECT_DIRECTORY } from '../../scripts/cli/project.ts';
import { type Own, owning } from '../support/program.ts';

export type Verdict = ReturnType<typeof createVerdict>;

/** Runs a soak test. Rejects if there was a violation. */
export async function judge(soak: (verdict: Verdict, own: Own) => Promise<void>): Promise<void> {
  // Its parts have paths in the project.
  process.chdir(PROJECT_DIRECTORY);
  const verdict = createVerdict();
  await owning((own) => soak(verdict, own));
  const violations = verdict.violationCount();
  if (violations > 0) throw new Error(`FAILED: ${violations} violations`);
  process.stdout.write('Passed\n');
}

function createVerdict() {
  const counts = new Map<string, number>();
  let violations = 0;
  /** Prints one line that begins with the time. */
  const say = (text: string): void => {
    process.stdout.write(`${new Date().toISOString().slice(11, 19)} ${text}\n`);
  };
  return {
    violate: (sentence: string): void => {
      violations += 1;
      say(`VIOLATION ${sentence}`);
    },
    count: (name: string, by = 1) => void counts.set(name, (counts.get(name) ?? 0) + by),
    countOf: (name: string) => counts.get(name) ?? 0,
    violationCount: () => violations,
    say,
    /** All counts, as one JSON object. */
    toString: () => JSON.stringify(Object.fromEntries(counts)),
  };
}
