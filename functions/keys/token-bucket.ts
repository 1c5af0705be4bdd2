// Token buckets: what is left of limits that refill evenly, by name, in bounded memory of this instance.
import { LRUCache } from 'lru-cache';
import { atMost } from '../core/at-most.ts';
import type { Clock } from '../core/clock.ts';

export interface Bucket {
  perMinute: number;
  burst: number;
  /** `perMinute` of them are earned in a millisecond, so that all sums are whole numbers. */
  credits: number;
  atMs: number;
}

/** Credits of one use. */
export const COST = 60_000;

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
