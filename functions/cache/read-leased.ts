// Single flight across instances: the holder of the lease of a result runs its query, the others wait (within one instance: read-through.ts).
import { randomUUID } from 'node:crypto';
import { ServiceError, usualError } from '../core/errors.ts';
import { type Lease, type LeaseState, holdLease, isHeld } from '../core/leases.ts';
import type { SourceState } from '../core/result-store.ts';
import { isWarmed } from '../endpoints/endpoint.ts';
import type { ReadRequest, Reading, Served } from './reading.ts';
import { type ReadParts, runMiss } from './run-miss.ts';
import { sourceState } from './source-state.ts';

const UNREADABLE =
  'The lease, or the result of another run, cannot be read; the query runs without a lease.';
/** How often an instance checks whether the holder of a lease is done: often at first, then less. */
const POLL_MS = { first: 50, factor: 1.5, max: 500 };

/**
 * Runs the query here, or waits for the run of another instance and returns its rows. If the holder fails, the waiting instances
 * get its error. If it dies, one of them takes over when the lease ends. If the lease store fails, every instance runs.
 */
export async function readLeased(parts: ReadParts, reading: Reading): Promise<Served> {
  const { clock, leaseStore, keyLimits, keyBytes, runningQueries, keptRows } = parts;
  const { cacheKey: name, request, stepsMs } = reading;
  const { key, deadlineMs } = request;
  const owner = randomUUID();
  reading.tableState = knownTableState(parts, request);
  // Who has used up the bytes takes no lease, for which others would wait.
  reading.refusal = await keyBytes.refusalOf(key);
  const mayStart = () =>
    !reading.refusal && keyLimits.hasMiss(key) && !parts.shutdown?.isStopping();

  while (clock.nowMs() < deadlineMs) {
    // A request that may not start its own takes a lease only to join a query.
    const startsOwn = mayStart();
    let lease: Lease | undefined;
    let holder: LeaseState | undefined;
    try {
      if (!startsOwn) holder = await leaseStore.read(name);
      const nowMs = clock.nowMs();
      const takes = startsOwn || isLeft(holder, nowMs);
      if (takes) {
        const untilMs = nowMs + parts.leaseSeconds * 1000;
        const state = { owner, untilMs, query: runningQueries.begin(request) };
        lease = await leaseStore.acquire(name, state, nowMs);
      }
      // The previous holder may have finished after the last check.
      const entry = await keptRows.find(reading);
      if (entry !== undefined) {
        await releaseQuietly(lease);
        const outcome = reading.expired ? 'expired' : 'miss';
        return { entry, outcome, isCollapsed: true, stored: true, stepsMs };
      }
      if (lease === undefined && takes) holder = await leaseStore.read(name);
    } catch (error) {
      parts.log.write('WARNING', UNREADABLE, { event: 'lease_failed', error });
      await releaseQuietly(lease);
      return runMiss(parts, reading);
    }
    if (lease !== undefined) {
      const run = holdLease(lease, parts, (held) => runMiss(parts, reading, held));
      return run.catch(async (error: unknown) => {
        // Who has joined a query leaves nothing of its own.
        throw reading.own ? await runningQueries.leave(name, reading.own, error) : error;
      });
    }
    if (startsOwn || isHeld(holder, clock.nowMs())) {
      await waitForEnd(parts, reading, holder);
    } else if (!mayStart()) {
      // It throws why.
      return runMiss(parts, reading);
    }
  }
  const { query } = reading;
  throw query && clock.nowMs() < query.endsAtMs
    ? runningQueries.stillRunning(query)
    : usualError('QUERY_DEADLINE_EXCEEDED');
}

/** The state that the last warming run found; without it, the next run computes the rows again. */
async function knownTableState(
  parts: ReadParts,
  request: ReadRequest,
): Promise<SourceState | undefined> {
  const { keptRows, refreshStore } = parts;
  const { endpoint } = request;
  const { dependsOn, incremental } = endpoint;
  const sources = [...(dependsOn?.sources ?? []), ...(incremental?.others ?? [])];
  // Not known for shards: one that is added and dropped between two runs leaves no trace except its rows in this result.
  const isKnown = !sources.some(({ table }) => table.endsWith('*'));
  const isUsed =
    (dependsOn !== undefined && parts.warmUnchanged === 'on') ||
    (incremental !== undefined && parts.warmIncremental === 'on');
  if (!isKnown || !isUsed || !isWarmed(endpoint)) return undefined;
  try {
    return sourceState(endpoint, await refreshStore.found('sources'), parts);
  } catch (error) {
    keptRows.warn('store_read_failed', 'The state of the tables cannot be read.', request, error);
    return undefined;
  }
}

/**
 * Until the lease is released or has ended, or rows are found. Throws the error of the holder.
 * Only the outcome of a holder that this instance has waited for counts, so errors are not cached.
 */
async function waitForEnd(
  parts: ReadParts,
  reading: Reading,
  holder: LeaseState | undefined,
): Promise<void> {
  const { clock, leaseStore, keptRows } = parts;
  const { deadlineMs } = reading.request;
  let pollMs = POLL_MS.first;
  let state = holder;
  for (let poll = 1; state !== undefined && clock.nowMs() < deadlineMs; poll += 1) {
    const { owner, outcome, query }: LeaseState = state;
    // That of the last holder: what a request is told at its deadline.
    reading.query = query;
    if (outcome !== undefined) throw new ServiceError(outcome.reason, outcome.message);
    if (!isHeld(state, clock.nowMs())) break;
    await clock.wait(Math.min(pollMs, deadlineMs - clock.nowMs()));
    pollMs = Math.min(pollMs * POLL_MS.factor, POLL_MS.max);
    // The holder may have stored its rows and died before it released the lease.
    if (poll % 4 === 0 && (await keptRows.find(reading).catch(() => undefined))) break;
    state = await leaseStore.read(reading.cacheKey).catch(() => undefined);
    if (state?.outcome !== undefined && state.owner !== owner) break;
  }
}

/** Whether there is a job that nobody waits for. */
function isLeft(state: LeaseState | undefined, nowMs: number): boolean {
  const query = state?.query;
  return query?.jobId !== undefined && !isHeld(state, nowMs) && nowMs < query.endsAtMs;
}

/** A lease that cannot be released ends at its deadline. A query that it joined is not lost. */
async function releaseQuietly(lease: Lease | undefined): Promise<void> {
  const query = lease?.isJoined ? lease.query : undefined;
  await lease?.write({ untilMs: 0, query }).catch(() => undefined);
}
