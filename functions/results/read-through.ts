// The read-through cache of requests: memory, Firestore, query, store. Warming uses refresh-entries.ts instead.
import { LRUCache } from 'lru-cache';
import { type EntryOrigin, computeEntry } from './compute-entry.ts';
import { cacheKeyOf } from './cache-key.ts';
import { atMost } from '../core/at-most.ts';
import { withDeadline } from '../core/clock.ts';
import { type Reason, ServiceError, usualError } from '../core/errors.ts';
import { bounded, isFresh } from './freshness.ts';
import type { Entry, SourceState } from '../core/result-store.ts';
import type { HeldLease, LeasedQuery, Reserved } from '../core/leases.ts';
import type { Backends } from '../core/services.ts';
import type { AuthenticatedKey } from '../keys/access.ts';
import { createDayBytes } from '../keys/day-bytes.ts';
import type { KeyLimits } from '../keys/limits.ts';
import { createMemory } from './memory.ts';
import { joinReaders, needsTouch, noteReader, withReader } from './readers.ts';
import { isWarmed } from '../endpoints/endpoint.ts';
import { sourceState } from './source-state.ts';
import { type LastRun, createRunningQueries } from './running-query.ts';
import { createSingleFlight } from './single-flight.ts';

interface ReadRequest extends Omit<EntryOrigin, 'readers' | 'cause'> {
  /** The `resultIdentity` of endpoint and parameters. */
  identity: string;
  /** Its name is recorded as a reader of the entry. */
  key: AuthenticatedKey;
  deadlineMs: number;
}

/** Why the query ran: no entry was stored, or the stored one had expired. */
type Computed = 'miss' | 'expired';

export interface Served {
  entry: Entry;
  /** Where the rows came from: this instance's memory, Firestore, or a run. */
  outcome: 'memory_hit' | 'hit' | Computed;
  /** True if the query was run by another request at the same time. */
  isCollapsed?: true;
  /** False if the result could not be stored in Firestore; unless it is a hit, `detail` states why. */
  stored: boolean;
  detail?: 'store-failed' | 'store-unreadable' | 'lease-lost' | 'superseded';
  /** Duration of the steps, for the log; empty for a hit in memory. */
  stepsMs: StepsMs;
}

type StepsMs = Partial<Record<'storeReadMs' | 'queryMs' | 'storeWriteMs', number>>;

/** Returns no entry at or past its `freshUntilMs`. */
export interface ReadThrough {
  (request: ReadRequest): Promise<Served>;
  /** Undefined if this instance knows of none. */
  lastRunOf?: (endpointId: string) => LastRun | undefined;
}

/** The path of a request after a miss in memory: to Firestore, and to a run if there are no fresh rows. */
interface Reading {
  /** The query that is run, or joined; `own` if this request has started it. */
  query?: LeasedQuery | undefined;
  own?: LeasedQuery | undefined;
  /** The cache key. */
  key: string;
  request: ReadRequest;
  /** The stored rows, once they are found to be no longer fresh. */
  expired?: Entry | undefined;
  /** The state of the tables before the query starts; asked for while the lease is taken. */
  asked?: Promise<SourceState | undefined>;
  /** What the key has spent today, asked for at the same time. */
  spent?: Promise<number | undefined>;
  /** Filled step by step. */
  stepsMs: StepsMs;
}

/** Which all requests of this instance for the same result share. */
type Flight = Reading & { served: Promise<Served> };

interface ReadThroughDeps extends Backends {
  keyLimits: Pick<KeyLimits, 'takeMiss' | 'hasMiss'>;
  /** An instance that is being stopped starts no query, and leaves no lease for one. */
  shutdown?: { isStopping: () => boolean };
}

/** With less time left than this, an own run would only end at the deadline. */
const RUN_MS_MIN = 1000;
/** The limits of an API key, and why they cannot be checked. */
const OF_THE_KEY = new Set<Reason>([
  ...(['BYTES_PER_DAY', 'JOBS_RUNNING', 'RATE_LIMITED', 'RESULT_STORE_UNAVAILABLE'] as const),
]);
/** With enough time, a request joins the query itself. */
const OF_THE_TIME = new Set<Reason>(['QUERY_RUNNING', 'QUERY_STARTING']);
const RESULTS_WITH_READERS_MAX = 10_000;
/** A stored result may expire while it is read, and a shared run while it is awaited; the third reading gives fresh rows. */
const READINGS_MAX = 3;

