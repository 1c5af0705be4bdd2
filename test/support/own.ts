// What a program has started, and ends: the benchmark and the soak tests, in which `undo` does nothing.

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
