// Work that only one instance does at a time: renews its lease meanwhile and gives it up afterwards.
import { withDeadline } from '../core/deadline.ts';
import { type Reason, ServiceError } from '../core/errors.ts';
import type { Clock, StoreClock } from '../core/clock.ts';
import type { Lease, LeaseOutcome } from '../core/lease-store.ts';

interface LeaseTerms {
  clock: Clock;
  /** By which leases end. */
  storeClock: StoreClock;
  leaseSeconds: number;
  storeTimeoutMs: number;
}

/** What the work can know and say of its lease. */
export interface HeldLease {
  /** True once somebody else has it: what the work has made is old by then. */
  isLost(): boolean;
  /** Left for those who wait, in place of the end of the lease alone. */
  leave(outcome: LeaseOutcome): void;
}

/**
 * The outcome of `work`. A lease is short and renewed, so that it ends soon after its holder dies;
 * a failure is left in it for those who wait. Trouble with the lease itself does not stop the work.
 */
export async function holdLease<T>(
  lease: Lease,
  terms: LeaseTerms,
  work: (held: HeldLease) => Promise<T>,
): Promise<T> {
  const { clock, storeClock, storeTimeoutMs } = terms;
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

  /** After the last renewal, because each write of a lease needs the time of the one before. */
  async function giveUp(outcome?: LeaseOutcome): Promise<void> {
    done.abort();
    await renewal;
    await quietly(lease.release(outcome));
  }

  /** A lease that cannot be renewed or released ends at its deadline. */
  async function quietly<R>(call: Promise<R>): Promise<R | undefined> {
    return withDeadline(clock, storeTimeoutMs, call).catch(() => undefined);
  }
}

const OF_THIS_INSTANCE = new Set<Reason>(['INSTANCE_BUSY', 'INSTANCE_STOPPING']);

/** Undefined where the fault is of this instance alone: whoever waits at another one takes over. */
function outcomeOf(error: unknown): LeaseOutcome | undefined {
  if (!(error instanceof ServiceError)) return { reason: 'INTERNAL', message: 'Internal error.' };
  const { reason, message } = error;
  return OF_THIS_INSTANCE.has(reason) ? undefined : { reason, message };
}
