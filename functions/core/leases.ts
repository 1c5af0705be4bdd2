// Declares the store of leases, which google/lease-store.ts implements, and runs work under a lease.
import { type Reason, ServiceError } from './errors.ts';
import type { Clocks } from './clock.ts';

export interface LeaseState {
  owner: string;
  untilMs: number;
  /** The outcome that the owner left for waiting instances if it stored no rows. */
  outcome?: LeaseOutcome;
}

/** The run failed, or its rows could not be stored, so that each instance must run. */
export type LeaseOutcome = { reason: Reason; message: string } | 'unstored';

/** A lease that this instance holds. */
export interface Lease {
  /** False if another instance has taken the lease in the meantime. */
  renew(untilMs: number): Promise<boolean>;
  /** Releases the lease and stores an outcome for waiting instances. Does nothing if the lease was lost. */
  release(outcome?: LeaseOutcome): Promise<void>;
}

export interface LeaseStore {
  /** Undefined if another instance holds the lease and `nowMs` is before its end. */
  acquire(name: string, owner: string, nowMs: number, untilMs: number): Promise<Lease | undefined>;
  read(name: string): Promise<LeaseState | undefined>;
}

interface LeaseTerms extends Clocks {
  leaseSeconds: number;
}

export interface HeldLease {
  /** True once another instance holds the lease: the work's result is then outdated. */
  isLost(): boolean;
  /** Sets the outcome that waiting instances get when the lease is released. */
  leave(outcome: LeaseOutcome): void;
}

/**
 * The outcome of `work`. A lease is short and is renewed, so that it ends soon after its holder dies. An
 * error of the work is stored in it for waiting instances. Errors of the lease store do not stop the work.
 */
export async function holdLease<T>(
  lease: Lease,
  terms: LeaseTerms,
  work: (held: HeldLease) => Promise<T>,
): Promise<T> {
  const { clock, storeClock } = terms;
  const leaseMs = terms.leaseSeconds * 1000;
  const done = new AbortController();
  let isLost = false;
  let left: LeaseOutcome | undefined;
  const renewal = renewUntilDone();
  try {
    const outcome = await work({ isLost: () => isLost, leave: (note) => (left = note) });
    await giveUp(left);
    return outcome;
  } catch (error) {
    await giveUp(outcomeOf(error));
    throw error;
  }

  async function renewUntilDone(): Promise<void> {
    for (;;) {
      await clock.wait(leaseMs / 3, done.signal);
      if (done.signal.aborted) return;
      const isRenewed = await quietly(lease.renew(storeClock.nowMs() + leaseMs));
      if (isRenewed === false) isLost = true;
    }
  }

  /** Waits for the last renewal, because each write of a lease needs the time of the previous one. */
  async function giveUp(outcome?: LeaseOutcome): Promise<void> {
    done.abort();
    await renewal;
    await quietly(lease.release(outcome));
  }

  /** A lease that cannot be renewed or released ends at its deadline. */
  function quietly<R>(call: Promise<R>): Promise<R | undefined> {
    return call.catch(() => undefined);
  }
}

const OF_THE_HOLDER = new Set<Reason>(['INSTANCE_BUSY', 'INSTANCE_STOPPING', 'RATE_LIMITED']);

/** Undefined if the error concerns only this instance, or the API key of its request: a waiting instance then takes over. */
function outcomeOf(error: unknown): LeaseOutcome | undefined {
  if (!(error instanceof ServiceError)) return { reason: 'INTERNAL', message: 'Internal error.' };
  const { reason, message } = error;
  return OF_THE_HOLDER.has(reason) ? undefined : { reason, message };
}
