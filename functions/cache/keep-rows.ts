// The rows that requests are answered with: in the memory of this instance, and in Firestore.
import { LRUCache } from 'lru-cache';
import { atMost } from '../core/at-most.ts';
import { sha256Hex } from '../core/bytes.ts';
import type { HeldLease } from '../core/leases.ts';
import type { Entry } from '../core/result-store.ts';
import type { Backends } from '../core/services.ts';
import { bounded, isFresh } from './freshness.ts';
import { createMemory } from './memory.ts';
import { joinReaders, needsTouch, noteReader } from './readers.ts';
import type { ReadRequest, Reading, Served } from './reading.ts';

export type KeptRows = ReturnType<typeof createKeptRows>;

const RESULTS_WITH_READERS_MAX = 10_000;

/** `learn` is told of each stored result. */
export function createKeptRows(deps: Backends, learn: (entry: Entry) => void) {
  const { resultStore, refreshStore, clock, log } = deps;
  /** Entries that are only in memory: there is no document to record their readers in. */
  const unstored = new WeakSet<Entry>();
  const memory = createMemory(clock, deps.memoryCacheMib, deps.collectGarbage);
  /** The readers of results that this instance has served, by cache key: those that are not recorded yet outlive the result in memory. */
  const readersOf = new LRUCache<string, Entry['readers']>(atMost(RESULTS_WITH_READERS_MAX));

  return { recall, find, touch, store, warn };

  /** From memory, and records the read; undefined without fresh rows. */
  async function recall(request: ReadRequest): Promise<Served | undefined> {
    const { identity, endpoint } = request;
    const remembered = memory.get(identity);
    const entry = remembered && bounded(remembered, endpoint.cachingSeconds);
    if (entry === undefined || !isFresh(entry, clock.nowMs())) return undefined;
    // Not awaited for nothing: a promise would take 3 % of a hit.
    const touched = touch(entry, request);
    if (touched !== undefined) await touched;
    // Firestore may have been slow, so the entry may have expired by now.
    if (!isFresh(entry, clock.nowMs())) return undefined;
    return { entry, outcome: 'memory_hit', stored: !unstored.has(entry), stepsMs: {} };
  }

  /** From Firestore, and remembers them; undefined without fresh rows, with those that have expired in `reading`. */
  async function find(reading: Reading): Promise<Entry | undefined> {
    const stored = await resultStore.get(reading.cacheKey);
    if (stored === undefined) return undefined;
    learn(stored);
    const entry = bounded(stored, reading.request.endpoint.cachingSeconds);
    if (isFresh(entry, clock.nowMs())) {
      remember(reading, entry);
      return entry;
    }
    reading.expired = entry;
    return undefined;
  }

  function remember({ cacheKey, request }: Reading, entry: Entry): void {
    const { identity, endpoint } = request;
    const nowMs = clock.nowMs();
    entry.readers = joinReaders(entry.readers, readersOf.get(cacheKey) ?? [], endpoint, nowMs);
    readersOf.set(cacheKey, entry.readers);
    const ttl = Math.min(deps.memoryCacheSeconds * 1000, entry.freshUntilMs - nowMs);
    // Flights of one cache key run one after the other, so there is nothing newer in memory.
    if (ttl > 0) memory.set(identity, entry, ttl);
  }

  /** Notes a read in memory, and records it once in a while; undefined if it need not be. Never rejects. */
  function touch(entry: Entry, request: ReadRequest): Promise<void> | undefined {
    const { identity, endpoint, key } = request;
    const nowMs = clock.nowMs();
    noteReader(entry.readers, key.name, endpoint, nowMs);
    if (unstored.has(entry) || !needsTouch(entry, endpoint, nowMs)) return undefined;
    // Also if it fails, so that the reads of the next seconds do not try again.
    entry.lastReadAtMs = nowMs;
    // Before the answer, because a function has no CPU after it.
    return resultStore
      .touch(sha256Hex(identity), nowMs, entry.readers, entry.version)
      .catch((error: unknown) => {
        warn('touch_failed', 'The read cannot be recorded.', request, error);
      });
  }

  /**
   * Stores and remembers computed rows; without Firestore they are in memory alone. They are not kept if newer ones were demanded
   * while they were computed.
   */
  async function store(
    reading: Reading,
    entry: Entry,
    held: HeldLease | undefined,
  ): Promise<Pick<Served, 'stored' | 'detail'>> {
    const { cacheKey, request } = reading;
    // Another instance has the lease by now, runs later than this one and stores newer rows.
    if (held?.isLost()) return { stored: false, detail: 'lease-lost' };
    try {
      // Before the write, so that no caller gets such rows, and after it, for a demand that was made in between.
      const isOld = (await demandedAfter(entry)) !== undefined;
      let written = isOld ? ('superseded' as const) : await resultStore.set(cacheKey, entry);
      const demandedMs = written === 'written' ? await demandedAfter(entry) : undefined;
      if (demandedMs !== undefined) {
        await refreshStore.withdraw(cacheKey, demandedMs);
        written = 'superseded';
      }
      if (written === 'superseded') {
        warn('rows_superseded', 'Newer rows are stored or demanded; these are not kept.', request);
        return { stored: false, detail: written };
      }
    } catch (error) {
      warn('store_write_failed', 'The result cannot be stored.', request, error);
      unstored.add(entry);
      remember(reading, entry);
      return { stored: false, detail: 'store-failed' };
    }
    remember(reading, entry);
    return { stored: true };
  }

  /** When newer rows were demanded than these; undefined if they were not. */
  async function demandedAfter({ endpointId, computedAtMs }: Entry): Promise<number | undefined> {
    const demandedMs = await refreshStore.demandedMs(endpointId);
    return demandedMs !== undefined && computedAtMs < demandedMs ? demandedMs : undefined;
  }

  function warn(event: string, message: string, { endpoint }: ReadRequest, error?: unknown): void {
    log.write('WARNING', message, { event, endpoint: endpoint.name, error });
  }
}
