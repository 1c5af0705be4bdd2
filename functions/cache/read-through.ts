// The read-through cache of requests, step by step: memory, a shared flight, Firestore, a lease, the query. Warming uses warming/refresh-entries.ts.
import { sha256Hex } from '../core/bytes.ts';
import { withDeadline } from '../core/clock.ts';
import { REASONS, UNFINISHED, reasonOf, usualError } from '../core/errors.ts';
import type { Entry } from '../core/result-store.ts';
import { createKeyBytes } from '../budgets/bytes-per-day.ts';
import { isFresh } from './freshness.ts';
import { createKeptRows } from './keep-rows.ts';
import { readLeased } from './read-leased.ts';
import { type ReadRequest, type Reading, type Served, timed } from './reading.ts';
import { type ReadDeps, runMiss } from './run-miss.ts';
import { type LastRun, createRunningQueries } from './running-query.ts';

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
/** A stored result may expire while it is read, and a shared run while it is awaited; the third attempt gives fresh rows. */
const ATTEMPTS_MAX = 3;

export function createReadThrough(deps: ReadDeps): ReadThrough {
  const { clock } = deps;
  const runningQueries = createRunningQueries(deps);
  const keptRows = createKeptRows(deps, runningQueries.learn);
  const parts = { ...deps, runningQueries, keptRows, keyBytes: createKeyBytes(deps) };
  // Per factory, not per module: two instances in one process share nothing.
  const flights = new Map<string, Flight>();

  const readInTime = (request: ReadRequest): Promise<Served> => {
    const served = read(request);
    return deps.shutdown?.inTime(served) ?? served;
  };
  return Object.assign(readInTime, { lastRunOf: runningQueries.lastRunOf });

  /** From memory, or by the current read or run of the result, which all requests of this instance share. */
  async function read(request: ReadRequest): Promise<Served> {
    const remembered = await keptRows.recall(request);
    if (remembered !== undefined) return remembered;
    const cacheKey = sha256Hex(request.identity);
    let attempts = 0;
    while (attempts < ATTEMPTS_MAX) {
      const flight = flights.get(cacheKey);
      let served: Served | undefined;
      if (flight === undefined) {
        const reading: Reading = { cacheKey, request, stepsMs: {} };
        const ended = readStored(reading).finally(() => flights.delete(cacheKey));
        flights.set(cacheKey, Object.assign(reading, { served: ended }));
        served = await ended;
      } else {
        served = await join(flight, request);
      }
      // The flight of another key was refused. Not counted: the request that started it gets the error, so the loop ends.
      if (served === undefined) continue;
      // Firestore may have been slow, so the entry may have expired since it was read.
      if (isFresh(served.entry, clock.nowMs())) return served;
      attempts += 1;
    }
    throw usualError('QUERY_DEADLINE_EXCEEDED');
  }

  /**
   * Undefined if the flight was refused only for another API key: by its limits, or as busy while there is time for a run; and if
   * its time was over, but not that of this request.
   */
  async function join(flight: Flight, request: ReadRequest): Promise<Served | undefined> {
    const leftMs = request.deadlineMs - clock.nowMs();
    const hasLess = request.deadlineMs < flight.request.deadlineMs;
    const late = () => runningQueries.stillRunning(flight.query);
    try {
      const served = await (hasLess
        ? withDeadline(clock, leftMs, flight.served, late)
        : flight.served);
      return served.outcome === 'hit' ? served : { ...served, isCollapsed: true, stepsMs: {} };
    } catch (error) {
      const reason = reasonOf(error);
      const { isOfHolder, queryGoesOn } = REASONS[reason];
      const isOther = flight.request.key.digest !== request.key.digest;
      const hasTime = request.deadlineMs - clock.nowMs() >= RUN_MS_MIN;
      const isBusy = isOther && reason === 'INSTANCE_BUSY';
      if (hasTime && (UNFINISHED.has(reason) || isBusy)) return undefined;
      // Its limits, or why they cannot be checked: its query was not started.
      if (isOther && isOfHolder && !queryGoesOn) return undefined;
      throw error;
    }
  }

  /** From Firestore, or by a run. */
  async function readStored(reading: Reading): Promise<Served> {
    const { request, stepsMs } = reading;
    let stored: Entry | undefined;
    try {
      stored = await timed(clock, stepsMs, 'storeReadMs', keptRows.find(reading));
    } catch (error) {
      // If the cache cannot be read, the query can still run.
      const message = 'The result store cannot be read; running the query.';
      keptRows.warn('store_read_failed', message, request, error);
      return { detail: 'store-unreadable', ...(await runMiss(parts, reading)) };
    }
    if (stored === undefined) return readLeased(parts, reading);
    await keptRows.touch(stored, request);
    return { entry: stored, outcome: 'hit', stored: true, stepsMs };
  }
}
