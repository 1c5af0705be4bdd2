// A clock whose time and waits the test controls.
import type { Clock } from '../../../functions/core/clock.ts';

export class FakeClock implements Clock {
  #nowMs: number;
  #sleepers: { untilMs: number; wake: () => void }[] = [];

  constructor(now: string) {
    this.#nowMs = Date.parse(now);
  }

  nowMs(): number {
    return this.#nowMs;
  }

  wait(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const sleeper = { untilMs: this.#nowMs + ms, wake: resolve };
      this.#sleepers.push(sleeper);
      signal?.addEventListener('abort', () => {
        this.#sleepers = this.#sleepers.filter((other) => other !== sleeper);
        resolve();
      });
    });
  }

  /** Moves the time forward and ends the waits that are over. */
  advance(ms: number): void {
    this.#nowMs += ms;
    const due = this.#sleepers.filter((sleeper) => sleeper.untilMs <= this.#nowMs);
    this.#sleepers = this.#sleepers.filter((sleeper) => sleeper.untilMs > this.#nowMs);
    for (const sleeper of due) sleeper.wake();
  }
}
