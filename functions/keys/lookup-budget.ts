// Limits look-ups of unknown API keys for each client address: a token bucket per address.
import { LRUCache } from 'lru-cache';
import { atMost } from '../core/at-most.ts';

/** Ends a look-up that was allowed; it costs nothing if it found a key, failed, or was not made. */
type EndLookup = (outcome: { costs: boolean; nowMs: number }) => void;

/** More unknown keys than one client uses at once. */
const LOOKUP_BURST = 40;
const LOOKUPS_PER_SECOND = 5;
/** So one address can send 100 new keys at once. */
const WAITING_MAX = 60;
const WAITING_MS = 2000;
/** Bounds the memory; a removed address starts with a full budget, under the global bounds. */
const ADDRESSES_MAX = 10_000;

interface Bucket {
  tokens: number;
  atMs: number;
  underWay: number;
  waiting: Waiting[];
}

interface Waiting {
  sinceMs: number;
  answer: (end: EndLookup | undefined) => void;
}

export function createLookupBudget() {
  const buckets = new LRUCache<string, Bucket>(atMost(ADDRESSES_MAX));

  return {
    /**
     * Undefined if the address has no look-up left. While others of it are under way, which may be returned to the budget,
     * the answer waits for them: in the order of arrival, and for about two seconds if look-ups that cost keep ending.
     */
    take(address: string, nowMs: number): EndLookup | undefined | Promise<EndLookup | undefined> {
      const unused: Bucket = { tokens: LOOKUP_BURST, atMs: nowMs, underWay: 0, waiting: [] };
      const bucket = buckets.get(address) ?? unused;
      buckets.set(address, bucket);
      refill(bucket, nowMs);
      if (bucket.tokens < 1) return waitForOthers(bucket, nowMs);
      return start(bucket);
    },
  };
}

/** Waiting look-ups go first. */
function refill(bucket: Bucket, nowMs: number): void {
  // A clock that was set back changes nothing.
  const elapsedMs = Math.max(0, nowMs - bucket.atMs);
  const tokens = bucket.tokens + (elapsedMs * LOOKUPS_PER_SECOND) / 1000;
  bucket.tokens = Math.min(LOOKUP_BURST, tokens);
  bucket.atMs = nowMs;
  while (bucket.tokens >= 1 && bucket.waiting.length > 0) {
    bucket.waiting.shift()?.answer(start(bucket));
  }
}

function waitForOthers({ underWay, waiting }: Bucket, nowMs: number) {
  if (underWay === 0 || waiting.length >= WAITING_MAX) return undefined;
  return new Promise<EndLookup | undefined>((answer) => waiting.push({ sinceMs: nowMs, answer }));
}

function start(bucket: Bucket): EndLookup {
  bucket.tokens -= 1;
  bucket.underWay += 1;
  return ({ costs, nowMs }) => {
    bucket.underWay -= 1;
    if (!costs) bucket.tokens = Math.min(LOOKUP_BURST, bucket.tokens + 1);
    // Gives what was returned to waiting look-ups, before a new one takes it.
    refill(bucket, nowMs);
    if (bucket.underWay > 0 && !costs) return;
    // While others are under way, a look-up that cost nothing proves nothing about them; one that cost may be part of a flood.
    const isRefused = ({ sinceMs }: Waiting): boolean =>
      bucket.underWay === 0 || sinceMs + WAITING_MS <= nowMs;
    while (bucket.waiting[0] !== undefined && isRefused(bucket.waiting[0])) {
      bucket.waiting.shift()?.answer(undefined);
    }
  };
}
