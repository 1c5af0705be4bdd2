// Limits how many requests of an API key are answered, and how many may start a job, in a minute: token buckets, in bounded memory.
import { LRUCache } from 'lru-cache';
import { atMost } from '../core/at-most.ts';
import type { Clock } from '../core/clock.ts';
import { ServiceError } from '../core/errors.ts';
import type { AuthenticatedKey } from './access.ts';

export type KeyLimits = ReturnType<typeof createKeyLimits>;

/** `token` limits the requests of one `sub` of the tokens of a key. */
const KINDS = ['requests', 'token', 'misses'] as const;
type Kind = (typeof KINDS)[number];

/** A bucket has room for what is allowed in a minute, and refills evenly. Each instance has buckets of its own. */
export function createKeyLimits(clock: Pick<Clock, 'nowMs'>) {
  const buckets = {
    requests: createBuckets(clock),
    token: createBuckets(clock),
    misses: createBuckets(clock),
  };

  return {
    /** For each authenticated request, whatever its answer will be. Throws RATE_LIMITED. */
    takeRequest: (key: AuthenticatedKey) => take(key, 'token', 'requests'),
    /** For a request that starts a job, right before it does. Throws RATE_LIMITED. */
    takeMiss: (key: AuthenticatedKey) => take(key, 'misses'),
    /** Whether `takeMiss` would succeed. */
    hasMiss: (key: AuthenticatedKey): boolean => bucketsOf(key, ['misses']).every(hasOne),
    statesOf: (key: AuthenticatedKey) => bucketsOf(key, KINDS).map(bucketState),
  };

  /** A request that one limit refuses counts towards none. */
  function take(key: AuthenticatedKey, ...kinds: Kind[]): void {
    const limits = bucketsOf(key, kinds);
    const used = limits.find((bucket) => !hasOne(bucket));
    if (used !== undefined) {
      const { kind, perMinute, moreSeconds } = bucketState(used);
      const limited = kind === 'misses' ? 'requests that the cache cannot answer' : 'requests';
      throw new ServiceError(
        'RATE_LIMITED',
        `${limitedBy(key, kind)} is limited to ${perMinute} ${limited} in a minute. Try again in ${moreSeconds} s.`,
        { retryAfterSeconds: moreSeconds },
      );
    }
    limits.forEach(takeOne);
  }

  /** Refilled until now; none for a limit that the key does not have. */
  function bucketsOf(key: AuthenticatedKey, kinds: readonly Kind[]) {
    const { digest, token } = key;
    return kinds.flatMap((kind) => {
      const perMinute = perMinuteOf(key, kind);
      if (perMinute === undefined) return [];
      const name = kind === 'token' ? `${digest} ${token?.subject}` : digest;
      return [Object.assign(buckets[kind](name, perMinute), { kind })];
    });
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
export function limitFields(states: readonly ReturnType<typeof bucketState>[]) {
  // `t` is the time in which no more than `r` can be used: the next one is earned then.
  const left = states.map((state) => `"${state.kind}";r=${state.available};t=${state.moreSeconds}`);
  const policy = states.map(({ kind, perMinute }) => `"${kind}";q=${perMinute};w=60`);
  const fields = { RateLimit: left.join(', '), 'RateLimit-Policy': policy.join(', ') };
  return fields satisfies Record<keyof typeof LIMIT_FIELDS, string>;
}

function bucketState({ kind, perMinute, credits }: Bucket & { kind: Kind }) {
  const missing = COST - (credits % COST);
  return {
    kind,
    perMinute,
    available: Math.floor(credits / COST),
    /** Until one more is available, at least 1; for an untouched limit, the time in which one is earned. */
    moreSeconds: Math.ceil(missing / (perMinute * 1000)),
  };
}

interface Bucket {
  perMinute: number;
  burst: number;
  /** `perMinute` of them are earned in a millisecond, so that all sums are whole numbers. */
  credits: number;
  atMs: number;
}

/** Credits of one use. */
const COST = 60_000;

/** A bucket holds `burst` uses. One that is evicted begins full, as it would after a rest. */
export function createBuckets(clock: Pick<Clock, 'nowMs'>, countMax = 10_000) {
  const buckets = new LRUCache<string, Bucket>(atMost(countMax));

  /** Refilled until now. After a change of the limit, the same share of it is left. */
  return function bucketOf(name: string, perMinute: number, burst = perMinute): Bucket {
    const atMs = clock.nowMs();
    let bucket = buckets.get(name);
    if (bucket === undefined) {
      bucket = { perMinute, burst, credits: burst * COST, atMs };
      buckets.set(name, bucket);
    }
    const earned = Math.max(0, atMs - bucket.atMs) * bucket.perMinute;
    const credits = Math.min(bucket.credits + earned, bucket.burst * COST);
    const share = burst / bucket.burst;
    return Object.assign(bucket, { perMinute, burst, credits: Math.floor(credits * share), atMs });
  };
}

export function hasOne({ credits }: Bucket): boolean {
  return credits >= COST;
}

export function takeOne(bucket: Bucket): void {
  bucket.credits -= COST;
}

export function giveBack(bucket: Bucket): void {
  bucket.credits += COST;
}
