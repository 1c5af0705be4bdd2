// Limits look-ups of unknown API keys for each client address: a token bucket per address.
import { LRUCache } from 'lru-cache';

interface LookupBudget {
  /** Takes one look-up from the budget of the address; false if none is left. */
  take(address: string, nowMs: number): boolean;
  /** Returns one look-up to the budget: it found a key, or was not made. */
  giveBack(address: string): void;
}

/** More new keys than one client uses at once. */
const LOOKUP_BURST = 40;
const LOOKUPS_PER_SECOND = 5;
/** Bounds the memory; a removed address starts with a full budget, under the global bounds. */
const ADDRESSES_MAX = 10_000;

interface Bucket {
  tokens: number;
  atMs: number;
}

export function createLookupBudget(): LookupBudget {
  const buckets = new LRUCache<string, Bucket>({ max: ADDRESSES_MAX });

  return {
    take(address, nowMs) {
      let bucket = buckets.get(address);
      if (bucket === undefined) {
        bucket = { tokens: LOOKUP_BURST, atMs: nowMs };
        buckets.set(address, bucket);
      }
      // A clock that was set back changes nothing.
      const elapsedMs = Math.max(0, nowMs - bucket.atMs);
      bucket.tokens = Math.min(
        LOOKUP_BURST,
        bucket.tokens + (elapsedMs * LOOKUPS_PER_SECOND) / 1000,
      );
      bucket.atMs = nowMs;
      if (bucket.tokens < 1) return false;
      bucket.tokens -= 1;
      return true;
    },
    giveBack(address) {
      const bucket = buckets.peek(address);
      if (bucket !== undefined) bucket.tokens = Math.min(LOOKUP_BURST, bucket.tokens + 1);
    },
  };
}
