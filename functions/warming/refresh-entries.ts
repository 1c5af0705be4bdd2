// Refreshes the entries of one job under a lease: computes their rows, or joins the query that does, and replaces what is stored.
import { randomUUID } from 'node:crypto';
import { WARM_ACCOUNT } from '../core/day-bytes.ts';
import { ServiceError, UNFINISHED, reasonOf, usualError } from '../core/errors.ts';
import { type HeldLease, type LeasedQuery, type NamedQuery, holdLease } from '../core/leases.ts';
import type { Entry, LiveEntry } from '../core/result-store.ts';
import type { QueryTerms } from '../cache/compute-entry.ts';
import { computeEntries, wanted } from './compute-batch.ts';
import { scanFor } from './incremental.ts';
import { isDemanded } from './list-due.ts';
import type { Plan, WarmTask } from './plan.ts';
import { type Run, type WarmReport, addUp, failure } from './terms.ts';

/** What has come of a job so far. */
interface Outcome {
  part: WarmReport;
  /** Those that the report counts. Others were not refreshed, and `error` is the reason. */
  done: Set<LiveEntry>;
  /** All rows have to be read, because those of the stored result cannot be kept. */
  unkept: LiveEntry[];
  /** The query, if it had not finished at the deadline. */
  running?: NamedQuery;
  error?: unknown;
}

interface Attempt {
  run: Run;
  plan: Plan;
  task: WarmTask;
  /** A query that has not finished goes on, and the next run joins it. */
  deadlineMs: number;
  outcome: Outcome;
}

/** Recomputes the entries of a task in one job and replaces their rows. Never rejects. */
export async function refreshEntries(
  run: Run,
  plan: Plan,
  task: WarmTask,
  deadlineMs: number,
): Promise<Outcome> {
  const outcome: Outcome = { part: addUp(), done: new Set(), unkept: [] };
  try {
    const isHere = await withLease({ run, plan, task, deadlineMs, outcome });
    if (!isHere) for (const live of wanted(task.entries)) end(outcome, live, 'skipped');
  } catch (error) {
    outcome.error = error;
  }
  return outcome;
}

/** Without Firestore nothing is started: it may run already. False if another instance runs the query. */
async function withLease(attempt: Attempt): Promise<boolean> {
  const { run, task, outcome } = attempt;
  const { leaseStore, runningQueries } = run;
  const [first] = wanted(task.entries);
  if (first === undefined) return true;
  const account = run.warmBytesPerDay > 0 ? WARM_ACCOUNT : undefined;
  const { endpoint } = task;
  // A deadline that is over: the query is a job from its start, with its id.
  const work = { endpoint, parameters: first.parameters, key: undefined, deadlineMs: 0 };
  const toStart = queryOf(attempt, runningQueries.begin(work, account));
  const isBatch = toStart.cacheKeys !== undefined;
  const name = task.joined?.name ?? (isBatch ? `warm.${toStart.requestId}` : first.cacheKey);
  const nowMs = run.clock.nowMs();
  // Nobody waits for a batch, and the next run, for which this one has ended, joins its query at once.
  const untilMs = isBatch ? nowMs : nowMs + run.leaseSeconds * 1000;
  const lease = await leaseStore
    .acquire(name, { owner: randomUUID(), untilMs, query: toStart }, nowMs)
    .catch((cause: unknown) => Promise.reject(usualError('RESULT_STORE_UNAVAILABLE', cause)));
  if (lease?.query === undefined) return false;
  // Whoever has asked for it comes back, and is told.
  const keepsFailed = lease.isJoined && lease.query.keyName !== '';
  return holdLease(lease, { ...run, isRenewed: !isBatch, keepsFailed }, async (held) => {
    // A request, or another run, has finished it meanwhile.
    if (task.joined !== undefined && !held.isJoined) return false;
    // Newer rows were demanded than a query that was started before gives.
    const demandedMs = run.demands.get(endpoint.id);
    const { query, isJoined } = await runningQueries.choose(held, () => toStart, demandedMs);
    outcome.part.jobs = isJoined ? 0 : 1;
    try {
      await runQuery(attempt, query, held);
    } catch (error) {
      const isUnfinished = UNFINISHED.has(reasonOf(error)) && query.jobId !== undefined;
      if (isUnfinished) outcome.running = { name, query, isHeld: false };
      throw error;
    }
    return true;
  });
}

