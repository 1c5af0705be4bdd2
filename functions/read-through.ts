// The only reader and writer of results: memory, Firestore, single flight, run, store, refresh.
import { LRUCache } from 'lru-cache';
import { type EntryOrigin, computeEntries, computeEntry } from './compute-entry.ts';
import { cacheKeyOf } from './core/cache-key.ts';
import { withDeadline } from './core/deadline.ts';
import type { Endpoint } from './core/endpoint.ts';
import { ServiceError } from './core/errors.ts';
import { isFresh, needsTouch } from './core/freshness.ts';
import type {
  Clock,
  Entry,
  LeaseStore,
  LiveEntry,
  Log,
  QueryRunner,
  ResultStore,
} from './core/ports.ts';
import type { HeldLease } from './hold-lease.ts';
import { describeError } from './log.ts';
import { createSingleFlight } from './single-flight.ts';

/** What somebody asks for; `keyName` is recorded with the entry that the key keeps alive. */
export interface ReadRequest extends EntryOrigin {
  /** `resultIdentity` of the two. */
  identity: string;
  deadlineMs: number;
}

/** A run for want of an entry, or for an expired one. */
type Computed = 'miss' | 'expired';

export interface Served {
  entry: Entry;
  /** Where the rows came from: this instance's memory, Firestore, or a run. */
  outcome: 'memory_hit' | 'hit' | Computed;
  /** True where the run is that of somebody who asked at the same time. */
  isCollapsed?: true;
  /** False when a computed result could not be kept in Firestore; `detail` says why. */
  stored: boolean;
  detail?: 'too-large' | 'store-failed' | 'store-unreadable' | 'lease-lost';
  /** How long the steps took, for the log; empty where nothing was waited for but memory. */
  stepsMs: StepsMs;
}

type StepsMs = Partial<Record<'storeReadMs' | 'queryMs' | 'storeWriteMs', number>>;

export interface ReadThrough {
  /**
   * Never an entry at or past its `freshUntilMs`; rejects with ServiceError. What is in memory is
   * there at once: a promise would cost as much as the rest of a hit.
   */
  read(request: ReadRequest): Served | Promise<Served>;
  /** The entries read at `sinceMs` or later; rejects with RESULT_STORE_UNAVAILABLE. */
  listLive(sinceMs: number, countMax: number): Promise<LiveEntry[]>;
  /** Computes entries of one endpoint anew, in one job, and replaces their rows. Never rejects. */
  refresh(request: RefreshRequest): Promise<Refreshed>;
}

/** More than one entry only where the endpoint has a `warm.sql`, and alike in its scalars. */
export interface RefreshRequest {
  endpoint: Endpoint;
  entries: readonly LiveEntry[];
  deadlineMs: number;
  /** Nothing is written from then on. */
  writeUntilMs: number;
}

/** Entries in neither list are as they were, and `error` is the reason. */
export interface Refreshed {
  refreshed: LiveEntry[];
  /** Computed, but not stored. */
  failed: { entry: LiveEntry; reason: 'RESULT_TOO_LARGE' | 'STORE_FAILED' }[];
  bytesProcessed: number;
  error?: unknown;
}

interface ReadThroughDeps {
  resultStore: ResultStore;
  leaseStore: LeaseStore;
  queryRunner: QueryRunner;
  clock: Clock;
  log: Log;
  memoryCacheSeconds: number;
  memoryCacheMib: number;
  /** A body has at most twice as much. */
  maxResultMib: number;
  leaseSeconds: number;
  storeTimeoutMs: number;
}

/** Firestore's document limit is 1 MiB; the rest of an entry needs little. */
const STORED_BODY_BYTES_MAX = 900 * 1024;
/** Ten thousand entries come in many pages. */
const LIST_TIMEOUT_MS = 30_000;

