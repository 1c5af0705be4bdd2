// A clock whose time the test sets, but whose waits take real time: for tests with real processes and sockets.
import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../../functions/core/clock.ts';

export class ControlledClock implements Clock {
  #nowMs: number;
  /** Waits take this fraction of their time. */
  waitFactor = 1;

  constructor(now: string) {
    this.#nowMs = Date.parse(now);
  }

  nowMs(): number {
    return this.#nowMs;
  }

  advance(ms: number): void {
    this.#nowMs += ms;
  }

  wait(ms: number, signal?: AbortSignal): Promise<void> {
    return delay(ms * this.waitFactor, undefined, { signal, ref: false }).catch(() => undefined);
  }
}