/** The query that a job of these entries runs, if none runs already; with cache keys for a batch. */
function queryOf({ plan, task }: Attempt, begun: LeasedQuery): LeasedQuery {
  const { endpoint, entries, joined, keepsRows } = task;
  // A result that keeps rows is only as fresh as the time at which they were found unchanged.
  const startedAtMs = Math.min(begun.startedAtMs, keepsRows ? plan.beforeAskMs : Infinity);
  const isScan = keepsRows && joined === undefined;
  const scan = isScan
    ? scanFor(endpoint, wanted(entries), startedAtMs, plan.keptUntilMsOf)
    : undefined;
  const isBatch = entries.length > 1 || scan !== undefined || joined?.query.scan !== undefined;
  const cacheKeys = entries.map((entry) => entry?.cacheKey ?? '');
  const sources = plan.tableStateOf(endpoint);
  return { ...begun, startedAtMs, sources, ...(isBatch && { cacheKeys, scan }) };
}

function runQuery(attempt: Attempt, query: LeasedQuery, held: HeldLease): Promise<void> {
  const { run, plan, task, deadlineMs, outcome } = attempt;
  const { sources, scan } = query;
  const isDemandedNow = wanted(task.entries).some((entry) => isDemanded(run.demands, entry));
  const compute = (terms: Partial<QueryTerms>): Promise<void> =>
    computeEntries({
      ...run,
      ...task,
      ...terms,
      ...{ deadlineMs, scan, tableState: sources },
      cause: isDemandedNow ? 'refresh' : 'warm',
      onBilled(bytes) {
        terms.onBilled?.(bytes);
        if (query.account === WARM_ACCOUNT) outcome.part.countedBytes += bytes;
      },
      onBytes(bytes) {
        outcome.part.bytesProcessed = bytes;
        if (scan !== undefined) outcome.part.incrementalBytes = bytes;
      },
      stored: (live) => stored(attempt, live),
      onUnkept(live) {
        if (!outcome.done.has(live)) outcome.unkept.push(live);
      },
      onEntry: (live, entry) => replace(attempt, live, entry),
    });
  return run.runningQueries.run(query, held, compute, {
    limitBytes: plan.limitBytes,
    check(reserved) {
      if (reserved === undefined) throw usualError('RESULT_STORE_UNAVAILABLE');
      const message = 'What warming may read is used up, or under way.';
      if (!reserved.isAdmitted) throw new ServiceError('BYTES_PER_DAY', message);
    },
  });
}

/** The rows of the entry as they were listed; undefined for others. */
async function stored({ run, outcome }: Attempt, live: LiveEntry): Promise<Entry | undefined> {
  try {
    const entry = await run.resultStore.get(live.cacheKey);
    if (entry === undefined || entry.computedAtMs <= live.computedAtMs) return entry;
    end(outcome, live, 'skipped');
  } catch (error) {
    const fields = { event: 'store_read_failed', endpoint: live.endpoint, error };
    run.log.write('WARNING', 'A stored result cannot be read.', fields);
    end(outcome, live, 'failed');
  }
  return undefined;
}

/** Adds to the outcome; never rejects. */
async function replace({ run, outcome }: Attempt, live: LiveEntry, entry: Entry): Promise<void> {
  if (run.clock.nowMs() >= run.untilMs) {
    outcome.error ??= usualError('QUERY_DEADLINE_EXCEEDED');
    return;
  }
  try {
    // The rows alone: last read and readers stay as they are stored, so that warming does not keep results alive.
    let written = await run.resultStore.refresh(live, entry);
    if (written === 'gone' && live.isUnstored) {
      const { lastReadAtMs } = live;
      written = await run.resultStore.set(live.cacheKey, { ...entry, lastReadAtMs });
    }
    end(outcome, live, written === 'written' ? 'refreshed' : 'skipped');
    if (written === 'written' && entry.sources?.fullAtMs !== undefined)
      outcome.part.incremental += 1;
  } catch (error) {
    logUnstored(run, live, error);
    end(outcome, live, 'failed');
  }
}

/** `skipped`: another instance has stored newer rows, or the entry was deleted. `failed`: the store has failed. */
function end({ part, done }: Outcome, live: LiveEntry, how: 'refreshed' | 'skipped' | 'failed') {
  done.add(live);
  if (how === 'failed') part.failed.push(failure(live, 'STORE_FAILED'));
  else part[how] += 1;
}

export function logUnstored({ log }: Pick<Run, 'log'>, { endpoint }: LiveEntry, error: unknown) {
  const fields = { event: 'store_write_failed', endpoint, error };
  log.write('WARNING', 'The result cannot be stored.', fields);
}
