// Work that only one instance does at a time: renews its lease meanwhile and gives it up afterwards.
import { withDeadline } from './core/deadline.ts';
import { ServiceError } from './core/errors.ts';
import type { Clock, Lease } from './core/ports.ts';

interface LeaseTerms {
  clock: Clock;
  leaseSeconds: number;
  storeTimeoutMs: number;
}

/**
 * The outcome of `work`. A lease is short and renewed, so that it ends soon after its holder dies;
 * a failure is left in it for those who wait. Trouble with the lease itself does not stop the work.
 */
export async function holdLease<T>(
  lease: Lease,
  terms: LeaseTerms,
  work: () => Promise<T>,
): Promise<T> {
  const { clock, storeTimeoutMs } = terms;
  const leaseMs = terms.leaseSeconds * 1000;
  const done = new AbortController();
  const renewal = renewUntilDone();
  try {
    const outcome = await work();
    await giveUp();
    return outcome;
  } catch (error) {
    await giveUp(
      error instanceof ServiceError
        ? { reason: error.reason, message: error.message }
        : { reason: 'INTERNAL', message: 'Internal error.' },
    );
    throw error;
  }

  async function renewUntilDone(): Promise<void> {
    for (;;) {
      await clock.wait(leaseMs / 3, done.signal);
      if (done.signal.aborted) return;
      await quietly(lease.renew(clock.nowMs() + leaseMs));
    }
  }

  /** After the last renewal, because each write of a lease needs the time of the one before. */
  async function giveUp(failure?: Parameters<Lease['release']>[0]): Promise<void> {
    done.abort();
    await renewal;
    await quietly(lease.release(failure));
  }

  /** A lease that cannot be renewed or released ends at its deadline. */
  async function quietly(call: Promise<unknown>): Promise<void> {
    const late = (): Error => new Error('timed out');
    await withDeadline(clock, storeTimeoutMs, call, late).catch(() => undefined);
  }
}
