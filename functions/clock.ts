// The system clock, as `core/clock.ts` declares it.
import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from './core/clock.ts';

/** A smaller lead of the wall clock is within its precision. */
const LEAD_MS = 1000;

/** Never goes back. It follows a leap ahead: the machine may have slept, which stops the monotonic clock. */
export function createSystemClock(
  wallMs = () => Date.now(),
  monotonicMs = () => performance.now(),
): Clock {
  let offsetMs = wallMs() - monotonicMs();
  return {
    nowMs() {
      const elapsedMs = monotonicMs();
      const currentMs = wallMs() - elapsedMs;
      if (currentMs > offsetMs + LEAD_MS) offsetMs = currentMs;
      return Math.floor(elapsedMs + offsetMs);
    },
    wait: (ms, signal) => delay(ms, undefined, { signal }).catch(() => undefined),
  };
}

export const systemClock = createSystemClock();
