// Single flight across instances: the holder of the lease of a result runs its query, the others wait (within one instance: read-through.ts).
import { randomUUID } from 'node:crypto';
import { ServiceError, usualError } from '../core/errors.ts';
import { type Lease, type LeaseState, holdLease } from '../core/leases.ts';
import type { Reading, Served } from './reading.ts';
import { type ReadParts, askedSources, runMiss } from './run-miss.ts';

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
  reading.tableState = askedSources(parts, request);
  // Who has used up the bytes takes no lease, for which others would wait.
  reading.refusal = keyBytes.refusalOf(key);
  const isSpent = (await reading.refusal) !== undefined;
  const mayStart = () => !isSpent && keyLimits.hasMiss(key) && !parts.shutdown?.isStopping();
  /** The last state of the lease of another holder. */
  let seen: LeaseState | undefined;

  while (clock.nowMs() < deadlineMs) {
    // Without that, a lease is taken only to join a query that runs.
    const startsOwn = mayStart();
    let lease: Lease | undefined;
    let holder: LeaseState | undefined;
    try {
      if (!startsOwn) holder = await leaseStore.read(name);
      const nowMs = clock.nowMs();
      if (startsOwn || isLeft(holder, nowMs)) {
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
      if (lease === undefined && startsOwn) holder = await leaseStore.read(name);
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
      seen = (await waitForEnd(parts, reading, holder)) ?? seen;
    } else if (!mayStart()) {
      // Without a lease, which throws why.
      return runMiss(parts, reading);
    }
  }
  const query = seen?.query;
  throw query && clock.nowMs() < query.endsAtMs
    ? runningQueries.stillRunning(query)
    : usualError('QUERY_DEADLINE_EXCEEDED');
}

/**
 * Returns the last state of the lease once it is released or has ended, or rows are found. Throws the error of the holder.
 * Only the outcome of a holder that this instance has waited for counts, so errors are not cached.
 */
async function waitForEnd(
  parts: ReadParts,
  reading: Reading,
  holder: LeaseState | undefined,
): Promise<LeaseState | undefined> {
  const { clock, leaseStore, keptRows } = parts;
  const { deadlineMs } = reading.request;
  let pollMs = POLL_MS.first;
  let seen = holder;
  let state = holder;
  for (let poll = 1; state !== undefined && clock.nowMs() < deadlineMs; poll += 1) {
    seen = state;
    const { owner, outcome, untilMs }: LeaseState = state;
    if (outcome !== undefined) throw new ServiceError(outcome.reason, outcome.message);
    if (untilMs <= clock.nowMs()) break;
    await clock.wait(Math.min(pollMs, deadlineMs - clock.nowMs()));
    pollMs = Math.min(pollMs * POLL_MS.factor, POLL_MS.max);
    // The holder may have stored its rows and died before it released the lease.
    if (poll % 4 === 0 && (await keptRows.find(reading).catch(() => undefined))) break;
    state = await leaseStore.read(reading.cacheKey).catch(() => undefined);
    if (state?.outcome !== undefined && state.owner !== owner) break;
  }
  return seen;
}

/** False for a lease that was released, whose outcome does not count then: errors are not cached. */
function isHeld(state: LeaseState | undefined, nowMs: number): boolean {
  return state !== undefined && nowMs < state.untilMs;
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
