// What becomes of queries whose requests have ended: bounds those that go on, and settles the bytes of all.
import type { Debt } from '../core/day-bytes.ts';
import { eachLimit } from '../core/each-limit.ts';
import { usualError } from '../core/errors.ts';
import { type LeasedQuery, type NamedQuery, debtOf, goesOn } from '../core/leases.ts';
import type { Uses } from '../core/services.ts';

/** The most queries of one API key that go on without a request. */
const LEFT_PER_KEY_MAX = 5;
/** The most queries of a key that BigQuery is asked about while its request waits. */
const LOOKS_MAX = 40;
const LOOKS_AT_ONCE = 8;
/** A job that BigQuery does not know may be on its way to it for so long. */
const UNSENT_MS = 60_000;
/** How long a run of warming settles debts, before it begins to refresh. */
const SETTLE_MS_MAX = 20_000;

export function createLeftQueries(deps: Uses<'clock' | 'leaseStore' | 'queryRunner' | 'log'>) {
  const { clock, leaseStore, queryRunner, log } = deps;
  return { leave, checkLeft, settle, settleDebts };

  /**
   * After the lease was released with a query that goes on: it goes on if it is one of the first five of its key, in the order
   * in which they were left. Of many that are left together all read the same order. Returns the error for the caller.
   */
  async function leave(name: string, query: LeasedQuery, error: unknown): Promise<unknown> {
    if (query.jobId === undefined || !goesOn(error)) return error;
    const { endpointId, jobId } = query;
    const fields = { event: 'query_left', endpointId, jobId };
    log.write('INFO', 'A query goes on without its request.', fields);
    const running = await queriesOf(query.keyName);
    const place = running.findIndex((one) => one.name === name && one.query.jobId === jobId);
    const left = running[place];
    const before = running.filter(({ isHeld }, at) => at < place || isHeld);
    // It cannot be counted, but those that come later count it; or somebody has joined it already.
    if (left === undefined || left.isHeld || !(await isFull(before))) return error;
    if (!(await leaseStore.remove(left).catch(() => false))) return error;
    await queryRunner.cancel(query);
    await settle(debtOf(query));
    return usualError('JOBS_RUNNING');
  }

  /** Throws JOBS_RUNNING if one more query of the key may not go on without a request. */
  async function checkLeft(keyName: string): Promise<void> {
    if (await isFull(await queriesOf(keyName))) throw usualError('JOBS_RUNNING');
  }

  /** Those of a key that nobody waits for, or that somebody has joined after that. */
  async function queriesOf(keyName: string): Promise<NamedQuery[]> {
    const running = await leaseStore.queries(clock.nowMs()).catch(() => []);
    return running.filter(
      ({ query, isHeld }) =>
        (!isHeld || query.wasLeft) && query.keyName === keyName && query.jobId !== undefined,
    );
  }

  /** Whether there are as many as may be. What has ended in BigQuery does not count, though nobody has read its rows. */
  async function isFull(left: readonly NamedQuery[]): Promise<boolean> {
    if (left.length < LEFT_PER_KEY_MAX) return false;
    const isRunning = async ({ query }: NamedQuery): Promise<boolean> => {
      const job = await queryRunner.look(query.jobId ?? '').catch(() => ({ isDone: false }));
      return job ? !job.isDone : clock.nowMs() < query.startedAtMs + UNSENT_MS;
    };
    const running = await Promise.all(left.slice(-LOOKS_MAX).map(isRunning));
    const unknownCount = Math.max(0, left.length - LOOKS_MAX);
    return unknownCount + running.filter(Boolean).length >= LEFT_PER_KEY_MAX;
  }

  /**
   * Counts what BigQuery says that it has billed, else `estimated`, which leaves out its minimum for each further table; 0 for a job
   * that it does not know, if that has failed or its time is over. Never rejects: a run of warming settles the rest.
   */
  async function settle(debt: Debt | undefined, estimated?: number, hasFailed = false) {
    if (debt === undefined) return;
    const { jobId, endsAtMs } = debt;
    try {
      const job = await queryRunner.look(jobId).catch(() => 'unknown' as const);
      const isOver = clock.nowMs() >= endsAtMs + UNSENT_MS;
      const isDone = typeof job === 'object' && job.isDone;
      const ofNone = (isOver || hasFailed) && !job ? 0 : undefined;
      const billed = isDone ? job.bytesBilled : (estimated ?? ofNone);
      if (billed !== undefined) await leaseStore.settle(debt, billed);
      else if (isOver) await queryRunner.cancel({ requestId: jobId, jobId });
    } catch {
      // It stays open.
    }
  }

  /** Of queries that were cancelled, have failed, or whose rows nobody has read. Never rejects. */
  async function settleDebts(): Promise<void> {
    const debts = await leaseStore.debts().catch(() => []);
    // Those that are left, a later run settles.
    const untilMs = clock.nowMs() + SETTLE_MS_MAX;
    await eachLimit(debts, LOOKS_AT_ONCE, async (debt) => {
      if (clock.nowMs() < untilMs) await settle(debt);
    });
  }
}
