// Keeps API keys in memory for a time after they were looked up, and removes expired entries of a cache without waiting for eviction.
import { LRUCache } from 'lru-cache';
import { atMost } from '../core/at-most.ts';
import type { Clock } from '../core/clock.ts';

const KEYS_MAX = 10_000;
const SWEEP_MS = 1000;

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

/**
 * Call the result after each write: an entry is removed within a second of its expiry. The timer does not keep the
 * process alive. `ttlAutopurge` of lru-cache has a timer for each entry, which can miss it, or run with a negative time.
 */
export function sweepStale(
  cache: { readonly size: number; purgeStale(): unknown },
  onSwept?: () => void,
): () => void {
  let timer: NodeJS.Timeout | undefined;
  return function sweepLater() {
    timer ??= setTimeout(() => {
      timer = undefined;
      cache.purgeStale();
      onSwept?.();
      if (cache.size > 0) sweepLater();
    }, SWEEP_MS).unref();
  };
}
