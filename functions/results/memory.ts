// The results in the memory of an instance, bounded by their size in memory.
import { LRUCache } from 'lru-cache';
import { sweepStale } from '../keys/sweep-stale.ts';
import type { Clock } from '../core/clock.ts';
import type { Entry } from '../core/result-store.ts';

/** Memory of an entry in addition to its bodies and its identity; 1.5 to 2 KB were measured. */
const ENTRY_OVERHEAD_BYTES = 2048;

export function createMemory(clock: Clock, memoryCacheMib: number) {
  const entries = new LRUCache<string, Entry>({
    maxSize: memoryCacheMib * 1024 * 1024,
    sizeCalculation: (entry, identity) =>
      entry.body.length + derivedBytesMax(entry) + ENTRY_OVERHEAD_BYTES + 4 * identity.length,
    ttl: 1,
    ttlResolution: 0,
    perf: { now: () => clock.nowMs() },
  });
  const sweepLater = sweepStale(entries);
  return {
    get: (identity: string): Entry | undefined => entries.get(identity),
    /** Keeps it for this time; removes it within a second of its end. */
    set(identity: string, entry: Entry, milliseconds: number): void {
      entries.set(identity, entry, { ttl: milliseconds });
      sweepLater();
    },
    bytes: (): number => entries.calculatedSize,
  };
}

/** Bound on the other bodies that are kept with an entry: the uncompressed one, and two converted and compressed ones. */
export function derivedBytesMax({ body, bodyBytes }: Pick<Entry, 'body' | 'bodyBytes'>): number {
  return bodyBytes + 2 * body.length;
}