export function createReadThrough(deps: ReadThroughDeps): ReadThrough {
  const { keyLimits, resultStore, refreshStore, clock, log } = deps;
  const dayBytes = createDayBytes(deps);
  const singleFlight = createSingleFlight(deps);
  const runningQueries = createRunningQueries(deps);
  // Per factory, not per module: two instances in one process share nothing.
  const flights = new Map<string, Flight>();
  /** Entries that are only in memory: there is no document to record their readers in. */
  const unstored = new WeakSet<Entry>();
  const memory = createMemory(clock, deps.memoryCacheMib);
  /** The readers of results that this instance has served, by cache key: those that are not recorded yet outlive the result in memory. */
  const readersOf = new LRUCache<string, Entry['readers']>(atMost(RESULTS_WITH_READERS_MAX));

  return Object.assign(read, { lastRunOf: runningQueries.lastRunOf });

  async function read(request: ReadRequest): Promise<Served> {
    const { identity, endpoint } = request;
    const remembered = memory.get(identity);
    const entry = remembered && bounded(remembered, endpoint.cachingSeconds);
    if (entry !== undefined && isFresh(entry, clock.nowMs())) {
      await touch(entry, request);
      // Firestore may have been slow, so the entry may have expired by now.
      if (isFresh(entry, clock.nowMs())) {
        return { entry, outcome: 'memory_hit', stored: !unstored.has(entry), stepsMs: {} };
      }
    }
    return readShared(cacheKeyOf(identity), request);
  }

  /** The current read or run of each result, shared by all requests of this instance. */
  async function readShared(key: string, request: ReadRequest): Promise<Served> {
    let readings = 0;
    while (readings < READINGS_MAX) {
      const underWay = flights.get(key);
      const served =
        underWay === undefined ? await startFlight(key, request) : await join(underWay, request);
      // The flight of another key was refused. Not counted: the request that started it gets the error, so the loop ends.
      if (served === undefined) continue;
      // Firestore may have been slow, so the entry may have expired since it was read.
      if (isFresh(served.entry, clock.nowMs())) return served;
      readings += 1;
    }
    throw usualError('QUERY_DEADLINE_EXCEEDED');
  }

  function startFlight(key: string, request: ReadRequest): Promise<Served> {
    const reading: Reading = { key, request, stepsMs: {} };
    const served = readStored(reading).finally(() => flights.delete(key));
    flights.set(key, Object.assign(reading, { served }));
    return served;
  }

  /**
   * Undefined if the flight was refused only for another API key: by its limits, or as busy while there is time for a run; and if
   * its time was over, but not that of this request.
   */
  async function join(flight: Flight, request: ReadRequest): Promise<Served | undefined> {
    try {
      return asCollapsed(await inTime(flight, request));
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const { reason } = error;
      const isOther = flight.request.key.digest !== request.key.digest;
      const hasTime = request.deadlineMs - clock.nowMs() >= RUN_MS_MIN;
      const isBusy = isOther && reason === 'INSTANCE_BUSY';
      if (hasTime && (OF_THE_TIME.has(reason) || isBusy)) return undefined;
      if (isOther && OF_THE_KEY.has(reason)) return undefined;
      throw error;
    }
  }

  /** A request may have less time than the one that it joins. */
  function inTime(flight: Flight, { deadlineMs }: ReadRequest) {
    if (flight.request.deadlineMs <= deadlineMs) return flight.served;
    const late = () => runningQueries.stillRunning(flight.query);
    return withDeadline(clock, deadlineMs - clock.nowMs(), flight.served, late);
  }

  async function readStored(reading: Reading): Promise<Served> {
    const { key, request, stepsMs } = reading;
    let stored: Entry | undefined;
    try {
      stored = await timed(stepsMs, 'storeReadMs', getStored(key, request));
    } catch (error) {
      // If the cache cannot be read, the query can still run.
      const message = 'The result store cannot be read; running the query.';
      warn('store_read_failed', message, request, error);
      return { detail: 'store-unreadable', ...(await computeAndStore(reading)) };
    }
    if (stored !== undefined && isFresh(stored, clock.nowMs())) {
      remember(key, request, stored);
      await touch(stored, request);
      return { entry: stored, outcome: 'hit', stored: true, stepsMs };
    }
    reading.expired = stored;
    reading.asked = askedSources(request);
    reading.spent = dayBytes.spentBy(request.key);
    const { key: apiKey } = request;
    // Who has used up the bytes takes no lease, for which others would wait.
    const isSpent =
      apiKey.bytesPerDay !== undefined && dayBytes.isOver(apiKey, await reading.spent);
    try {
      return await singleFlight({
        name: key,
        deadlineMs: request.deadlineMs,
        mayRun: () => !isSpent && keyLimits.hasMiss(apiKey) && !deps.shutdown?.isStopping(),
        begin: () => begin(request),
        find: () => findOfOthers(reading),
        run: (held) => computeAndStore(reading, held),
        late: runningQueries.stillRunning,
      });
    } catch (error) {
      // Who has joined a query leaves nothing of its own.
      throw reading.own ? await runningQueries.leave(key, reading.own, error) : error;
    }
  }

  /** The rows that another instance has stored since. */
  async function findOfOthers(reading: Reading): Promise<Served | undefined> {
    const { key, request, stepsMs } = reading;
    const entry = await getStored(key, request);
    if (entry === undefined || !isFresh(entry, clock.nowMs())) return undefined;
    remember(key, request, entry);
    return { entry, outcome: outcomeOf(reading), isCollapsed: true, stored: true, stepsMs };
  }

  async function getStored(key: string, { endpoint }: ReadRequest): Promise<Entry | undefined> {
    const entry = await resultStore.get(key);
    if (entry !== undefined) runningQueries.learn(entry);
    return entry && bounded(entry, endpoint.cachingSeconds);
  }

  /** Written into the lease before it is sent: if its bytes are bounded, or it may be left soon, it has the id of its job. */
  function begin({ endpoint, parameters, key, deadlineMs }: ReadRequest): LeasedQuery {
    const account = key.bytesPerDay === undefined ? undefined : key.digest;
    const leftMs = deadlineMs - clock.nowMs();
    return runningQueries.begin(endpoint, parameters, { key, account, leftMs });
  }

  async function computeAndStore(reading: Reading, held?: HeldLease): Promise<Served> {
    const { request, expired, stepsMs } = reading;
    const { endpoint, key, deadlineMs } = request;
    const isOld = held !== undefined && (await isOutdated(held));
    const running = held && (await runningQueries.choose(held, isOld, () => begin(request)));
    const query = running?.query;
    // A query without a job may not have been started.
    const isJoined = running?.isJoined === true && query?.jobId !== undefined;
    reading.query = query;
    if (!isJoined) {
      dayBytes.check(key, await (reading.spent ?? dayBytes.spentBy(key)));
      keyLimits.takeMiss(key);
      // What Firestore does not know of could not be counted later.
      if (query === undefined) dayBytes.check(key, undefined);
      // A query that would have to be cancelled at the deadline is not started.
      const willBeLeft = runningQueries.outlasts(endpoint, deadlineMs - clock.nowMs());
      if (willBeLeft) await runningQueries.checkLeft(key.name);
    }
    const readers = withReader(expired?.readers ?? [], key.name, endpoint, clock.nowMs());
    const asked = running?.isJoined
      ? running.query.sources
      : await (reading.asked ?? askedSources(request));
    const origin = {
      ...{ ...deps, ...request, readers, asked },
      cause: 'miss' as const,
      key: { name: key.name, digest: key.digest },
    };
    if (query !== undefined && !isJoined) {
      query.sources = asked;
      reading.own = query;
    }
    const entry = await timed(stepsMs, 'queryMs', compute());
    const kept = await store(reading, entry, held);
    return { entry, outcome: outcomeOf(reading), ...kept, stepsMs };

    async function compute(): Promise<Entry> {
      if (held === undefined || query === undefined) return computeEntry(origin);
      const bound = {
        limitBytes: key.bytesPerDay ?? Infinity,
        check: (reserved: Reserved | undefined) => dayBytes.admit(key, reserved),
      };
      const run = (terms: object) => computeEntry({ ...origin, ...terms });
      const computed = await runningQueries.run(query, held, run, bound);
      runningQueries.learn(computed);
      return computed;
    }
  }

  /** Whether newer rows were demanded than those that a running query gives. If it is not known, they are asked for again later. */
  async function isOutdated({ query, isJoined }: HeldLease): Promise<boolean> {
    if (!isJoined || query === undefined) return false;
    const { endpointId, startedAtMs: computedAtMs } = query;
    const demanded = demandedAfter({ endpointId, computedAtMs }).catch(() => undefined);
    return (await demanded) !== undefined;
  }

  /** The state that the last warming run found; without it, the next run computes the rows again. */
  async function askedSources(request: ReadRequest): Promise<SourceState | undefined> {
    const { endpoint } = request;
    const { dependsOn, incremental } = endpoint;
    const sources = [...(dependsOn?.sources ?? []), ...(incremental?.others ?? [])];
    // Not known for shards: one that is added and dropped between two runs leaves no trace except its rows in this result.
    const isKnown = !sources.some(({ table }) => table.endsWith('*'));
    const isUsed =
      (dependsOn !== undefined && deps.warmUnchanged === 'on') ||
      (incremental !== undefined && deps.warmIncremental === 'on');
    if (!isKnown || !isUsed || !isWarmed(endpoint)) return undefined;
    try {
      return sourceState(endpoint, await refreshStore.sourceStates(), deps);
    } catch (error) {
      warn('store_read_failed', 'The state of the tables cannot be read.', request, error);
      return undefined;
    }
  }

  async function store(
    { key, request, stepsMs }: Reading,
    entry: Entry,
    held: HeldLease | undefined,
  ): Promise<Pick<Served, 'stored' | 'detail'>> {
    // Another instance has the lease by now, runs later than this one and stores newer rows.
    if (held?.isLost()) return { stored: false, detail: 'lease-lost' };
    try {
      const kept = await timed(stepsMs, 'storeWriteMs', keep(key, entry));
      if (kept === 'superseded') {
        warn('rows_superseded', 'Newer rows are stored or demanded; these are not kept.', request);
        return { stored: false, detail: kept };
      }
    } catch (error) {
      warn('store_write_failed', 'The result cannot be stored.', request, error);
      held?.leave('unstored');
      unstored.add(entry);
      remember(key, request, entry);
      return { stored: false, detail: 'store-failed' };
    }
    remember(key, request, entry);
    return { stored: true };
  }

  /**
   * Rows are not kept if newer ones were demanded while they were computed. Demands are read before the write, so that no caller
   * gets such rows, and after it, for a demand that was made in between.
   */
  async function keep(key: string, entry: Entry): Promise<'written' | 'superseded'> {
    if (await demandedAfter(entry)) return 'superseded';
    const written = await resultStore.set(key, entry);
    const demandedMs = await demandedAfter(entry);
    if (written === 'superseded' || demandedMs === undefined) return written;
    await refreshStore.withdraw(key, demandedMs);
    return 'superseded';
  }

  async function demandedAfter(rows: Pick<Entry, 'endpointId' | 'computedAtMs'>) {
    const demandedMs = await refreshStore.demandedMs(rows.endpointId);
    return demandedMs !== undefined && rows.computedAtMs < demandedMs ? demandedMs : undefined;
  }

  async function touch(entry: Entry, request: ReadRequest): Promise<void> {
    const { endpoint, identity } = request;
    const nowMs = clock.nowMs();
    noteReader(entry.readers, request.key.name, endpoint, nowMs);
    if (unstored.has(entry) || !needsTouch(entry, endpoint, nowMs)) return;
    // Also if it fails, so that the reads of the next seconds do not try again.
    entry.lastReadAtMs = nowMs;
    try {
      // Before the answer, because a function has no CPU after it.
      await resultStore.touch(cacheKeyOf(identity), nowMs, entry.readers, entry.version);
    } catch (error) {
      warn('touch_failed', 'The read cannot be recorded.', request, error);
    }
  }

  function remember(key: string, { identity, endpoint }: ReadRequest, entry: Entry): void {
    const nowMs = clock.nowMs();
    entry.readers = joinReaders(entry.readers, readersOf.get(key) ?? [], endpoint, nowMs);
    readersOf.set(key, entry.readers);
    const ttl = Math.min(deps.memoryCacheSeconds * 1000, entry.freshUntilMs - nowMs);
    // Flights of one cache key run one after the other, so there is nothing newer in memory.
    if (ttl > 0) memory.set(identity, entry, ttl);
  }

  async function timed<T>(stepsMs: StepsMs, step: keyof StepsMs, work: Promise<T>): Promise<T> {
    const startedMs = clock.nowMs();
    try {
      return await work;
    } finally {
      stepsMs[step] = clock.nowMs() - startedMs;
    }
  }

  function warn(event: string, message: string, { endpoint }: ReadRequest, error?: unknown): void {
    log.write('WARNING', message, { event, endpoint: endpoint.name, error });
  }
}

function outcomeOf({ expired }: Reading): Computed {
  return expired === undefined ? 'miss' : 'expired';
}

function asCollapsed(served: Served): Served {
  const isHit = served.outcome === 'hit' || served.outcome === 'memory_hit';
  return isHit ? served : { ...served, isCollapsed: true, stepsMs: {} };
}
