// A clock that goes on by itself and that a test can move ahead: for stores that stamp the real time.
import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../../functions/core/clock.ts';

export class AdvancingClock implements Clock {
  #aheadMs: number;
  #moved = new AbortController();

  /** `aheadMs`: by how much it is ahead of the system's clock. */
  constructor(aheadMs = 0) {
    this.#aheadMs = aheadMs;
  }

  nowMs(): number {
    return Date.now() + this.#aheadMs;
  }

  /** Moves the time forward, and ends the waits that are over by then. */
  advance(ms: number): void {
    this.#aheadMs += ms;
    this.#moved.abort();
    this.#moved = new AbortController();
  }

  async wait(ms: number, signal?: AbortSignal): Promise<void> {
    const untilMs = this.nowMs() + ms;
    while (signal?.aborted !== true && this.nowMs() < untilMs) {
      const ends = [this.#moved.signal, ...(signal === undefined ? [] : [signal])];
      await delay(untilMs - this.nowMs(), undefined, {
        signal: AbortSignal.any(ends),
        ref: false,
      }).catch(() => undefined);
    }
  }
}
