// Declares the clocks: the code gets the time as an argument, so that tests control it.

export interface Clock {
  /** Milliseconds since the epoch, as far as the machine knows. Never goes back, so that it measures ages. */
  nowMs(): number;
  /** Resolves after `ms` milliseconds, or at once when the signal aborts; never rejects. */
  wait(ms: number, signal?: AbortSignal): Promise<void>;
}

/**
 * The time of the store that the instances share, so that they agree even if their own clocks differ.
 * It can jump, so use `Clock` for durations and deadlines.
 */
export type StoreClock = Pick<Clock, 'nowMs'>;
