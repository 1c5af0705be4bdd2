// Declares the store of leases, which google/lease-store.ts implements, and runs work under a lease.
import { REASONS, type Reason, ServiceError, isReason, toServiceError } from './errors.ts';
import type { Clock } from './clock.ts';
import { type FieldsOf, hasForm, isCount, isText, isTexts, isYes, optional } from './json.ts';
import { isParameters } from './parameter-type.ts';
import { SCAN, STARTED_QUERY } from './query-runner.ts';
import { SOURCE_STATE } from './result-store.ts';

export interface LeaseState {
  owner: string;
  untilMs: number;
  /** The outcome that the owner left for waiting instances if it stored no rows. */
  outcome?: LeaseOutcome | undefined;
  /** The query that runs, or has run, for the lease. The next holder joins it. */
  query?: LeasedQuery | undefined;
}

/** A query in BigQuery that outlives the holders of its lease. */
export const LEASED_QUERY = {
  ...STARTED_QUERY,
  /** Just before it was started: its rows are no older than this. */
  startedAtMs: isCount,
  /** It is not joined at or after this time: BigQuery has ended it. */
  endsAtMs: isCount,
  /** It has gone on without a request, and counts for its key until it ends. */
  wasLeft: optional(isYes),
  endpointId: isText,
  resultDigest: isText,
  parameters: isParameters,
  /** The API key that it was started for; empty for warming. */
  keyName: isText,
  /** The SHA-256 of that key; absent for warming. */
  keyDigest: optional(isText),
  /** Where its bytes count: see `DEBT`. Absent if nobody bounds them. */
  account: optional(isText),
  expectedBytes: optional(isCount),
  /** The state of the tables, asked for before it was started. */
  sources: optional(hasForm(SOURCE_STATE)),
  /** Of a batch, the cache key of each result; the name of the lease is that of any other. */
  cacheKeys: optional(isTexts),
  /** What a job of an incremental `warm.sql` reads. */
  scan: optional(hasForm(SCAN)),
};
export type LeasedQuery = FieldsOf<typeof LEASED_QUERY>;

export const WARM_ACCOUNT = 'warm';

/** A job whose bytes count for an account, but are not known yet. */
export const DEBT = {
  /** The SHA-256 of an API key, or `WARM_ACCOUNT`. */
  account: isText,
  /** In UTC, on which it was started: `2026-11-28`. */
  day: isText,
  jobId: isText,
  /** What it is expected to bill. */
  bytes: isCount,
  endsAtMs: isCount,
};
export type Debt = FieldsOf<typeof DEBT>;

/** What BigQuery has billed to an account in a day, and what earlier debts that are open are expected to add. */
export interface DayBytes {
  bytes: number;
  openBytes: number;
}

/** With the bytes of the debt itself. */
export type Reserved = DayBytes & { isAdmitted: boolean };

export interface DayBytesStore {
  bytesOf(account: string, day: string): Promise<number>;
  /** Writes the debt before its job is sent, then counts: see `isAdmitted`. Returns what was counted; without a debt if not admitted. */
  reserve(debt: Debt, limitBytes: number): Promise<Reserved>;
  /** Replaces the debt by what was billed; does nothing the second time. */
  settle(debt: Debt, bytes: number): Promise<void>;
  /** All that are open, of any day. */
  debts(): Promise<Debt[]>;
}

/** The share of the bytes of a day above which the operator is told. */
export const TOLD_SHARE = 0.8;

/** Whether one more query may start: it fits beside those under way, or is alone, so that at most one passes the limit. */
export function isAdmitted(before: DayBytes, expectedBytes: number, limitBytes: number): boolean {
  const { bytes, openBytes } = before;
  const isAlone = openBytes === 0;
  return isAlone ? bytes < limitBytes : bytes + openBytes + expectedBytes <= limitBytes;
}

/** Undefined if nobody bounds the bytes of the query. */
export function debtOf({ account, jobId, startedAtMs, endsAtMs, expectedBytes = 0 }: LeasedQuery) {
  if (account === undefined || jobId === undefined) return undefined;
  return { account, day: dayOf(startedAtMs), jobId, bytes: expectedBytes, endsAtMs };
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
  /** For the store: which write of the lease this is. */
  version?: unknown;
}