export function createReadThrough(deps: ReadThroughDeps): ReadThrough {
  const { resultStore, queryRunner, clock, log } = deps;
  const singleFlight = createSingleFlight(deps);
  // Per factory, not per module: two instances in one process share nothing.
  const flights = new Map<string, Promise<Served>>();
  const memory = new LRUCache<string, Entry>({
    maxSize: deps.memoryCacheMib * 1024 * 1024,
    // The uncompressed size counts too: it is kept for clients that do not accept gzip.
    sizeCalculation: (entry) => entry.body.length + entry.bodyBytes + 1024,
    ttl: 1,
    ttlResolution: 0,
    perf: { now: () => clock.nowMs() },
  });

  return { read, listLive, refresh };

  function read(request: ReadRequest): Served | Promise<Served> {
    const entry = memory.get(request.identity);
    if (entry !== undefined && isFresh(entry, clock.nowMs())) {
      return { entry, outcome: 'memory_hit', stored: true, stepsMs: {} };
    }
    return readShared(cacheKeyOf(request.identity), request);
  }

  /** One look into Firestore, or one run, for all who ask for it here meanwhile. */
  async function readShared(key: string, request: ReadRequest): Promise<Served> {
    for (;;) {
      const underWay = flights.get(key);
      const served =
        underWay === undefined ? await startFlight(key, request) : asCollapsed(await underWay);
      // Firestore may have been slow, and time has passed since the entry was looked at.
      if (isFresh(served.entry, clock.nowMs())) return served;
    }
  }

  function startFlight(key: string, request: ReadRequest): Promise<Served> {
    const flight = readStored(key, request).finally(() => flights.delete(key));
    flights.set(key, flight);
    return flight;
  }

  async function readStored(key: string, request: ReadRequest): Promise<Served> {
    const stepsMs: StepsMs = {};
    let stored: Entry | undefined;
    try {
      stored = await timed(stepsMs, 'storeReadMs', inStoreTime(resultStore.get(key)));
    } catch (error) {
      // A cache that cannot be read is not a reason to refuse: the query itself can still be run.
      warn(
        'store_read_failed',
        'The result store cannot be read; running the query.',
        request,
        error,
      );
      const served = await computeAndStore(key, request, 'miss', stepsMs);
      return { detail: 'store-unreadable', ...served };
    }
    if (stored !== undefined && isFresh(stored, clock.nowMs())) {
      await touch(key, stored, request);
      remember(request, stored);
      return { entry: stored, outcome: 'hit', stored: true, stepsMs };
    }
    const outcome = stored === undefined ? 'miss' : 'expired';
    return singleFlight({
      name: key,
      deadlineMs: request.deadlineMs,
      find: () => findOfOthers(key, request, outcome, stepsMs),
      run: (held) => computeAndStore(key, request, outcome, stepsMs, held),
    });
  }

  async function findOfOthers(
    key: string,
    request: ReadRequest,
    outcome: Computed,
    stepsMs: StepsMs,
  ): Promise<Served | undefined> {
    const entry = await resultStore.get(key);
    if (entry === undefined || !isFresh(entry, clock.nowMs())) return undefined;
    remember(request, entry);
    return { entry, outcome, isCollapsed: true, stored: true, stepsMs };
  }

  async function computeAndStore(
    key: string,
    request: ReadRequest,
    outcome: Computed,
    stepsMs: StepsMs,
    held?: HeldLease,
  ): Promise<Served> {
    const { deadlineMs } = request;
    const computed = computeEntry(queryRunner, clock, request, deadlineMs, deps.maxResultMib);
    const entry = await timed(stepsMs, 'queryMs', computed);
    // Somebody else runs it by now, later than this run, and stores newer rows.
    if (held?.isLost()) return { entry, outcome, stored: false, detail: 'lease-lost', stepsMs };
    remember(request, entry);
    if (entry.body.length > STORED_BODY_BYTES_MAX) {
      held?.leave('unstored');
      warn('store_too_large', 'The result is too large to be stored.', request);
      return { entry, outcome, stored: false, detail: 'too-large', stepsMs };
    }
    try {
      await timed(stepsMs, 'storeWriteMs', inStoreTime(resultStore.set(key, entry)));
      return { entry, outcome, stored: true, stepsMs };
    } catch (error) {
      held?.leave('unstored');
      warn('store_write_failed', 'The result cannot be stored.', request, error);
      return { entry, outcome, stored: false, detail: 'store-failed', stepsMs };
    }
  }

  async function listLive(sinceMs: number, countMax: number): Promise<LiveEntry[]> {
    try {
      return await withDeadline(clock, LIST_TIMEOUT_MS, resultStore.listLive(sinceMs, countMax));
    } catch (cause) {
      throw new ServiceError('RESULT_STORE_UNAVAILABLE', 'Results cannot be listed.', { cause });
    }
  }

  async function refresh(request: RefreshRequest): Promise<Refreshed> {
    const outcome: Refreshed = { refreshed: [], failed: [], bytesProcessed: 0 };
    const replace = async (live: LiveEntry, entry: Entry): Promise<void> => {
      if (clock.nowMs() >= request.writeUntilMs) {
        outcome.error ??= new ServiceError('QUERY_DEADLINE_EXCEEDED', 'There is no time to write.');
        return;
      }
      if (entry.body.length > STORED_BODY_BYTES_MAX) {
        outcome.failed.push({ entry: live, reason: 'RESULT_TOO_LARGE' });
        return;
      }
      try {
        await inStoreTime(resultStore.refresh(live.cacheKey, entry));
        outcome.refreshed.push(live);
      } catch (error) {
        warn('store_write_failed', 'The result cannot be stored.', request, error);
        outcome.failed.push({ entry: live, reason: 'STORE_FAILED' });
      }
    };
    try {
      const countBytes = (bytesProcessed: number): void => {
        outcome.bytesProcessed += bytesProcessed;
      };
      const { maxResultMib } = deps;
      await computeEntries(queryRunner, clock, request, replace, countBytes, maxResultMib);
    } catch (error) {
      outcome.error = error;
    }
    return outcome;
  }

  async function touch(key: string, entry: Entry, request: ReadRequest): Promise<void> {
    const nowMs = clock.nowMs();
    if (!needsTouch(entry, request.endpoint, nowMs)) return;
    try {
      // Before the answer: a function has no CPU after it.
      await inStoreTime(resultStore.touch(key, nowMs, request.keyName));
    } catch (error) {
      warn('touch_failed', 'The read cannot be recorded.', request, error);
    }
  }

  function remember({ identity }: ReadRequest, entry: Entry): void {
    const ttl = Math.min(deps.memoryCacheSeconds * 1000, entry.freshUntilMs - clock.nowMs());
    if (ttl > 0) memory.set(identity, entry, { ttl });
  }

  async function timed<T>(stepsMs: StepsMs, step: keyof StepsMs, work: Promise<T>): Promise<T> {
    const startedMs = clock.nowMs();
    try {
      return await work;
    } finally {
      stepsMs[step] = clock.nowMs() - startedMs;
    }
  }

  function inStoreTime<T>(call: Promise<T>): Promise<T> {
    return withDeadline(clock, deps.storeTimeoutMs, call);
  }

  function warn(
    event: string,
    message: string,
    { endpoint }: { endpoint: Endpoint },
    error?: unknown,
  ): void {
    log.write('WARNING', message, {
      event,
      endpoint: endpoint.name,
      ...(error === undefined ? {} : { error: describeError(error) }),
    });
  }
}

function asCollapsed(served: Served): Served {
  const isHit = served.outcome === 'hit' || served.outcome === 'memory_hit';
  return isHit ? served : { ...served, isCollapsed: true, stepsMs: {} };
}
