// Calls an async function for each item of a list, in order, with bounded concurrency.

/** After an error no further call starts; rejects with the first error once the running calls have ended. */
export async function eachLimit<T>(
  items: Iterable<T>,
  countMax: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const queue = items[Symbol.iterator]();
  const errors: unknown[] = [];
  const worker = async (): Promise<void> => {
    for (let next = queue.next(); !next.done && errors.length === 0; next = queue.next()) {
      try {
        await work(next.value);
      } catch (error) {
        errors.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: countMax }, worker));
  if (errors.length > 0) throw errors[0];
}
