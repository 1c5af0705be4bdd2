// Limits how many requests of an API key are answered, and how many may start a job, in a minute: token buckets in memory.
import { LRUCache } from 'lru-cache';
import { atMost } from '../core/at-most.ts';
import type { Clock } from '../core/clock.ts';
import { ServiceError } from '../core/errors.ts';
import type { AuthenticatedKey } from './access.ts';

export type KeyLimits = ReturnType<typeof createKeyLimits>;

/** `token` limits the requests of one `sub` of the tokens of a key. */
type Kind = 'requests' | 'token' | 'misses';

interface LimitState {
  kind: Kind;
  perMinute: number;
  available: number;
  /** The time until one more is available, at least 1; for an untouched limit, the time in which one is earned. */
  moreSeconds: number;
}

interface Bucket {
  perMinute: number;
  /** `perMinute` of them are earned in a millisecond, so that all sums are whole numbers. */
  credits: number;
  atMs: number;
}

const MINUTE_MS = 60_000;
/** Credits that one request, or one miss, costs. */
const COST = MINUTE_MS;
/** Bounds the memory. A key that is pushed out begins with a full bucket, as it would after a minute of rest. */
const KEYS_MAX = 10_000;
const NONE: readonly LimitState[] = [];
const KINDS = ['requests', 'token', 'misses'] as const;
const LIMITED = {
  requests: 'requests',
  token: 'requests',
  misses: 'requests that the cache cannot answer',
};

/** A bucket has room for what is allowed in a minute, and refills evenly. Each instance has buckets of its own. */
export function createKeyLimits(clock: Pick<Clock, 'nowMs'>) {
  const buckets = {
    requests: new LRUCache<string, Bucket>(atMost(KEYS_MAX)),
    token: new LRUCache<string, Bucket>(atMost(KEYS_MAX)),
    misses: new LRUCache<string, Bucket>(atMost(KEYS_MAX)),
  };

  return {
    /** For each authenticated request, whatever its answer will be. Throws RATE_LIMITED. */
    takeRequest(key: AuthenticatedKey): void {
      // Refused first by its own limit, one customer does not use up the key's.
      const own = availableIn(key, 'token');
      take(key, 'requests');
      if (own) own.credits -= COST;
    },
    /** For a request that starts a job, right before it does. Throws RATE_LIMITED. */
    takeMiss(key: AuthenticatedKey): void {
      take(key, 'misses');
    },
    /** Whether `takeMiss` would succeed. */
    hasMiss(key: AuthenticatedKey): boolean {
      const bucket = bucketOf(key, 'misses');
      return bucket === undefined || bucket.credits >= COST;
    },
    statesOf(key: AuthenticatedKey): readonly LimitState[] {
      const { requestsPerMinute, missesPerMinute, token } = key;
      if ((requestsPerMinute ?? missesPerMinute ?? token?.requestsPerMinute) === undefined)
        return NONE;
      return KINDS.flatMap((kind) => {
        const bucket = bucketOf(key, kind);
        return bucket === undefined ? [] : [stateOf(kind, bucket)];
      });
    },
  };

  function take(key: AuthenticatedKey, kind: Kind): void {
    const bucket = availableIn(key, kind);
    if (bucket) bucket.credits -= COST;
  }

  /** Undefined without such a limit. Throws RATE_LIMITED. */
  function availableIn(key: AuthenticatedKey, kind: Kind): Bucket | undefined {
    const bucket = bucketOf(key, kind);
    if (bucket === undefined) return undefined;
    const { perMinute, available, moreSeconds } = stateOf(kind, bucket);
    if (available === 0) {
      throw new ServiceError(
        'RATE_LIMITED',
        `${limitedBy(key, kind)} is limited to ${perMinute} ${LIMITED[kind]} in a minute. Try again in ${moreSeconds} s.`,
        { retryAfterSeconds: moreSeconds },
      );
    }
    return bucket;
  }

  /** Refilled until now; undefined if the key has no such limit. */
  function bucketOf(key: AuthenticatedKey, kind: Kind): Bucket | undefined {
    const perMinute = perMinuteOf(key, kind);
    if (perMinute === undefined) return undefined;
    const nowMs = clock.nowMs();
    const { digest, token } = key;
    const id = kind === 'token' ? `${digest} ${token?.subject}` : digest;
    let bucket = buckets[kind].get(id);
    if (bucket === undefined) {
      bucket = { perMinute, credits: perMinute * MINUTE_MS, atMs: nowMs };
      buckets[kind].set(id, bucket);
    }
    const elapsedMs = Math.min(nowMs - bucket.atMs, MINUTE_MS);
    const credits = bucket.credits + elapsedMs * bucket.perMinute;
    bucket.credits = Math.min(credits, bucket.perMinute * MINUTE_MS);
    bucket.atMs = nowMs;
    if (bucket.perMinute !== perMinute) {
      // A changed limit keeps the same remaining share.
      bucket.credits = Math.floor((bucket.credits * perMinute) / bucket.perMinute);
      bucket.perMinute = perMinute;
    }
    return bucket;
  }
}

function limitedBy({ token }: AuthenticatedKey, kind: Kind): string {
  if (token === undefined) return 'This API key';
  return kind === 'token' ? 'This token' : 'The key of this token';
}

function perMinuteOf(key: AuthenticatedKey, kind: Kind): number | undefined {
  if (kind === 'token') return key.token?.requestsPerMinute;
  return kind === 'requests' ? key.requestsPerMinute : key.missesPerMinute;
}

/** The header fields of draft-ietf-httpapi-ratelimit-headers-11, each with its meaning. */
export const LIMIT_FIELDS = {
  RateLimit:
    'What is left of the limits of the key or token: `"requests";r=59;t=1` is 59 requests within the next second.',
  'RateLimit-Policy':
    'The limits of the key or token: `"requests";q=60;w=60` is 60 requests in 60 seconds.',
};

/** The fields and their values: lists of structured fields (RFC 9651). */
export function limitFields(states: readonly LimitState[]) {
  // `t` is the time in which no more than `r` can be used: the next one is earned then.
  const left = states.map((state) => `"${state.kind}";r=${state.available};t=${state.moreSeconds}`);
  const policy = states.map(({ kind, perMinute }) => `"${kind}";q=${perMinute};w=60`);
  const fields = { RateLimit: left.join(', '), 'RateLimit-Policy': policy.join(', ') };
  return fields satisfies Record<keyof typeof LIMIT_FIELDS, string>;
}

function stateOf(kind: Kind, { perMinute, credits }: Bucket): LimitState {
  const missing = COST - (credits % COST);
  return {
    kind,
    perMinute,
    available: Math.floor(credits / COST),
    moreSeconds: Math.ceil(missing / (perMinute * 1000)),
  };
}
