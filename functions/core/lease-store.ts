// The role of the store of leases: what one instance does at a time.
import type { Reason } from './errors.ts';

/** What an instance that waits for a lease can see of it. */
export interface LeaseState {
  owner: string;
  untilMs: number;
  /** What the owner left for those who waited, when there is nothing to read. */
  outcome?: LeaseOutcome;
}

/** The run failed, or its rows could not be stored and everybody has to run. */
export type LeaseOutcome = { reason: Reason; message: string } | 'unstored';

/** A lease that this instance holds. */
export interface Lease {
  /** False when the lease has gone to somebody else in the meantime. */
  renew(untilMs: number): Promise<boolean>;
  /** Gives the lease up; an outcome is left for those who wait. Does nothing when it was lost. */
  release(outcome?: LeaseOutcome): Promise<void>;
}

/** Mutual exclusion across instances, with a deadline for holders that die. */
export interface LeaseStore {
  /** Undefined when somebody else holds it and `nowMs` is before its end. */
  acquire(name: string, owner: string, nowMs: number, untilMs: number): Promise<Lease | undefined>;
  read(name: string): Promise<LeaseState | undefined>;
}