/** The run failed, or its rows could not be stored, so that each instance must run. */
type LeaseOutcome = FieldsOf<typeof FAILURE> | 'unstored';

/** Another version of the service may know other reasons: such an outcome is ignored. */
export const FAILURE = {
  reason: (value: unknown): value is Reason => isText(value) && isReason(value),
  message: isText,
};

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
   * Does nothing if the lease was lost.
   */
  release(outcome?: LeaseOutcome, keepsQuery?: boolean): Promise<void>;
}

export interface LeaseStore extends DayBytesStore {
  /** Undefined if another instance holds the lease and `nowMs` is before its end. */
  acquire(
    name: string,
    owner: string,
    nowMs: number,
    untilMs: number,
    query?: LeasedQuery,
  ): Promise<Lease | undefined>;
  read(name: string): Promise<LeaseState | undefined>;
  /**
   * The queries whose time is not over, whether or not a holder waits for them, in the order of the last writes of their
   * leases, which is the same for whoever reads it.
   */
  queries(nowMs: number): Promise<NamedQuery[]>;
  /** Removes the query, so that nobody joins it. False if its lease was written since it was listed. */
  remove(query: NamedQuery): Promise<boolean>;
}

/** The query of an earlier holder is joined as long as its time is not over. */
export function leaseStart(
  own: LeasedQuery | undefined,
  earlier: LeasedQuery | undefined,
  nowMs: number,
): LeaseStart {
  if (own === undefined || earlier === undefined) return { query: own, isJoined: false };
  const isInTime = earlier.startedAtMs <= nowMs && nowMs < earlier.endsAtMs;
  // Nobody knows whether it was sent, and it would run with the rights and at the cost of its key.
  const isSameAccount = earlier.account === undefined && own.account === undefined;
  const isOfSameKey = earlier.keyName === own.keyName && isSameAccount;
  if (earlier.jobId === undefined && !isOfSameKey) return { query: own, isJoined: false };
  return isInTime
    ? { query: { ...earlier, wasLeft: true }, isJoined: true }
    : { query: own, isJoined: false, overdue: earlier };
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
  const renewal = terms.isRenewed === false ? undefined : renewUntilDone();
  const { query, isJoined, overdue } = lease;
  /** The writes of a lease happen one after the other: each needs the time of the previous one. */
  let written: Promise<unknown> = Promise.resolve();
  const held = {
    ...{ query, isJoined, overdue },
    isLost: () => isLost,
    leave: (outcome: LeaseOutcome) => void (left = outcome),
    record: (next: LeasedQuery) => write((untilMs) => lease.record(next, untilMs)),
  };
  try {
    const outcome = await work(held);
    await giveUp(left);
    return outcome;
  } catch (error) {
    if (terms.keepsFailed) await giveUp(undefined, true);
    else await giveUp(outcomeOf(error), goesOn(error));
    throw error;
  }

  async function renewUntilDone(): Promise<void> {
    for (;;) {
      await clock.wait(leaseMs / 3, done.signal);
      if (done.signal.aborted) return;
      await write((untilMs) => lease.renew(untilMs));
    }
  }

  /** Nothing once the lease is given up: another holder may have it by then. */
  async function write(call: (untilMs: number) => Promise<boolean>): Promise<void> {
    if (done.signal.aborted) return;
    const next = written.then(() => quietly(call(clock.nowMs() + leaseMs)));
    written = next;
    if ((await next) === false) isLost = true;
  }

  async function giveUp(outcome?: LeaseOutcome, keepsQuery?: boolean): Promise<void> {
    done.abort();
    await renewal;
    await written;
    await quietly(lease.release(outcome, keepsQuery));
  }

  /** A lease that cannot be renewed or released ends at its deadline. */
  function quietly<R>(call: Promise<R>): Promise<R | undefined> {
    return call.catch(() => undefined);
  }
}

/** Whether a query whose run rejected with this error may still run, or its rows be read: it is kept, joined and counted. */
export function goesOn(error: unknown): boolean {
  return error instanceof ServiceError && REASONS[error.reason].queryGoesOn === true;
}

/** Undefined if the error concerns only this instance, or the API key of its request: a waiting instance then takes over. */
function outcomeOf(error: unknown): LeaseOutcome | undefined {
  const { reason, message } = toServiceError(error);
  return REASONS[reason].isOfHolder ? undefined : { reason, message };
}
