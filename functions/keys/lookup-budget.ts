// How many unknown API keys one client address may have looked up: a token bucket for each address.
import { LRUCache } from 'lru-cache';

export interface LookupBudget {
  /** Takes one look-up from the budget of the address; false where none is left. */
  take(address: string, nowMs: number): boolean;
  /** Gives one back: the look-up has found a key, or was never made. */
  giveBack(address: string): void;
}

/** More keys than one client uses for the first time at once. */
export const LOOKUP_BURST = 40;
export const LOOKUPS_PER_SECOND = 5;
/** Bounds the memory; an address beyond it is forgotten and begins anew, under the global bounds. */
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
      // A clock that is set back gives nothing, and takes nothing.
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
