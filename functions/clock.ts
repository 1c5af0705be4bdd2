// The system clock, as `core/clock.ts` declares it.
import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from './core/clock.ts';

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  wait: (ms, signal) => delay(ms, undefined, { signal }).catch(() => undefined),
};
