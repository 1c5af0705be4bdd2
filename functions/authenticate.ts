// From the X-API-KEY header to the key it names: memory first, then the key store; fails closed.
import { LRUCache } from 'lru-cache';
import { isValidKey } from './core/access.ts';
import { sha256Hex } from './core/cache-key.ts';
import { withDeadline } from './core/deadline.ts';
import { ServiceError } from './core/errors.ts';
import type { ApiKey, Clock, KeyStore } from './core/ports.ts';

/** The key itself where it is in memory: a promise would cost as much as the rest of a hit. */
export type Authenticate = (header: string | undefined) => ApiKey | Promise<ApiKey>;

interface AuthenticatorDeps {
  keyStore: KeyStore;
  clock: Clock;
  keyCacheSeconds: number;
  timeoutMs: number;
}

const KNOWN_KEYS_MAX = 10_000;
const UNKNOWN_KEYS_MAX = 10_000;
/** Short, so that a key works soon after it was made, also where it was tried too early. */
const UNKNOWN_KEY_SECONDS = 10;
/** Made-up keys cost at most this many reads at a time; beyond, new keys are told to come again. */
const LOOKUPS_AT_ONCE_MAX = 32;
const LOOKUPS_PER_SECOND_MAX = 100;
/** What a key can look like: printable, and not so long that hashing it is work. */
export const KEY_SHAPE = /^[\x21-\x7e]{8,256}$/;

/**
 * Throws, or rejects with, API_KEY_INVALID for a missing, malformed, unknown, revoked or expired key (one body
 * for all) and with KEY_STORE_UNAVAILABLE where it cannot be known.
 */
export function createAuthenticator(deps: AuthenticatorDeps): Authenticate {
  const { keyStore, clock, keyCacheSeconds, timeoutMs } = deps;
  const perf = { now: () => clock.nowMs() };
  // Two caches: a flood of made-up keys must not push out the keys of those who have one.
  // By the key itself, which is gone when its time is over: a hash of it would cost 3 % of a hit.
  const known = new LRUCache<string, ApiKey>({
    max: KNOWN_KEYS_MAX,
    ttl: keyCacheSeconds * 1000,
    ttlAutopurge: true,
    ttlResolution: 0,
    perf,
  });
  const unknown = new LRUCache<string, true>({
    max: UNKNOWN_KEYS_MAX,
    ttl: UNKNOWN_KEY_SECONDS * 1000,
    ttlResolution: 0,
    perf,
  });
  // Keys that were good once: looked up again without regard to a flood of made-up ones.
  const onceKnown = new LRUCache<string, true>({ max: KNOWN_KEYS_MAX });
  const lookups = new Map<string, Promise<ApiKey | undefined>>();
  let second = 0;
  let lookupsThisSecond = 0;

  return (header) => {
    if (header === undefined) throw invalidKey();
    const key = known.get(header);
    if (key !== undefined) return requireValid(key);
    if (!KEY_SHAPE.test(header)) throw invalidKey();
    const digest = sha256Hex(header);
    if (unknown.has(digest)) throw invalidKey();
    return singleFlightLookup(digest).then((found) => {
      if (found !== undefined && keyCacheSeconds > 0) known.set(header, found);
      return requireValid(found);
    });
  };

  function requireValid(key: ApiKey | undefined): ApiKey {
    if (key === undefined || !isValidKey(key, clock.nowMs())) throw invalidKey();
    return key;
  }

  function singleFlightLookup(digest: string): Promise<ApiKey | undefined> {
    const underWay = lookups.get(digest);
    if (underWay !== undefined) return underWay;
    if (!onceKnown.has(digest) && isOverRate()) throw unavailable();
    const lookup = lookUp(digest).finally(() => lookups.delete(digest));
    lookups.set(digest, lookup);
    return lookup;
  }

  function isOverRate(): boolean {
    const now = Math.floor(clock.nowMs() / 1000);
    if (now !== second) {
      second = now;
      lookupsThisSecond = 0;
    }
    if (lookups.size >= LOOKUPS_AT_ONCE_MAX || lookupsThisSecond >= LOOKUPS_PER_SECOND_MAX) {
      return true;
    }
    lookupsThisSecond += 1;
    return false;
  }

  async function lookUp(digest: string): Promise<ApiKey | undefined> {
    let key: ApiKey | undefined;
    try {
      key = await withDeadline(clock, timeoutMs, keyStore.get(digest));
    } catch (cause) {
      throw unavailable(cause);
    }
    if (key === undefined) {
      unknown.set(digest, true);
      onceKnown.delete(digest);
    } else {
      onceKnown.set(digest, true);
    }
    return key;
  }
}

function invalidKey(): ServiceError {
  return new ServiceError('API_KEY_INVALID', 'A valid API key is needed in the header X-API-KEY.');
}

function unavailable(cause?: unknown): ServiceError {
  return new ServiceError(
    'KEY_STORE_UNAVAILABLE',
    'API keys cannot be checked at the moment. Try again shortly.',
    { cause },
  );
}
