// Keeps API keys in memory for a time after they were looked up.
import { LRUCache } from 'lru-cache';
import { atMost } from '../core/at-most.ts';
import type { Clock } from '../core/clock.ts';
import { sweepStale } from './sweep-stale.ts';

const KEYS_MAX = 10_000;

/** Bounded, and without those that have been there for `seconds`; 0 keeps none. */
export function createKeyCache<Key extends object>(clock: Pick<Clock, 'nowMs'>, seconds: number) {
  const perf = { now: () => clock.nowMs() };
  const ttl = seconds * 1000;
  const keys = new LRUCache<string, Key>({ ...atMost(KEYS_MAX), ttl, ttlResolution: 0, perf });
  const sweep = sweepStale(keys);
  return {
    get: (id: string) => keys.get(id),
    add(id: string, key: Key): Key {
      if (seconds > 0) {
        keys.set(id, key);
        sweep();
      }
      return key;
    },
  };
}
