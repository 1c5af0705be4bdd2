// Declares the clocks, which are arguments so that tests control the time, and bounds the time to wait.

export const DAY_MS = 86_400_000;

export interface Clock {
  /** Milliseconds since the epoch, as far as the machine knows. Never goes back, so that it measures ages. */
  nowMs(): number;
  /** Resolves after `ms` milliseconds, or at once when the signal aborts; never rejects. */
  wait(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The outcome of `work`, or the error `late()` after `ms` milliseconds. The work itself goes on; its later error is ignored. */
export function withDeadline<T>(
  clock: Clock,
  ms: number,
  work: Promise<T>,
  late: () => Error = () => new Error('timed out'),
): Promise<T> {
  const settled = new AbortController();
  const deadline = clock.wait(Math.max(0, ms), settled.signal).then(() => {
    if (!settled.signal.aborted) throw late();
    return work;
  });
  // The error that is made without a reason takes longer than all else here.
  return Promise.race([work, deadline]).finally(() => settled.abort(true));
}
