// Lets go what a cache (of keys, of results) holds past its time, without waiting until it is pushed out.

interface StaleCache {
  readonly size: number;
  purgeStale(): unknown;
}

const SWEEP_MS = 1000;

/**
 * Call the result after each write: within a second of the end of its time, an entry is gone. The timer does not hold the
 * process. `ttlAutopurge` of lru-cache has a timer for each entry, which can miss it, or run with a negative time.
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
