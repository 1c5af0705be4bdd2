// Declares the clocks, which are arguments so that tests control the time, and bounds the time to wait.

export const DAY_MS = 86_400_000;

export interface Clock {
  /** Milliseconds since the epoch, as far as the machine knows. Never goes back, so that it measures ages. */
  nowMs(): number;
  /** Resolves after `ms` milliseconds, or at once when the signal aborts; never rejects. */
  wait(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The outcome of `work`, or the error `late()` after `ms` milliseconds. The work itself goes on; its later error is ignored. */
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
    // The error that is made without a reason takes longer than all else here.
    settled.abort(true);
  }
}
