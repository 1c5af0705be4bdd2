// The clocks of tests, in milliseconds; their time moves only when a test advances it.
import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../functions/core/clock.ts';
import type { RestCall } from '../../functions/bigquery/rest.ts';

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

/** Its waits take real time: for tests with real processes and sockets. */
export class ControlledClock extends FakeClock {
  /** Waits take this fraction of their time. */
  waitFactor = 1;

  override wait(ms: number, signal?: AbortSignal): Promise<void> {
    return delay(ms * this.waitFactor, undefined, { signal, ref: false }).catch(() => undefined);
  }
}

/**
 * On it the pauses between remote calls take no time. A wait that begins while no call is open is a pause: the time moves to its
 * end at once. A wait that begins while a call is open is a deadline: it ends when the test advances the time.
 */
export class PauseSkippingClock extends FakeClock {
  /** If false, pauses end when the test advances the time, too. */
  skipsPauses = true;
  /** Pauses so far. */
  pauseCount = 0;
  /** Calls that have not settled. */
  openCalls = 0;

  /** The same calls, known to the clock. */
  observe(call: RestCall): RestCall {
    return async (...args) => {
      this.openCalls += 1;
      try {
        return await call(...args);
      } finally {
        this.openCalls -= 1;
      }
    };
  }

  override wait(ms: number, signal?: AbortSignal): Promise<void> {
    const over = super.wait(ms, signal);
    if (this.openCalls > 0) return over;
    this.pauseCount += 1;
    if (this.skipsPauses) this.advance(ms);
    return over;
  }
}
