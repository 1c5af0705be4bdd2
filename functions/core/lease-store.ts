// Declares the store of leases (mutual exclusion across instances), which google/lease-store.ts implements.
import type { Reason } from './errors.ts';

/** The state of a lease as a waiting instance sees it. */
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

/** Mutual exclusion across instances, with a deadline for holders that die. */
export interface LeaseStore {
  /** Undefined if another instance holds the lease and `nowMs` is before its end. */
  acquire(name: string, owner: string, nowMs: number, untilMs: number): Promise<Lease | undefined>;
  read(name: string): Promise<LeaseState | undefined>;
}
