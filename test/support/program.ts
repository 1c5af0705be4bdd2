// What the benchmark and the soak tests need as programs: to end what they have started (there `undo` does nothing), options, medians.
import { InvalidArgumentError } from '@commander-js/extra-typings';

/** Returns its argument, which is ended after the program, the latest first. */
export type Own = <T>(thing: T, end: (thing: T) => unknown) => T;

/** Ends what `use` owns, also where it throws. */
export async function owning<T>(use: (own: Own) => Promise<T>): Promise<T> {
  const ends: (() => unknown)[] = [];
  try {
    return await use((thing, end) => {
      ends.push(() => end(thing));
      return thing;
    });
  } finally {
    for (const end of ends.reverse()) await end();
  }
}

/** For the value of an option: a whole number from 1 to `max`. */
export function positiveInteger(max: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (/^\d+$/.test(text) && number >= 1 && number <= max) return number;
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${max}.`);
  };
}

/** Returns the median of numbers: the mean of the middle two for an even count, 0 for none. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? 0;
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? 0;
  return (lower + upper) / 2;
}
