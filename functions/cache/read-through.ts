// The read-through cache of requests, step by step: memory, a shared flight, Firestore, a lease, the query. Warming uses warming/refresh-entries.ts.
import { cacheKeyOf } from './cache-key.ts';
import { withDeadline } from '../core/clock.ts';
import { type Reason, ServiceError, usualError } from '../core/errors.ts';
import type { Entry } from '../core/result-store.ts';
import { isFresh } from './freshness.ts';
import { type RowDeps, createKeptRows } from './keep-rows.ts';
import { type ReadRequest, type Reading, type Served, outcomeOf, timed } from './reading.ts';
import { type MissDeps, createMissRun } from './run-miss.ts';
import { type LastRun, createRunningQueries } from './running-query.ts';
import { createSingleFlight } from './single-flight.ts';

/** Returns no entry at or past its `freshUntilMs`. */
export interface ReadThrough {
  (request: ReadRequest): Promise<Served>;
  /** Undefined if this instance knows of none. */
  lastRunOf?: (endpointId: string) => LastRun | undefined;
}

/** Which all requests of this instance for the same result share. */
type Flight = Reading & { served: Promise<Served> };

/** With less time left than this, an own run would only end at the deadline. */
const RUN_MS_MIN = 1000;
/** The limits of an API key, and why they cannot be checked. */
const OF_THE_KEY = new Set<Reason>([
  ...(['BYTES_PER_DAY', 'JOBS_RUNNING', 'RATE_LIMITED', 'RESULT_STORE_UNAVAILABLE'] as const),
]);
/** With enough time, a request joins the query itself. */
const OF_THE_TIME = new Set<Reason>(['QUERY_RUNNING', 'QUERY_STARTING']);
/** A stored result may expire while it is read, and a shared run while it is awaited; the third reading gives fresh rows. */
const READINGS_MAX = 3;

export function createReadThrough(deps: MissDeps & RowDeps): ReadThrough {
  const { clock } = deps;
  const singleFlight = createSingleFlight(deps);
  const runningQueries = createRunningQueries(deps);
  const rows = createKeptRows(deps);
  const missRun = createMissRun(deps, rows, runningQueries);
  // Per factory, not per module: two instances in one process share nothing.
  const flights = new Map<string, Flight>();

  return Object.assign(read, { lastRunOf: runningQueries.lastRunOf });

  async function read(request: ReadRequest): Promise<Served> {
    return (await rows.recall(request)) ?? readShared(cacheKeyOf(request.identity), request);
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
    const { request, stepsMs } = reading;
    let stored: Entry | undefined;
    try {
      stored = await timed(clock, stepsMs, 'storeReadMs', find(reading));
    } catch (error) {
      // If the cache cannot be read, the query can still run.
      const message = 'The result store cannot be read; running the query.';
      rows.warn('store_read_failed', message, request, error);
      return { detail: 'store-unreadable', ...(await missRun.run(reading)) };
    }
    if (stored !== undefined && isFresh(stored, clock.nowMs())) {
      rows.remember(reading, stored);
      await rows.touch(stored, request);
      return { entry: stored, outcome: 'hit', stored: true, stepsMs };
    }
    reading.expired = stored;
    return readLeased(reading);
  }

  /** One run for all instances. */
  async function readLeased(reading: Reading): Promise<Served> {
    const { key, request } = reading;
    const mayRun = await missRun.prepare(reading);
    try {
      return await singleFlight({
        ...{ name: key, deadlineMs: request.deadlineMs, mayRun },
        begin: () => missRun.begin(request),
        find: () => findOfOthers(reading),
        run: (held) => missRun.run(reading, held),
        late: runningQueries.stillRunning,
      });
    } catch (error) {
      // Who has joined a query leaves nothing of its own.
      throw reading.own ? await runningQueries.leave(key, reading.own, error) : error;
    }
  }

  /** The rows that another instance has stored since. */
  async function findOfOthers(reading: Reading): Promise<Served | undefined> {
    const { stepsMs } = reading;
    const entry = await find(reading);
    if (entry === undefined || !isFresh(entry, clock.nowMs())) return undefined;
    rows.remember(reading, entry);
    return { entry, outcome: outcomeOf(reading), isCollapsed: true, stored: true, stepsMs };
  }

  async function find(reading: Reading): Promise<Entry | undefined> {
    const entry = await rows.find(reading);
    if (entry !== undefined) runningQueries.learn(entry);
    return entry;
  }
}

function asCollapsed(served: Served): Served {
  const isHit = served.outcome === 'hit' || served.outcome === 'memory_hit';
  return isHit ? served : { ...served, isCollapsed: true, stepsMs: {} };
}
