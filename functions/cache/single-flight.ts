// Single flight across instances: the holder of the lease runs the query, the others wait (within one instance: read-through.ts).
import { randomUUID } from 'node:crypto';
import { ServiceError, usualError } from '../core/errors.ts';
import {
  type HeldLease,
  type Lease,
  type LeaseState,
  type LeasedQuery,
  holdLease,
} from '../core/leases.ts';
import type { Backends } from '../core/services.ts';

interface LeasedWork<T> {
  name: string;
  deadlineMs: number;
  /** False if `run` would refuse to start a query. Then no lease is taken but to join one that runs. */
  mayRun: () => boolean;
  /** The query to start if there is none to join. */
  begin: () => LeasedQuery;
  /** Finds the result of another run; undefined if there is none. */
  find: () => Promise<T | undefined>;
  /** Runs the work; `held` is undefined if it runs without a lease. */
  run: (held?: HeldLease) => Promise<T>;
  /** The error at the deadline, if the query of the lease still runs. */
  late: (query: LeasedQuery) => Error;
}

const UNREADABLE =
  'The lease, or the result of another run, cannot be read; the query runs without a lease.';
/** How often an instance checks whether the holder of a lease is done: often at first, then less. */
const POLL_MS = { first: 50, factor: 1.5, max: 500 };

/**
 * Runs the flight here, or waits for the run of another instance and returns its result. If the holder
 * fails, the waiting instances get its error. If it dies, one of them takes over when the lease ends.
 * If the lease store fails, every instance runs.
 */
export function createSingleFlight(deps: Backends): <T>(flight: LeasedWork<T>) => Promise<T> {
  const { leaseStore, clock, log } = deps;

  return async function fly<T>(flight: LeasedWork<T>): Promise<T> {
    const { name, deadlineMs } = flight;
    const owner = randomUUID();
    /** The last state of the lease of another holder. */
    let seen: LeaseState | undefined;
    while (clock.nowMs() < deadlineMs) {
      const mayRun = flight.mayRun();
      let lease: Lease | undefined;
      let holder: LeaseState | undefined;
      try {
        if (!mayRun) holder = await leaseStore.read(name);
        const nowMs = clock.nowMs();
        const untilMs = nowMs + deps.leaseSeconds * 1000;
        if (mayRun || isLeft(holder)) {
          const state = { owner, untilMs, query: flight.begin() };
          lease = await leaseStore.acquire(name, state, nowMs);
        }
        // The previous holder may have finished after the last check.
        const result = await flight.find();
        if (result !== undefined) {
          await releaseQuietly(lease);
          return result;
        }
        if (lease === undefined && mayRun) holder = await leaseStore.read(name);
      } catch (error) {
        log.write('WARNING', UNREADABLE, { event: 'lease_failed', error });
        await releaseQuietly(lease);
        return flight.run();
      }
      if (lease !== undefined) return holdLease(lease, deps, flight.run);
      if (!mayRun && !isHeld(holder)) {
        // It may be allowed again by now.
        if (flight.mayRun()) continue;
        return flight.run();
      }
      const ended = await waitForEnd(flight, holder, (state) => (seen = state));
      if (ended === 'unstored') return flight.run();
    }
    const query = seen?.query;
    throw query && clock.nowMs() < query.endsAtMs
      ? flight.late(query)
      : usualError('QUERY_DEADLINE_EXCEEDED');
  };

  /**
   * Returns once the lease is released or has ended, or a result is found. Throws the error of the holder.
   * Only the outcome of a holder that this instance has waited for counts, so errors are not cached.
   */
  async function waitForEnd(
    { name, deadlineMs, find }: LeasedWork<unknown>,
    holder: LeaseState | undefined,
    see: (state: LeaseState) => void,
  ): Promise<'over' | 'unstored'> {
    let pollMs = POLL_MS.first;
    let awaited = holder;
    for (let poll = 1; awaited !== undefined && clock.nowMs() < deadlineMs; poll += 1) {
      see(awaited);
      if (awaited.outcome === 'unstored') return 'unstored';
      if (awaited.outcome !== undefined) {
        throw new ServiceError(awaited.outcome.reason, awaited.outcome.message);
      }
      if (awaited.untilMs <= clock.nowMs()) return 'over';
      await clock.wait(Math.min(pollMs, deadlineMs - clock.nowMs()));
      pollMs = Math.min(pollMs * POLL_MS.factor, POLL_MS.max);
      // The holder may have stored its rows and died before it released the lease.
      if (poll % 4 === 0 && (await find().catch(() => undefined)) !== undefined) return 'over';
      const { owner }: LeaseState = awaited;
      awaited = await leaseStore.read(name).catch(() => undefined);
      if (awaited?.outcome !== undefined && awaited.owner !== owner) return 'over';
    }
    return 'over';
  }

  /** False for a lease that was released, whose outcome does not count then: errors are not cached. */
  function isHeld(state: LeaseState | undefined): boolean {
    return state !== undefined && clock.nowMs() < state.untilMs;
  }

  /** Whether there is a job that nobody waits for. */
  function isLeft(state: LeaseState | undefined): boolean {
    const query = state?.query;
    return query?.jobId !== undefined && !isHeld(state) && clock.nowMs() < query.endsAtMs;
  }

  /** A lease that cannot be released ends at its deadline. A query that it joined is not lost. */
  async function releaseQuietly(lease: Lease | undefined): Promise<void> {
    const query = lease?.isJoined ? lease.query : undefined;
    await lease?.write({ untilMs: 0, query }).catch(() => undefined);
  }
}
