// Authenticates a request by its API key: memory first, then the key store; fails closed.
import { LRUCache } from 'lru-cache';
import { sweepStale } from './sweep-stale.ts';
import { isValidKey } from './access.ts';
import { atMost } from '../core/at-most.ts';
import { sha256Hex } from '../core/hashes.ts';
import { ServiceError } from '../core/errors.ts';
import { hasWrongChecksum } from './checksum.ts';
import type { ApiKey, KeyStore } from '../core/key-store.ts';
import type { Clocks } from '../core/clock.ts';
import { createLookupBudget } from './lookup-budget.ts';

/** With the SHA-256 under which it is stored, which distinguishes keys of the same name. */
export interface AuthenticatedKey extends ApiKey {
  digest: string;
}

/** Without a promise if the key is in memory: it would take as long as the rest of a hit. The address is read only to look up. */
export type Authenticate = (
  apiKey: string | undefined,
  address: () => string,
) => AuthenticatedKey | Promise<AuthenticatedKey>;

/** Undefined if there is no such key. */
type Found = AuthenticatedKey | undefined;

interface AuthenticatorDeps extends Clocks {
  keyStore: KeyStore;
  keyCacheSeconds: number;
}

const KNOWN_KEYS_MAX = 10_000;
const UNKNOWN_KEYS_MAX = 10_000;
/** Short, so that a new key works soon even if it was tried before it was created. */
const UNKNOWN_KEY_SECONDS = 10;
/** Bounds for all addresses together, far above the budgets of a few: they stop invented keys from very many addresses. */
const LOOKUPS_AT_ONCE_MAX = 500;
const LOOKUPS_PER_SECOND_MAX = 1000;
/** The allowed shape of a key: printable, and short enough to be hashed quickly. */
export const KEY_SHAPE = /^[\x21-\x7e]{8,256}$/;

/** Throws, or rejects with, API_KEY_INVALID (one body for all faults of a key), KEY_LOOKUPS_EXHAUSTED or KEY_STORE_UNAVAILABLE. */
export function createAuthenticator(deps: AuthenticatorDeps): Authenticate {
  const { keyStore, clock, storeClock, keyCacheSeconds } = deps;
  const perf = { now: () => clock.nowMs() };
  const forSeconds = (seconds: number, max: number) => ({
    ...atMost(max),
    ttl: seconds * 1000,
    ttlResolution: 0,
    perf,
  });
  // Two caches: a flood of invented keys must not evict valid keys. They are indexed by the key itself,
  // which leaves memory when it expires: hashing it would take 3 % of a hit.
  const known = new LRUCache<string, AuthenticatedKey>(forSeconds(keyCacheSeconds, KNOWN_KEYS_MAX));
  const sweepKnown = sweepStale(known);
  const unknown = new LRUCache<string, true>(forSeconds(UNKNOWN_KEY_SECONDS, UNKNOWN_KEYS_MAX));
  const budget = createLookupBudget();
  // Keys that were valid before: their look-ups are not limited.
  const onceKnown = new LRUCache<string, true>(atMost(KNOWN_KEYS_MAX));
  const lookups = new Map<string, Promise<Found>>();
  let second = 0;
  let lookupsThisSecond = 0;
  let underWay = 0;

  return (apiKey, address) => {
    if (apiKey === undefined) throw invalidKey();
    const key = known.get(apiKey);
    if (key !== undefined) return requireValid(key);
    if (!KEY_SHAPE.test(apiKey) || hasWrongChecksum(apiKey)) throw invalidKey();
    const digest = sha256Hex(apiKey);
    if (unknown.has(digest)) throw invalidKey();
    return singleFlightLookup(digest, address).then((found) => {
      if (found !== undefined && keyCacheSeconds > 0) {
        known.set(apiKey, found);
        sweepKnown();
      }
      return requireValid(found);
    });
  };

  function requireValid(key: Found): AuthenticatedKey {
    if (key === undefined || !isValidKey(key, storeClock.nowMs())) throw invalidKey();
    return key;
  }

  function singleFlightLookup(digest: string, address: () => string): Promise<Found> {
    const underWay = lookups.get(digest);
    if (underWay !== undefined) return underWay;
    const lookup = (
      onceKnown.has(digest) ? lookUp(digest) : lookUpWithinBudget(digest, address())
    ).finally(() => lookups.delete(digest));
    lookups.set(digest, lookup);
    return lookup;
  }

  /** Only look-ups of unknown keys count against the budget. */
  async function lookUpWithinBudget(digest: string, address: string): Promise<Found> {
    const taken = budget.take(address, clock.nowMs());
    const end = taken instanceof Promise ? await taken : taken;
    if (end === undefined) {
      // The same for existing and unknown keys: neither was looked up.
      const message = 'Too many unknown API keys were sent from this address. Try again shortly.';
      throw new ServiceError('KEY_LOOKUPS_EXHAUSTED', message);
    }
    // After a failed look-up the key may be valid: an outage must not use up the budget of valid keys.
    let costs = false;
    try {
      if (isOverRate()) throw unavailable();
      const key = await lookUp(digest);
      costs = key === undefined;
      return key;
    } finally {
      end({ costs, nowMs: clock.nowMs() });
    }
  }

  function isOverRate(): boolean {
    const now = Math.floor(clock.nowMs() / 1000);
    if (now !== second) {
      second = now;
      lookupsThisSecond = 0;
    }
    if (underWay >= LOOKUPS_AT_ONCE_MAX || lookupsThisSecond >= LOOKUPS_PER_SECOND_MAX) {
      return true;
    }
    lookupsThisSecond += 1;
    return false;
  }

  async function lookUp(digest: string): Promise<Found> {
    let key: ApiKey | undefined;
    underWay += 1;
    try {
      key = await keyStore.get(digest);
    } catch (cause) {
      throw unavailable(cause);
    } finally {
      underWay -= 1;
    }
    if (key === undefined) {
      unknown.set(digest, true);
      onceKnown.delete(digest);
    } else {
      onceKnown.set(digest, true);
    }
    return key && { ...key, digest };
  }
}

function invalidKey(): ServiceError {
  const message = 'A valid API key is needed in the header X-API-KEY, or as Authorization: Bearer.';
  return new ServiceError('API_KEY_INVALID', message);
}

function unavailable(cause?: unknown): ServiceError {
  const message = 'API keys cannot be checked at the moment. Try again shortly.';
  return new ServiceError('KEY_STORE_UNAVAILABLE', message, { cause });
}
