// The results that an instance holds in memory, bounded by what they take there.
import { LRUCache } from 'lru-cache';
import type { Clock } from '../core/clock.ts';
import type { Entry } from '../core/result-store.ts';

interface Memory {
  get(identity: string): Entry | undefined;
  /** For this time; let go at its end. */
  set(identity: string, entry: Entry, milliseconds: number): void;
  /** What all entries are counted as. */
  bytes(): number;
}

/** What the objects of an entry take beside its bodies and its identity; 1.5 to 2 KB were measured. */
const ENTRY_OVERHEAD_BYTES = 2048;

/**
 * The clock counts whole milliseconds. An entry whose timer runs when it is exactly as old as its `ttl` would get no
 * other timer, and stay.
 */
const HALF_MS = 0.5;

export function createMemory(clock: Clock, memoryCacheMib: number): Memory {
  const entries = new LRUCache<string, Entry>({
    maxSize: memoryCacheMib * 1024 * 1024,
    sizeCalculation: (entry, identity) =>
      entry.body.length + derivedBytesMax(entry) + ENTRY_OVERHEAD_BYTES + 4 * identity.length,
    ttl: 1,
    ttlResolution: 0,
    // Its timers do not hold the process.
    ttlAutopurge: true,
    perf: { now: () => clock.nowMs() },
  });
  return {
    get: (identity) => entries.get(identity),
    set: (identity, entry, milliseconds) =>
      void entries.set(identity, entry, { ttl: milliseconds - HALF_MS }),
    bytes: () => entries.calculatedSize,
  };
}

/**
 * Bound on the bodies in other forms that are kept beside an entry: room for the uncompressed one and for two
 * that are converted and compressed.
 */
export function derivedBytesMax({ body, bodyBytes }: Pick<Entry, 'body' | 'bodyBytes'>): number {
  return bodyBytes + 2 * body.length;
}
