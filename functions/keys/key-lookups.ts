// Looks up API keys in the key store: one look-up at a time for each key, and unknown keys within a budget; fails closed.
import { LRUCache } from 'lru-cache';
import { atMost } from '../core/at-most.ts';
import { usualError } from '../core/errors.ts';
import type { ApiKey } from '../core/key-store.ts';
import type { Uses } from '../core/services.ts';
import { createKeyCache } from './key-cache.ts';
import { createBuckets, giveBack, hasOne, takeOne } from './limits.ts';

const ONCE_KNOWN_MAX = 10_000;
/** Short, so that a new key works soon even if it was tried before it was created. */
const UNKNOWN_KEY_SECONDS = 10;
/** Of one client address: more new keys than one client uses at once, also behind a shared address. */
const OF_ADDRESS = { perMinute: 300, burst: 100 };
/** Bounds for all addresses together, far above the budgets of a few: they stop invented keys from very many addresses. */
const OF_ALL = { perMinute: 60_000, burst: 1000 };

/** Both reject with KEY_LOOKUPS_EXHAUSTED or KEY_STORE_UNAVAILABLE. */
export function createKeyLookups({ keyStore, clock }: Uses<'keyStore' | 'clock'>) {
  const unknown = createKeyCache<object>(clock, UNKNOWN_KEY_SECONDS);
  // Keys that were valid before: their look-ups are not limited.
  const onceKnown = new LRUCache<string, true>(atMost(ONCE_KNOWN_MAX));
  const lookups = new Map<string, Promise<ApiKey | undefined>>();
  const bucketOf = createBuckets(clock);
  const bucketOfAll = createBuckets(clock, 1);

  return { lookUp, withinBudget };

  /** By its id; undefined if there is no such key. The address is read only to look up. */
  async function lookUp(id: string, address: () => string): Promise<ApiKey | undefined> {
    if (unknown.get(id) !== undefined) return undefined;
    const shared = lookups.get(id);
    if (shared !== undefined) return shared;
    const reading = onceKnown.has(id) ? get(id) : withinBudget(address(), () => get(id));
    const lookup = reading.finally(() => lookups.delete(id));
    lookups.set(id, lookup);
    return lookup;
  }

  /**
   * Acts within the budget of an unknown client. Only an undefined outcome uses up the budget: after a failed look-up the key
   * may be valid.
   */
  async function withinBudget<T>(address: string, act: () => Promise<T>): Promise<T> {
    const bucket = bucketOf(address, OF_ADDRESS.perMinute, OF_ADDRESS.burst);
    if (!hasOne(bucket)) {
      // The same for existing and unknown keys: neither was looked up.
      throw usualError('KEY_LOOKUPS_EXHAUSTED');
    }
    const ofAll = bucketOfAll('', OF_ALL.perMinute, OF_ALL.burst);
    if (!hasOne(ofAll)) throw usualError('KEY_STORE_UNAVAILABLE');
    takeOne(ofAll);
    takeOne(bucket);
    let isCounted = false;
    try {
      const outcome = await act();
      isCounted = outcome === undefined;
      return outcome;
    } finally {
      if (!isCounted) giveBack(bucket);
    }
  }

  async function get(id: string): Promise<ApiKey | undefined> {
    const key = await keyStore.get(id).catch((cause: unknown) => {
      throw usualError('KEY_STORE_UNAVAILABLE', cause);
    });
    if (key === undefined) {
      unknown.add(id, {});
      onceKnown.delete(id);
    } else {
      onceKnown.set(id, true);
    }
    return key;
  }
}
