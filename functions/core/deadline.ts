// Bounds the time to wait for a remote call.
import type { Clock } from './clock.ts';

/**
 * The outcome of `work`. After `ms` milliseconds it throws `late()` instead. The work itself continues;
 * the caller cancels it if possible. A later error of the work is ignored.
 */
export async function withDeadline<T>(
  clock: Clock,
  ms: number,
  work: Promise<T>,
  late: () => Error = () => new Error('timed out'),
): Promise<T> {
  const settled = new AbortController();
  const deadline = clock.wait(Math.max(0, ms), settled.signal).then(() => {
    // The wait was aborted because the work is done, so no error is needed.
    if (settled.signal.aborted) return undefined as never;
    throw late();
  });
  try {
    return await Promise.race([work, deadline]);
  } finally {
    settled.abort();
  }
}
