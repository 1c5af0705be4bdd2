// Refreshes the entries of one job under a lease: computes their rows, or joins the query that does, and replaces what is stored.
import { randomUUID } from 'node:crypto';
import { type Reserved, WARM_ACCOUNT } from '../core/day-bytes.ts';
import { ServiceError, usualError } from '../core/errors.ts';
import { type LeasedQuery, type NamedQuery, holdLease } from '../core/leases.ts';
import type { QueryCause } from '../core/query-runner.ts';
import {
  type Entry,
  type LiveEntry,
  type SourceState,
  type WriteOutcome,
} from '../core/result-store.ts';
import type { Backends } from '../core/services.ts';
import type { Endpoint } from '../endpoints/endpoint.ts';
import type { QueryTerms } from '../cache/compute-entry.ts';
import { createRunningQueries } from '../cache/running-query.ts';
import { type BatchEntries, computeEntries, wanted } from './compute-batch.ts';
import { scanFor } from './incremental.ts';

export type Refresher = ReturnType<typeof createRefresher>;

/** More than one entry only if the endpoint has `warming`; they have the same unbatched parameters. */
interface RefreshRequest {
  endpoint: Endpoint;
  entries: BatchEntries;
  cause: QueryCause['cause'];
  /** See `EntryOrigin`. */
  asked?: SourceState | undefined;
  /** Absent if all rows are read. The rows before `untilMs` are kept; a result is only as fresh as `atMs`, when they were found unchanged. */
  kept?: { untilMs: (entry: LiveEntry) => number; atMs: number } | undefined;
  /** The query of a request or of an earlier run, which computes these entries. */
  joined?: NamedQuery | undefined;
  /** A query that was started before this time is not joined: newer rows were demanded. */
  notBeforeMs?: number | undefined;
  /** A query that has not finished goes on, and the next run joins it. */
  deadlineMs: number;
  /** Nothing is written after this time. */
  writeUntilMs: number;
  /** Of what warming may have read by now today. */
  limitBytes: number;
}

/**
 * `superseded`: another instance has stored newer rows, or the entry was deleted. `failed`: the store has failed. `unkept`: all
 * rows have to be read, because those of the stored result cannot be kept.
 */
type End = 'refreshed' | 'superseded' | 'failed' | 'unkept';

interface Refreshed {
  /** An entry that is not here was not refreshed, and `error` is the reason. */
  ends: Map<LiveEntry, End>;
  /** How many of those that were refreshed have kept rows. */
  incremental: number;
  /** Whether the job read only what has changed. */
  isScan: boolean;
  bytesProcessed: number;
  /** What counts towards WARM_BYTES_PER_DAY: billed, and not for the query of a request. */
  countedBytes: number;
  /** Whether nothing was started, because its bytes do not fit beside those under way. */
  isOverBytes?: boolean;
  /** The query, if it had not finished at the deadline. */
  running?: NamedQuery;
  error?: unknown;
}

