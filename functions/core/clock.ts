// The role of the clock: time is an argument, so that tests control it.

export interface Clock {
  /** Milliseconds since the epoch. */
  nowMs(): number;
  /** Resolves after `ms` milliseconds, or at once when the signal aborts; never rejects. */
  wait(ms: number, signal?: AbortSignal): Promise<void>;
}

/**
 * The time of the store that instances share: they agree on it, however far apart their clocks are.
 * It can jump, so durations and deadlines go by `Clock`.
 */
export type StoreClock = Pick<Clock, 'nowMs'>;
