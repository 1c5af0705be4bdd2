// Looks up API keys in the key store: one look-up at a time for each key, and unknown keys within a budget; fails closed.
import { LRUCache } from 'lru-cache';
import { atMost } from '../core/at-most.ts';
import type { Clock } from '../core/clock.ts';
import { ServiceError } from '../core/errors.ts';
import type { ApiKey, KeyStore } from '../core/key-store.ts';
import { createLookupBudget } from './lookup-budget.ts';

interface LookupDeps {
  keyStore: KeyStore;
  clock: Pick<Clock, 'nowMs'>;
}

const UNKNOWN_KEYS_MAX = 10_000;
const ONCE_KNOWN_MAX = 10_000;
/** Short, so that a new key works soon even if it was tried before it was created. */
const UNKNOWN_KEY_SECONDS = 10;
/** Bounds for all addresses together, far above the budgets of a few: they stop invented keys from very many addresses. */
const AT_ONCE_MAX = 500;
const PER_SECOND_MAX = 1000;

export type KeyLookups = ReturnType<typeof createKeyLookups>;

/** All reject with KEY_LOOKUPS_EXHAUSTED or KEY_STORE_UNAVAILABLE. */
export function createKeyLookups({ keyStore, clock }: LookupDeps) {
  const unknown = new LRUCache<string, true>({
    ...atMost(UNKNOWN_KEYS_MAX),
    ttl: UNKNOWN_KEY_SECONDS * 1000,
    ttlResolution: 0,
    perf: { now: () => clock.nowMs() },
  });
  const budget = createLookupBudget();
  // Keys that were valid before: their look-ups are not limited.
  const onceKnown = new LRUCache<string, true>(atMost(ONCE_KNOWN_MAX));
  const lookups = new Map<string, Promise<ApiKey | undefined>>();
  let second = 0;
  let thisSecond = 0;
  let underWay = 0;

  return { lookUp, withinBudget };

  /** By its id; undefined if there is no such key. The address is read only to look up. */
  async function lookUp(id: string, address: () => string): Promise<ApiKey | undefined> {
    if (unknown.has(id)) return undefined;
    const isUnknown = (key: unknown): boolean => key === undefined;
    const look = () =>
      onceKnown.has(id) ? get(id) : withinBudget(address(), () => get(id), isUnknown);
    const underWay = lookups.get(id);
    if (underWay !== undefined) return sharedOrOwn(underWay, look);
    const lookup = look().finally(() => lookups.delete(id));
    lookups.set(id, lookup);
    return lookup;
  }

  /** Acts within the budget of an unknown client. Only an outcome that `costs` uses up the budget. */
  async function withinBudget<T>(
    address: string,
    act: () => Promise<T>,
    costs: (outcome: T) => boolean,
  ): Promise<T> {
    const taken = budget.take(address, clock.nowMs());
    const end = taken instanceof Promise ? await taken : taken;
    if (end === undefined) {
      // The same for existing and unknown keys: neither was looked up.
      const message =
        'Too many unknown API keys or tokens were sent from this address. Try again shortly.';
      throw new ServiceError('KEY_LOOKUPS_EXHAUSTED', message);
    }
    // After a failed look-up the key may be valid: an outage must not use up the budget of valid keys.
    let isCounted = false;
    try {
      if (isOverRate()) throw unavailable();
      const outcome = await act();
      isCounted = costs(outcome);
      return outcome;
    } finally {
      end({ costs: isCounted, nowMs: clock.nowMs() });
    }
  }

  function isOverRate(): boolean {
    const now = Math.floor(clock.nowMs() / 1000);
    if (now !== second) {
      second = now;
      thisSecond = 0;
    }
    if (underWay >= AT_ONCE_MAX || thisSecond >= PER_SECOND_MAX) return true;
    thisSecond += 1;
    return false;
  }

  async function get(id: string): Promise<ApiKey | undefined> {
    let key: ApiKey | undefined;
    underWay += 1;
    try {
      key = await keyStore.get(id);
    } catch (cause) {
      throw unavailable(cause);
    } finally {
      underWay -= 1;
    }
    if (key === undefined) {
      unknown.set(id, true);
      onceKnown.delete(id);
    } else {
      onceKnown.set(id, true);
    }
    return key;
  }
}

/** The result that another request waits for too; `own` if only the other's address has no look-up left. */
export async function sharedOrOwn<T>(shared: Promise<T>, own: () => Promise<T>): Promise<T> {
  try {
    return await shared;
  } catch (error) {
    if (error instanceof ServiceError && error.reason === 'KEY_LOOKUPS_EXHAUSTED') return own();
    throw error;
  }
}

function unavailable(cause?: unknown): ServiceError {
  const message = 'API keys cannot be checked at the moment. Try again shortly.';
  return new ServiceError('KEY_STORE_UNAVAILABLE', message, { cause });
}