export function createRefresher(deps: Backends) {
  const { resultStore, leaseStore, clock, log } = deps;
  const runningQueries = createRunningQueries(deps);
  const account = deps.warmBytesPerDay > 0 ? WARM_ACCOUNT : undefined;
  return { refresh, confirm, settleDebts: runningQueries.settleDebts };

  /** Recomputes entries of one endpoint in one job and replaces their rows. Never rejects. */
  async function refresh(request: RefreshRequest): Promise<Refreshed> {
    const none = { incremental: 0, isScan: false, bytesProcessed: 0, countedBytes: 0 };
    const outcome: Refreshed = { ends: new Map(), ...none };
    try {
      const isHere = await withLease(request, outcome, ({ asked, ...terms }) => {
        outcome.isScan = terms.scan !== undefined;
        return computeEntries({
          ...deps,
          ...request,
          ...terms,
          asked,
          asJob: true,
          onBytes: (bytesProcessed) => (outcome.bytesProcessed = bytesProcessed),
          stored: (live) => stored(outcome, live),
          onUnkept: (live) => {
            if (!outcome.ends.has(live)) outcome.ends.set(live, 'unkept');
          },
          onEntry: (live, entry) => replace(request, outcome, live, entry),
        });
      });
      if (!isHere) for (const live of wanted(request.entries)) outcome.ends.set(live, 'superseded');
    } catch (error) {
      outcome.error = error;
    }
    return outcome;
  }

  /** Without Firestore nothing is started: it may run already. False if another instance runs the query. */
  async function withLease(
    request: RefreshRequest,
    outcome: Refreshed,
    compute: (
      terms: Partial<QueryTerms> & Pick<LeasedQuery, 'scan'> & Pick<RefreshRequest, 'asked'>,
    ) => Promise<void>,
  ): Promise<boolean> {
    const { endpoint, entries, joined, notBeforeMs = -Infinity } = request;
    const [first] = wanted(entries);
    if (first === undefined) return true;
    const terms = { key: undefined, account, leftMs: 0 };
    const toStart = queryOf(request, runningQueries.begin(endpoint, first.parameters, terms));
    const isBatch = toStart.cacheKeys !== undefined;
    const name = joined?.name ?? (isBatch ? `warm.${toStart.requestId}` : first.cacheKey);
    const nowMs = clock.nowMs();
    // Nobody waits for a batch, and the next run, for which this one has ended, joins its query at once.
    const untilMs = isBatch ? nowMs : nowMs + deps.leaseSeconds * 1000;
    const lease = await leaseStore
      .acquire(name, { owner: randomUUID(), untilMs, query: toStart }, nowMs)
      .catch((cause: unknown) => Promise.reject(usualError('RESULT_STORE_UNAVAILABLE', cause)));
    if (lease?.query === undefined) return false;
    const keepsFailed = lease.isJoined && lease.query.keyName !== '';
    return holdLease(lease, { ...deps, isRenewed: !isBatch, keepsFailed }, async (held) => {
      // A request, or another run, has finished it meanwhile.
      if (joined !== undefined && !held.isJoined) return false;
      const isOutdated = held.isJoined && (held.query?.startedAtMs ?? 0) < notBeforeMs;
      const { query } = await runningQueries.choose(held, isOutdated, () => toStart);
      const { sources, scan: read } = query;
      const check = (reserved: Reserved | undefined): void => {
        if (reserved === undefined) throw usualError('RESULT_STORE_UNAVAILABLE');
        outcome.isOverBytes = !reserved.isAdmitted;
        const message = 'What warming may read is used up, or under way.';
        if (!reserved.isAdmitted) throw new ServiceError('BYTES_PER_DAY', message);
      };
      try {
        const run = (terms: Partial<QueryTerms>): Promise<void> => {
          const onBilled = (bytes: number): void => {
            terms.onBilled?.(bytes);
            if (query.account === WARM_ACCOUNT) outcome.countedBytes += bytes;
          };
          return compute({ ...terms, onBilled, asked: sources, scan: read });
        };
        await runningQueries.run(query, held, run, { limitBytes: request.limitBytes, check });
      } catch (error) {
        const isRunning = error instanceof ServiceError && error.reason === 'QUERY_RUNNING';
        if (isRunning) outcome.running = { name, query, isHeld: false };
        throw error;
      }
      return true;
    });
  }

  /** The rows of the entry as they were listed; undefined for others. */
  async function stored(outcome: Refreshed, live: LiveEntry): Promise<Entry | undefined> {
    try {
      const entry = await resultStore.get(live.cacheKey);
      if (entry === undefined || entry.computedAtMs <= live.computedAtMs) return entry;
      outcome.ends.set(live, 'superseded');
    } catch (error) {
      logFailure(live.endpoint, error, 'store_read_failed', 'A stored result cannot be read.');
      outcome.ends.set(live, 'failed');
    }
    return undefined;
  }

  /** Marks the rows of an entry as unchanged; its readers are kept. Never rejects. */
  async function confirm(
    { cachingSeconds }: Endpoint,
    live: LiveEntry,
    checkedAtMs: number,
  ): Promise<WriteOutcome | 'failed'> {
    try {
      return await resultStore.confirm(live, checkedAtMs, checkedAtMs + cachingSeconds * 1000);
    } catch (error) {
      logFailure(live.endpoint, error);
      return 'failed';
    }
  }

  /** Adds to the outcome; never rejects. */
  async function replace(
    { endpoint, writeUntilMs }: RefreshRequest,
    outcome: Refreshed,
    live: LiveEntry,
    entry: Entry,
  ): Promise<void> {
    if (clock.nowMs() >= writeUntilMs) {
      outcome.error ??= usualError('QUERY_DEADLINE_EXCEEDED');
      return;
    }
    try {
      // The rows alone: last read and readers stay as they are stored, so that warming does not keep results alive.
      let written = await resultStore.refresh(live, entry);
      if (written === 'gone' && live.isSuccessor) {
        const { readers, lastReadAtMs } = live;
        written = await resultStore.set(live.cacheKey, { ...entry, readers, lastReadAtMs });
      }
      outcome.ends.set(live, written === 'written' ? 'refreshed' : 'superseded');
      if (written === 'written' && entry.sources?.fullAtMs !== undefined) outcome.incremental += 1;
    } catch (error) {
      logFailure(endpoint.name, error);
      outcome.ends.set(live, 'failed');
    }
  }

  function logFailure(
    endpoint: string,
    error: unknown,
    event = 'store_write_failed',
    message = 'The result cannot be stored.',
  ): void {
    log.write('WARNING', message, { event, endpoint, error });
  }
}

/** The query that a job of these entries runs, if none runs already; with cache keys for a batch. */
function queryOf(request: RefreshRequest, begun: LeasedQuery): LeasedQuery {
  const { endpoint, entries, asked: sources, joined, kept } = request;
  const startedAtMs = Math.min(begun.startedAtMs, kept?.atMs ?? Infinity);
  const isScan = kept !== undefined && joined === undefined;
  const scan = isScan ? scanFor(endpoint, wanted(entries), startedAtMs, kept.untilMs) : undefined;
  const isBatch = entries.length > 1 || scan !== undefined || joined?.query.scan !== undefined;
  const cacheKeys = entries.map((entry) => entry?.cacheKey ?? '');
  return { ...begun, startedAtMs, sources, ...(isBatch && { cacheKeys, scan }) };
}
