// Declares the store of leases, which google/lease-store.ts implements, and runs work under a lease.
import { NOT_STARTED, REASONS, type Reason, ServiceError, toServiceError } from './errors.ts';
import type { Clock } from './clock.ts';
import type { ParameterValue } from './parameter-type.ts';
import type { Scan, StartedQuery } from './query-runner.ts';
import type { SourceState } from './result-store.ts';

export interface LeaseState {
  owner: string;
  untilMs: number;
  /** The outcome that the owner left for waiting instances if it stored no rows. */
  outcome?: LeaseOutcome | undefined;
  /** The query that runs, or has run, for the lease. The next holder joins it. */
  query?: LeasedQuery | undefined;
}

/** A query in BigQuery that outlives the holders of its lease. */
export interface LeasedQuery extends StartedQuery {
  /** Just before it was started: its rows are no older than this. */
  startedAtMs: number;
  /** It is not joined at or after this time: BigQuery has ended it. */
  endsAtMs: number;
  endpointId: string;
  /** See `EntryDescription`. */
  resultDigest: string;
  parameters: Readonly<Record<string, ParameterValue>>;
  /** The API key that it was started for; empty for warming. */
  keyName: string;
  /** Where its bytes count: see `Charge`. Absent if nobody bounds them. */
  account?: string | undefined;
  /** The state of the tables, asked for before it was started. */
  sources?: SourceState | undefined;
  /** Of a batch, the cache key of each result; the name of the lease is that of any other. */
  cacheKeys?: readonly string[] | undefined;
  /** What a job of an incremental `warm.sql` reads. */
  scan?: Scan | undefined;
}

export const WARM_ACCOUNT = 'warm';

/** Bytes that BigQuery has billed, counted for a day. */
export interface Charge {
  /** The SHA-256 of an API key, or `WARM_ACCOUNT`. */
  account: string;
  /** In UTC: `2026-11-28`. */
  day: string;
  bytes: number;
}

/** The share of the bytes of a day above which the operator is told. */
export const TOLD_SHARE = 0.8;

/** Undefined if there is nothing to count. */
export function chargeOf(
  account: string | undefined,
  bytes: number,
  nowMs: number,
): Charge | undefined {
  return account === undefined || bytes === 0 ? undefined : { account, day: dayOf(nowMs), bytes };
}

export function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

export interface NamedQuery {
  /** Of the lease. */
  name: string;
  query: LeasedQuery;
  /** Whether somebody waits for it. */
  isHeld: boolean;
}

/** The run failed, or its rows could not be stored, so that each instance must run. */
export type LeaseOutcome = { reason: Reason; message: string } | 'unstored';

/** With what a holder starts. */
export interface LeaseStart {
  /** The query to run: the one given to `acquire`, or that of an earlier holder. Undefined for work that is no query. */
  query: LeasedQuery | undefined;
  /** Whether `query` is that of an earlier holder. */
  isJoined: boolean;
  /** The query of an earlier holder whose time is over; it may hang in BigQuery. */
  overdue?: LeasedQuery | undefined;
}

/** A lease that this instance holds. */
export interface Lease extends LeaseStart {
  /** False if another instance has taken the lease in the meantime. */
  renew(untilMs: number): Promise<boolean>;
  /** Replaces the query, and renews the lease. False as of `renew`. */
  record(query: LeasedQuery, untilMs: number): Promise<boolean>;
  /**
   * Releases the lease and stores an outcome for waiting instances. With `keepsQuery`, the next holder joins its query.
   * Does nothing if the lease was lost, but count the charge.
   */
  release(outcome?: LeaseOutcome, keepsQuery?: boolean, charge?: Charge): Promise<void>;
}

export interface LeaseStore {
  /** Undefined if another instance holds the lease and `nowMs` is before its end. */
  acquire(
    name: string,
    owner: string,
    nowMs: number,
    untilMs: number,
    query?: LeasedQuery,
  ): Promise<Lease | undefined>;
  read(name: string): Promise<LeaseState | undefined>;
  /** The queries whose time is not over, whether or not a holder waits for them. */
  queries(nowMs: number): Promise<NamedQuery[]>;
  /** The bytes of a day, with those that this instance could not write yet. */
  bytesOf(account: string, day: string): Promise<number>;
  addBytes(charge: Charge): Promise<void>;
}

