// Removes expired entries from a cache (of keys, of results) without waiting for eviction.

interface StaleCache {
  readonly size: number;
  purgeStale(): unknown;
}

const SWEEP_MS = 1000;

/**
 * Call the result after each write: an entry is removed within a second of its expiry. The timer does not keep the
 * process alive. `ttlAutopurge` of lru-cache has a timer for each entry, which can miss it, or run with a negative time.
 */
export function sweepStale(cache: StaleCache, onSwept?: () => void): () => void {
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
