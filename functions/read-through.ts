// The only reader and writer of results: memory, Firestore, single flight, run, store.
import { createHash, randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import { cacheKey } from './core/cache-key.ts';
import { withDeadline } from './core/deadline.ts';
import { encodeRows } from './core/encode.ts';
import type { Endpoint } from './core/endpoint.ts';
import { ServiceError } from './core/errors.ts';
import { isFresh, needsTouch } from './core/freshness.ts';
import type { CanonicalParameters } from './core/parameters.ts';
import type {
  Clock,
  Entry,
  Lease,
  LeaseState,
  LeaseStore,
  Log,
  QueryRunner,
  ResultStore,
} from './core/ports.ts';
import { describeError } from './log.ts';

/** What somebody asks for. */
export interface ReadRequest {
  endpoint: Endpoint;
  parameters: CanonicalParameters;
  /** Name of the API key, recorded with the entry that it keeps alive. */
  keyName: string;
  deadlineMs: number;
}

/**
 * Where the rows came from: this instance's memory, Firestore, an own run for want of an entry or
 * for an expired one, or the run of somebody who asked at the same time.
 */
export type Outcome = 'memory_hit' | 'hit' | 'miss' | 'expired' | 'collapsed';

export interface Served {
  entry: Entry;
  outcome: Outcome;
  /** False when a computed result could not be kept in Firestore; `detail` says why. */
  stored: boolean;
  detail?: 'too-large' | 'store-failed' | 'store-unreadable';
}

export interface ReadThrough {
  /** Never resolves to an entry at or past its `freshUntilMs`; rejects with ServiceError. */
  read(request: ReadRequest): Promise<Served>;
}

interface ReadThroughDeps {
  resultStore: ResultStore;
  leaseStore: LeaseStore;
  queryRunner: QueryRunner;
  clock: Clock;
  log: Log;
  memoryCacheSeconds: number;
  memoryCacheMib: number;
  leaseSeconds: number;
  storeTimeoutMs: number;
}

/** Firestore's document limit is 1 MiB (PLATFORM: size); the rest of an entry needs little. */
const STORED_BODY_BYTES_MAX = 900 * 1024;
/** How often an instance looks whether the holder of a lease is done: soon first, then calmly. */
const LEASE_POLL_MS = { first: 50, factor: 1.5, max: 500 };

const compress = promisify(gzip);

export function createReadThrough(deps: ReadThroughDeps): ReadThrough {
  const { resultStore, leaseStore, queryRunner, clock, log } = deps;
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

  return { read };

  async function read(request: ReadRequest): Promise<Served> {
    const key = cacheKey(request.endpoint, request.parameters);
    const remembered = memory.get(key);
    if (remembered !== undefined && isFresh(remembered, clock.nowMs())) {
      return { entry: remembered, outcome: 'memory_hit', stored: true };
    }
    const underWay = flights.get(key);
    if (underWay !== undefined) return asCollapsed(await underWay);

    const flight = readStored(key, request).finally(() => flights.delete(key));
    flights.set(key, flight);
    return flight;
  }

  async function readStored(key: string, request: ReadRequest): Promise<Served> {
    let stored: Entry | undefined;
    try {
      stored = await inStoreTime(resultStore.get(key));
    } catch (error) {
      // A cache that cannot be read is not a reason to refuse: the query itself can still be run.
      log.write('WARNING', 'The result store cannot be read; running the query.', {
        event: 'store_read_failed',
        endpoint: request.endpoint.name,
        error: describeError(error),
      });
      return { detail: 'store-unreadable', ...(await computeAndStore(key, request, 'miss')) };
    }
    if (stored !== undefined && isFresh(stored, clock.nowMs())) {
      await touch(key, stored, request);
      remember(key, stored);
      return { entry: stored, outcome: 'hit', stored: true };
    }
    return runUnderLease(key, request, stored === undefined ? 'miss' : 'expired');
  }

  /** One run across instances: whoever gets the lease runs, the others wait for its outcome. */
  async function runUnderLease(
    key: string,
    request: ReadRequest,
    outcome: 'miss' | 'expired',
  ): Promise<Served> {
    const owner = randomUUID();
    let pollMs = LEASE_POLL_MS.first;
    let awaited: LeaseState | undefined;

    while (clock.nowMs() < request.deadlineMs) {
      let lease: Lease | undefined;
      try {
        const nowMs = clock.nowMs();
        lease = await inStoreTime(
          leaseStore.acquire(key, owner, nowMs, nowMs + deps.leaseSeconds * 1000),
        );
        // Whoever held it before may have finished between our look at the entry and now.
        const finished = await inStoreTime(resultStore.get(key));
        if (finished !== undefined && isFresh(finished, clock.nowMs())) {
          await releaseQuietly(lease);
          remember(key, finished);
          return { entry: finished, outcome: 'collapsed', stored: true };
        }
        awaited ??= lease === undefined ? await inStoreTime(leaseStore.read(key)) : undefined;
      } catch (error) {
        log.write('WARNING', 'No lease can be had; running the query without one.', {
          event: 'lease_failed',
          endpoint: request.endpoint.name,
          error: describeError(error),
        });
        await releaseQuietly(lease);
        return computeAndStore(key, request, outcome);
      }
      if (lease !== undefined) return runHolding(lease, key, request, outcome);

      // Somebody else runs it: wait until the lease is gone or over, then look at the entry again.
      await waitForHolder();
    }
    throw deadlineExceeded();

    async function waitForHolder(): Promise<void> {
      while (clock.nowMs() < request.deadlineMs) {
        await clock.wait(Math.min(pollMs, request.deadlineMs - clock.nowMs()));
        pollMs = Math.min(pollMs * LEASE_POLL_MS.factor, LEASE_POLL_MS.max);
        const state = await inStoreTime(leaseStore.read(key)).catch(() => undefined);
        if (state?.failure !== undefined && state.owner === awaited?.owner) {
          throw new ServiceError(state.failure.reason, state.failure.message);
        }
        if (state === undefined || state.untilMs <= clock.nowMs()) {
          awaited = undefined;
          return;
        }
        awaited = state;
      }
    }
  }

  async function runHolding(
    lease: Lease,
    key: string,
    request: ReadRequest,
    outcome: 'miss' | 'expired',
  ): Promise<Served> {
    const done = new AbortController();
    const renewal = renewUntil(lease, done.signal);
    try {
      const served = await computeAndStore(key, request, outcome);
      done.abort();
      await renewal;
      await releaseQuietly(lease);
      return served;
    } catch (error) {
      done.abort();
      await renewal;
      await releaseQuietly(
        lease,
        error instanceof ServiceError
          ? { reason: error.reason, message: error.message }
          : { reason: 'INTERNAL', message: 'Internal error.' },
      );
      throw error;
    }
  }

  /** Keeps a lease for as long as its query runs, so that it can end soon after its holder dies. */
  async function renewUntil(lease: Lease, done: AbortSignal): Promise<void> {
    const leaseMs = deps.leaseSeconds * 1000;
    for (;;) {
      await clock.wait(leaseMs / 3, done);
      if (done.aborted) return;
      await inStoreTime(lease.renew(clock.nowMs() + leaseMs)).catch(() => false);
    }
  }

  async function releaseQuietly(lease?: Lease, failure?: LeaseState['failure']): Promise<void> {
    if (lease === undefined) return;
    // A lease that cannot be released ends at its deadline.
    await inStoreTime(lease.release(failure)).catch(() => undefined);
  }

  async function computeAndStore(
    key: string,
    request: ReadRequest,
    outcome: 'miss' | 'expired',
  ): Promise<Served> {
    const entry = await compute(request);
    remember(key, entry);
    if (entry.body.length > STORED_BODY_BYTES_MAX) {
      log.write('WARNING', 'The result is too large to be stored.', {
        event: 'store_too_large',
        endpoint: entry.endpoint,
        bodyBytes: entry.body.length,
      });
      return { entry, outcome, stored: false, detail: 'too-large' };
    }
    try {
      await inStoreTime(resultStore.set(key, entry));
      return { entry, outcome, stored: true };
    } catch (error) {
      log.write('WARNING', 'The result cannot be stored.', {
        event: 'store_write_failed',
        endpoint: entry.endpoint,
        error: describeError(error),
      });
      return { entry, outcome, stored: false, detail: 'store-failed' };
    }
  }

  async function compute(request: ReadRequest): Promise<Entry> {
    const { endpoint, parameters, keyName, deadlineMs } = request;
    // Before the query starts: the rows are at least as new as this.
    const computedAtMs = clock.nowMs();
    const result = await queryRunner.run({
      endpoint: endpoint.name,
      sql: endpoint.sql,
      parameters,
      rowCountMax: endpoint.maxRows,
      deadlineMs,
    });
    const json = Buffer.from(encodeRows(result.schema, result.rows));
    return {
      endpointId: endpoint.id,
      endpoint: endpoint.name,
      definitionDigest: endpoint.definitionDigest,
      parameters,
      body: await compress(json),
      bodyBytes: json.length,
      etag: createHash('sha256').update(json).digest('base64url').slice(0, 22),
      rowCount: result.rows.length,
      truncated: result.truncated,
      computedAtMs,
      freshUntilMs: computedAtMs + endpoint.cachingSeconds * 1000,
      lastReadAtMs: clock.nowMs(),
      keyName,
      jobId: result.jobId,
      bytesProcessed: result.bytesProcessed,
    };
  }

  async function touch(key: string, entry: Entry, request: ReadRequest): Promise<void> {
    const nowMs = clock.nowMs();
    if (!needsTouch(entry, request.endpoint, nowMs)) return;
    try {
      // Before the answer: a function has no CPU after it.
      await inStoreTime(resultStore.touch(key, nowMs, request.keyName));
    } catch (error) {
      log.write('WARNING', 'The read cannot be recorded.', {
        event: 'touch_failed',
        endpoint: request.endpoint.name,
        error: describeError(error),
      });
    }
  }

  function remember(key: string, entry: Entry): void {
    const ttl = Math.min(deps.memoryCacheSeconds * 1000, entry.freshUntilMs - clock.nowMs());
    if (ttl > 0) memory.set(key, entry, { ttl });
  }

  function inStoreTime<T>(work: Promise<T>): Promise<T> {
    return withDeadline(
      clock,
      deps.storeTimeoutMs,
      work,
      () => new Error(`no answer within ${deps.storeTimeoutMs} ms`),
    );
  }
}

function asCollapsed(served: Served): Served {
  const isHit = served.outcome === 'hit' || served.outcome === 'memory_hit';
  return isHit ? served : { ...served, outcome: 'collapsed' };
}

function deadlineExceeded(): ServiceError {
  return new ServiceError(
    'QUERY_DEADLINE_EXCEEDED',
    'The query did not finish in its time. Try again, or ask for a shorter interval.',
  );
}
