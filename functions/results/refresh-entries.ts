// Refreshes results for warming: lists live results, recomputes them and replaces their rows.
import type { Clock } from '../core/clock.ts';
import { describeError } from '../core/describe-error.ts';
import { ServiceError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import {
  type Entry,
  type LiveEntry,
  type LivePage,
  type ResultStore,
  type SourceState,
  type WriteOutcome,
} from '../core/result-store.ts';
import type { Endpoint } from '../endpoints/endpoint.ts';
import { type ComputeDeps, computeEntries } from './compute-entry.ts';

export type Refresher = ReturnType<typeof createRefresher>;

/** More than one entry only if the endpoint has a `warm.sql`; they have the same unbatched parameters. */
interface RefreshRequest {
  endpoint: Endpoint;
  entries: readonly LiveEntry[];
  /** See `EntryOrigin`. */
  asked?: SourceState | undefined;
  deadlineMs: number;
  /** Nothing is written after this time. */
  writeUntilMs: number;
}

/** Entries in none of the lists were not refreshed, and `error` is the reason. */
interface Refreshed {
  refreshed: LiveEntry[];
  /** Another instance has stored newer rows, or the entry was deleted. */
  superseded: LiveEntry[];
  /** Computed, but not stored. */
  failed: { entry: LiveEntry; reason: 'STORE_FAILED' }[];
  bytesProcessed: number;
  error?: unknown;
}

interface RefresherDeps extends ComputeDeps {
  resultStore: ResultStore;
  clock: Clock;
  log: Log;
}

export function createRefresher(deps: RefresherDeps) {
  const { resultStore, clock, log } = deps;
  return { listLive, refresh, confirm };

  /** As the store lists them; rejects with RESULT_STORE_UNAVAILABLE. */
  async function* listLive(sinceMs: number): AsyncGenerator<LivePage> {
    try {
      yield* resultStore.listLive(sinceMs);
    } catch (cause) {
      throw new ServiceError('RESULT_STORE_UNAVAILABLE', 'Results cannot be listed.', { cause });
    }
  }

  /** Recomputes entries of one endpoint in one job and replaces their rows. Never rejects. */
  async function refresh(request: RefreshRequest): Promise<Refreshed> {
    const outcome: Refreshed = { refreshed: [], superseded: [], failed: [], bytesProcessed: 0 };
    try {
      await computeEntries({
        ...deps,
        ...request,
        onBytes: (bytesProcessed) => (outcome.bytesProcessed = bytesProcessed),
        onEntry: (live, entry) => replace(request, outcome, live, entry),
      });
    } catch (error) {
      outcome.error = error;
    }
    return outcome;
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
      outcome.error ??= new ServiceError('QUERY_DEADLINE_EXCEEDED', 'No time is left to store it.');
      return;
    }
    try {
      // The rows alone: last read and readers stay as they are stored, so that warming does not keep results alive.
      let written = await resultStore.refresh(live, entry);
      if (written === 'gone' && live.isSuccessor) {
        const { readers, lastReadAtMs } = live;
        written = await resultStore.set(live.cacheKey, { ...entry, readers, lastReadAtMs });
      }
      outcome[written === 'written' ? 'refreshed' : 'superseded'].push(live);
    } catch (error) {
      logFailure(endpoint.name, error);
      outcome.failed.push({ entry: live, reason: 'STORE_FAILED' });
    }
  }

  function logFailure(endpoint: string, error: unknown): void {
    const fields = { event: 'store_write_failed', endpoint, error: describeError(error) };
    log.write('WARNING', 'The result cannot be stored.', fields);
  }
}
