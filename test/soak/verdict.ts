// Collects the results of a soak test: counts of what happened, and every violation.

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

export function createVerdict(print: (text: string) => void): Verdict {
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
