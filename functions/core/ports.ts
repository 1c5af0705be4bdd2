// The roles that the core and the flow need from the outside world; adapters in `google/` play them.

/** Time as an argument, so that tests control it. */
export interface Clock {
  /** Milliseconds since the epoch. */
  nowMs(): number;
  /** Resolves after `ms` milliseconds, or at once when the signal aborts; never rejects. */
  wait(ms: number, signal?: AbortSignal): Promise<void>;
}
