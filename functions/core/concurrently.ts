// Bounded concurrency over a queue.

/**
 * Works the items off, in order, at most `countMax` at a time. Rejects with the first error, once
 * what was under way has ended; items after it are not begun.
 */
export async function concurrently<T>(
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
