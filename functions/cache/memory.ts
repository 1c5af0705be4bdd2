// The results in the memory of an instance, bounded by their size in memory.
import { LRUCache } from 'lru-cache';
import { sweepStale } from '../keys/key-cache.ts';
import type { Clock } from '../core/clock.ts';
import type { Entry } from '../core/result-store.ts';

/** Memory of an entry in addition to its bodies and its identity; 1.5 to 2 KB were measured. */
const ENTRY_OVERHEAD_BYTES = 2048;

/** The garbage collector runs once this many bytes of large bodies, or the last entry, were removed. */
const COLLECTED_BYTES = 16 * 1024 * 1024;
const LARGE_BODY_BYTES = 256 * 1024;

/** `collectGarbage`: V8 does not free garbage, up to 64 MiB of buffers alone, while an instance is idle. */
export function createMemory(clock: Clock, memoryCacheMib: number, collectGarbage: () => void) {
  let letGoBytes = 0;
  let letGoLargeBytes = 0;
  const sizeOf = (entry: Entry, identity: string): number =>
    entry.body.length + derivedBytesMax(entry) + ENTRY_OVERHEAD_BYTES + 4 * identity.length;
  const entries = new LRUCache<string, Entry>({
    maxSize: memoryCacheMib * 1024 * 1024,
    sizeCalculation: sizeOf,
    ttl: 1,
    ttlResolution: 0,
    perf: { now: () => clock.nowMs() },
    dispose: (entry, identity) => {
      letGoBytes += sizeOf(entry, identity);
      if (entry.body.length >= LARGE_BODY_BYTES) letGoLargeBytes += entry.body.length;
    },
  });
  const sweepLater = sweepStale(entries, () => {
    const collectedBytes = entries.size === 0 ? letGoBytes : letGoLargeBytes;
    if (collectedBytes < COLLECTED_BYTES) return;
    letGoBytes = letGoLargeBytes = 0;
    collectGarbage();
  });
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