/** The query of an earlier holder is joined as long as its time is not over. */
export function leaseStart(
  own: LeasedQuery | undefined,
  earlier: LeasedQuery | undefined,
  nowMs: number,
): LeaseStart {
  if (own === undefined || earlier === undefined) return { query: own, isJoined: false };
  const isInTime = earlier.startedAtMs <= nowMs && nowMs < earlier.endsAtMs;
  return isInTime
    ? { query: earlier, isJoined: true }
    : { query: own, isJoined: false, overdue: earlier };
}

/** The query that the next holder joins. Whoever reads its rows again does not count its bytes again. */
export function leftQuery(query: LeasedQuery | undefined, charge: Charge | undefined) {
  return query && charge ? { ...query, account: undefined } : query;
}

interface LeaseTerms {
  clock: Clock;
  leaseSeconds: number;
  /** False for one that no other instance waits for. */
  isRenewed?: boolean;
  /** True to leave a query that failed to the next holder, so that it can tell its caller why. */
  keepsFailed?: boolean;
}

export interface HeldLease extends LeaseStart {
  /** True once another instance holds the lease: the work's result is then outdated. */
  isLost(): boolean;
  /** Sets the outcome that waiting instances get when the lease is released. */
  leave(outcome: LeaseOutcome): void;
  /** Counts the bytes that BigQuery has billed for the query, when the lease is released. */
  charge(bytes: number): void;
  /** Replaces the query that the next holder joins; never rejects. */
  record(query: LeasedQuery): Promise<void>;
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
  const { clock } = terms;
  const leaseMs = terms.leaseSeconds * 1000;
  const done = new AbortController();
  let isLost = false;
  let left: LeaseOutcome | undefined;
  let billedBytes = 0;
  const renewal = terms.isRenewed === false ? undefined : renewUntilDone();
  let { query } = lease;
  const { isJoined, overdue } = lease;
  /** The writes of a lease happen one after the other: each needs the time of the previous one. */
  let written: Promise<unknown> = Promise.resolve();
  const charge = (bytes: number): void => void (billedBytes += bytes);
  const held = { isJoined, overdue, isLost: () => isLost, leave, record, charge };
  try {
    const outcome = await work({ ...held, query });
    await giveUp(left);
    return outcome;
  } catch (error) {
    if (terms.keepsFailed) await giveUp(undefined, true);
    else await giveUp(outcomeOf(error), goesOn(error, isJoined));
    throw error;
  }

  function leave(note: LeaseOutcome): void {
    left = note;
  }

  async function record(next: LeasedQuery): Promise<void> {
    query = next;
    await write((untilMs) => lease.record(next, untilMs));
  }

  async function renewUntilDone(): Promise<void> {
    for (;;) {
      await clock.wait(leaseMs / 3, done.signal);
      if (done.signal.aborted) return;
      await write((untilMs) => lease.renew(untilMs));
    }
  }

  async function write(call: (untilMs: number) => Promise<boolean>): Promise<void> {
    const next = written.then(() => quietly(call(clock.nowMs() + leaseMs)));
    written = next;
    if ((await next) === false) isLost = true;
  }

  async function giveUp(outcome?: LeaseOutcome, keepsQuery?: boolean): Promise<void> {
    done.abort();
    await renewal;
    await written;
    const billed = chargeOf(query?.account, billedBytes, clock.nowMs());
    await quietly(lease.release(outcome, keepsQuery, billed));
  }

  /** A lease that cannot be renewed or released ends at its deadline. */
  function quietly<R>(call: Promise<R>): Promise<R | undefined> {
    return call.catch(() => undefined);
  }
}

/** Whether the query of a run that rejected with this error can be joined. */
function goesOn(error: unknown, isJoined: boolean): boolean {
  if (!(error instanceof ServiceError) || !REASONS[error.reason].queryGoesOn) return false;
  return isJoined || error.cause !== NOT_STARTED;
}

/** Undefined if the error concerns only this instance, or the API key of its request: a waiting instance then takes over. */
function outcomeOf(error: unknown): LeaseOutcome | undefined {
  const { reason, message } = toServiceError(error);
  return REASONS[reason].isOfHolder ? undefined : { reason, message };
}
