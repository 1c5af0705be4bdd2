// Declares the store of leases, which firestore/lease-store.ts implements, and runs work under a lease.
import { REASONS, type Reason, isReason, reasonOf, toServiceError } from './errors.ts';
import type { Clock } from './clock.ts';
import { type DayBytesStore, dayOf } from './day-bytes.ts';
import { type FieldsOf, hasForm, isCount, isText, isTexts, isYes, optional } from './json.ts';
import { isParameters } from './parameter-type.ts';
import { SCAN, QUERY_IDS } from './query-runner.ts';
import { SOURCE_STATE } from './result-store.ts';

export interface LeaseState {
  owner: string;
  /** 0 once it is released. */
  untilMs: number;
  /** The error that the owner left for waiting instances if it stored no rows. */
  outcome?: Failure | undefined;
  /** The query that runs, or has run, for the lease. The next holder joins it. */
  query?: LeasedQuery | undefined;
}

/** A query in BigQuery that outlives the holders of its lease. */
export const LEASED_QUERY = {
  ...QUERY_IDS,
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
  /** What a job of an incremental batch reads. */
  scan: optional(hasForm(SCAN)),
};
export type LeasedQuery = FieldsOf<typeof LEASED_QUERY>;

/** Undefined if nobody bounds the bytes of the query. */
export function debtOf({ account, jobId, startedAtMs, endsAtMs, expectedBytes = 0 }: LeasedQuery) {
  if (account === undefined || jobId === undefined) return undefined;
  return { account, day: dayOf(startedAtMs), jobId, bytes: expectedBytes, endsAtMs };
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

/** Another version of the service may know other reasons: such an outcome is ignored. */
export const FAILURE = {
  reason: (value: unknown): value is Reason => isText(value) && isReason(value),
  message: isText,
};
type Failure = FieldsOf<typeof FAILURE>;

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
  /**
   * Replaces its state; without an outcome and a query, a lease that is over is deleted. False, and nothing is written, if another
   * instance has taken the lease in the meantime.
   */
  write(state: Omit<LeaseState, 'owner'>): Promise<boolean>;
}

export interface LeaseStore extends DayBytesStore {
  /** Undefined if another instance holds the lease and `nowMs` is before its end. */
  acquire(name: string, state: LeaseState, nowMs: number): Promise<Lease | undefined>;
  read(name: string): Promise<LeaseState | undefined>;
  /**
   * The queries whose time is not over, whether or not a holder waits for them, in the order of the last writes of their
   * leases, which is the same for whoever reads it.
   */
  queries(nowMs: number): Promise<NamedQuery[]>;
  /** Removes the query, so that nobody joins it. False if its lease was written since it was listed. */
  remove(query: NamedQuery): Promise<boolean>;
}

/** The maximum of LEASE_SECONDS and some: a lease that ends later is invalid. */
const LEASE_MS_MAX = 330_000;

/** False for a lease that was released, whose outcome does not count then: errors are not cached. */
export function isHeld(state: Pick<LeaseState, 'untilMs'> | undefined, nowMs: number): boolean {
  return state !== undefined && state.untilMs > nowMs && state.untilMs <= nowMs + LEASE_MS_MAX;
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
  const hasNoAccount = earlier.account === undefined && own.account === undefined;
  const isOfSameKey = earlier.keyName === own.keyName && hasNoAccount;
  if (earlier.jobId === undefined && !isOfSameKey) return { query: own, isJoined: false };
  return isInTime
    ? { query: { ...earlier, wasLeft: true }, isJoined: true }
    : { query: own, isJoined: false, overdue: earlier };
}

interface LeaseTerms {
  clock: Clock;
  leaseSeconds: number;
  /** False if no other instance waits for it, so that no timer has to renew it; `record` does. */
  isRenewed?: boolean;
  /** True to leave a query that failed to the next holder, so that it can tell its caller why. */
  keepsFailed?: boolean;
}

export interface HeldLease extends LeaseStart {
  /** True once another instance holds the lease: the work's result is then outdated. */
  isLost(): boolean;
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
  let { query } = lease;
  let isLost = false;
  let written: Promise<void> = Promise.resolve();
  if (terms.isRenewed !== false) void renewUntilDone();
  try {
    const outcome = await work({
      ...lease,
      isLost: () => isLost,
      record(next) {
        query = next;
        return renew();
      },
    });
    await giveUp();
    return outcome;
  } catch (error) {
    const { reason, message } = toServiceError(error);
    // Not if it concerns only this instance, or the API key of its request: a waiting instance then takes over.
    const isUntold = terms.keepsFailed || REASONS[reason].isOfHolder;
    const outcome = isUntold ? undefined : { reason, message };
    await giveUp(outcome, terms.keepsFailed || goesOn(error));
    throw error;
  }

  async function renewUntilDone(): Promise<void> {
    while (!done.signal.aborted) {
      await clock.wait(leaseMs / 3, done.signal);
      await renew();
    }
  }

  /** Nothing once the lease is given up: another holder may have it by then. */
  async function renew(): Promise<void> {
    if (!done.signal.aborted) await write(() => ({ untilMs: clock.nowMs() + leaseMs, query }));
  }

  function giveUp(outcome?: Failure, keepsQuery?: boolean): Promise<void> {
    done.abort();
    return write(() => ({ untilMs: 0, outcome, query: keepsQuery ? query : undefined }));
  }

  /** One after the other: each write needs the time of the one before. A lease that cannot be written ends at its deadline. */
  function write(state: () => Parameters<Lease['write']>[0]): Promise<void> {
    written = written.then(async () => {
      const isOwn = await lease.write(state()).catch(() => undefined);
      if (isOwn === false) isLost = true;
    });
    return written;
  }
}

/** Whether a query whose run rejected with this error may still run, or its rows be read: it is kept, joined and counted. */
export function goesOn(error: unknown): boolean {
  return REASONS[reasonOf(error)].queryGoesOn === true;
}
