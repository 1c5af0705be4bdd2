// A bound on how long somebody waits for a remote call.
import type { Clock } from './clock.ts';

/**
 * The outcome of `work`, or `late()` thrown after `ms` milliseconds. The work itself goes on: whoever
 * can cancel it does so when this throws. Its own later failure is swallowed.
 */
export async function withDeadline<T>(
  clock: Clock,
  ms: number,
  work: Promise<T>,
  late: () => Error = () => new Error('timed out'),
): Promise<T> {
  const settled = new AbortController();
  const deadline = clock.wait(Math.max(0, ms), settled.signal).then(() => {
    // Aborted because the work is done: the race is over, and an error would be made for nobody.
    if (settled.signal.aborted) return undefined as never;
    throw late();
  });
  try {
    return await Promise.race([work, deadline]);
  } finally {
    settled.abort();
  }
}
