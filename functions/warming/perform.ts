// Performs the jobs of a run: a few at once, slow ones to the end of the run, and failed batches in halves.
import { errorCode } from '../core/errors.ts';
import { eachLimit } from '../core/each-limit.ts';
import { NULL_IN_REQUIRED, QueryDataError } from '../core/query-runner.ts';
import type { LiveEntry } from '../core/result-store.ts';
import { wanted } from './compute-batch.ts';
import type { Decided } from './decide.ts';
import { isDemanded } from './list-due.ts';
import { type Part, failure, reasonOf } from './report.ts';
import type { Run } from './terms.ts';
import type { WarmTask } from './split-scans.ts';

export interface Plan extends Pick<Decided, 'stateOf' | 'keptUntilMs'> {
  tasks: WarmTask[];
  atOnce: number;
  /** What warming may have read by now today. */
  limitBytes: number;
  /** When BigQuery was asked about the tables: what it has found unchanged is as fresh as this. */
  askedAtMs: number;
}

/** Entries that a failed job has not changed. */
interface Undone extends Omit<WarmTask, 'joined'> {
  entries: LiveEntry[];
  error: unknown;
}

interface Attempt {
  part?: Part;
  /** The task, if its query goes on without a place. */
  slow?: WarmTask | undefined;
  /** The task, if its bytes do not fit beside those under way. */
  crowded?: WarmTask;
  /** Entries of which all rows have to be read. */
  unkept?: LiveEntry[];
  undone?: Undone;
}

/** Errors that one entry, or the size of a batch, may cause: a half of the batch may succeed. */
const OF_ENTRIES = new Set(['INVALID_PARAMETERS', 'QUERY_DEADLINE_EXCEEDED', 'RESULT_BYTES_LIMIT']);
/** No rows by the deadline, for want of time or of memory. */
const OF_TIME = new Set(['INSTANCE_BUSY', 'QUERY_DEADLINE_EXCEEDED']);
/** Errors that the next run need not have. A query that runs is not started again. */
const OF_THE_RUN = new Set(['INSTANCE_STOPPING', 'RESULT_STORE_UNAVAILABLE']);
/** A job that takes longer goes on, and leaves its place to others. */
const BATCH_WAIT_MS = 90_000;
/** With less time left than this, no job is started: it would be cancelled before it is done. */
export const BEGIN_MS_MIN = 2000;
/** The most additional jobs for one failed batch; one bad entry among 1,000 needs 20. */
const FALLBACK_JOBS_MAX = 100;

export async function perform(run: Run, plan: Plan): Promise<Part[]> {
  const parts: Part[] = [];
  /** To be awaited once all others are done. */
  const slow: WarmTask[] = [];
  const crowded: WarmTask[] = [];
  let isLastWait = false;
  await all(plan.tasks, plan.atOnce);
  // One after the other, as each ends.
  await all(crowded.splice(0), 1);
  isLastWait = true;
  await all(slow.splice(0), run.warmConcurrency);
  return [...parts, { overBytes: count(crowded), running: count(slow) }];

  async function all(tasks: readonly WarmTask[], atOnce: number): Promise<void> {
    await eachLimit(tasks, atOnce, async (task) => {
      const undone = await once(task);
      if (undone !== undefined) await splitOrFail(undone, { jobsLeft: FALLBACK_JOBS_MAX });
    });
  }

  async function once(task: WarmTask): Promise<Undone | undefined> {
    const { endpoint, entries } = task;
    const usualMs = entries.length > 1 ? BATCH_WAIT_MS : run.queryTimeoutSeconds * 1000;
    const keepsPlace = isLastWait || slow.length >= run.warmConcurrency;
    const ended = await attempt(run, plan, task, keepsPlace ? Infinity : usualMs);
    if (ended.part) parts.push(ended.part);
    if (ended.slow) slow.push(ended.slow);
    if (ended.crowded) crowded.push(ended.crowded);
    if (ended.unkept?.length) {
      await all([{ endpoint, entries: ended.unkept }], run.warmConcurrency);
    }
    return ended.undone;
  }

  /**
   * Halves a batch until the failing entries are found, so that one bad pattern affects only its own entry.
   * Stops if both halves fail for the same reason and that reason is not one that an entry can cause.
   */
  async function splitOrFail(undone: Undone, batch: { jobsLeft: number }): Promise<void> {
    const { endpoint, entries, keepsRows } = undone;
    if (entries.length === 1 || batch.jobsLeft < 2) return fail(undone);
    batch.jobsLeft -= 2;
    const middle = Math.ceil(entries.length / 2);
    const left: Undone[] = [];
    for (const half of [entries.slice(0, middle), entries.slice(middle)]) {
      const rest = await once({ endpoint, entries: half, keepsRows });
      if (rest !== undefined) left.push(rest);
    }
    const [first, second] = left.map((rest) => rest.error);
    const isOfEveryJob =
      left.length === 2 && reasonOf(first) === reasonOf(second) && !isOfEntries(first, second);
    for (const rest of left) {
      if (isOfEveryJob) fail(rest);
      else await splitOrFail(rest, batch);
    }
  }

  function fail({ entries, error }: Undone): void {
    parts.push({ failed: entries.map((entry) => failure(entry, reasonOf(error))) });
  }
}

/** Runs a task as one job, for which it waits so long. */
async function attempt(run: Run, plan: Plan, task: WarmTask, waitMs: number): Promise<Attempt> {
  const { endpoint, joined, keepsRows } = task;
  const { untilMs } = run;
  const nowMs = run.clock.nowMs();
  if (untilMs - nowMs < BEGIN_MS_MIN || run.isOver()) {
    return joined === undefined ? { part: { leftOver: task.entries.length } } : { slow: task };
  }
  const deadlineMs = Math.min(untilMs, nowMs + waitMs);
  const outcome = await run.refresher.refresh({
    ...task,
    kept: keepsRows ? { untilMs: plan.keptUntilMs, atMs: plan.askedAtMs } : undefined,
    asked: plan.stateOf(endpoint),
    cause: wanted(task.entries).some((entry) => isDemanded(run.demandedMs, entry))
      ? 'refresh'
      : 'warm',
    notBeforeMs: run.demandedMs.get(endpoint.id),
    deadlineMs,
    writeUntilMs: untilMs,
    limitBytes: plan.limitBytes,
  });
  if (outcome.isOverBytes) return { crowded: task };
  const { ends, bytesProcessed, countedBytes, error, running } = outcome;
  const {
    refreshed = [],
    superseded = [],
    failed = [],
    unkept = [],
  } = Object.groupBy(ends.keys(), (entry) => ends.get(entry) ?? 'failed');
  const part = {
    ...{ bytesProcessed, countedBytes, incremental: outcome.incremental },
    jobs: joined === undefined ? 1 : 0,
    refreshed: refreshed.length,
    skipped: superseded.length,
    incrementalBytes: outcome.isScan ? bytesProcessed : 0,
    failed: failed.map((entry) => failure(entry, 'STORE_FAILED')),
  };
  const ended = { part, unkept, slow: running && { ...task, joined: running } };
  if (error === undefined || running !== undefined) return ended;

  const entries = wanted(task.entries).filter((entry) => !ends.has(entry));
  const reason = reasonOf(error);
  const fields = { endpoint: endpoint.name, entries: entries.length, reason, error };
  run.log.write('WARNING', 'A warming job failed.', { event: 'warm_job_failed', ...fields });
  // Ended by the end of the run or of the instance, not by an error of its own.
  const isAtEnd = deadlineMs === untilMs && OF_TIME.has(reason);
  if (isAtEnd || OF_THE_RUN.has(reason)) {
    return { ...ended, part: { ...part, leftOver: entries.length } };
  }
  // The next who asks is told.
  if (entries.length === 0 || (joined?.query.keyName ?? '') !== '') return ended;
  return { ...ended, undone: { endpoint, entries, keepsRows, error } };
}

function count(tasks: readonly WarmTask[]): number {
  return tasks.reduce((sum, { entries }) => sum + wanted(entries).length, 0);
}

/** Whether an entry, or the size of a batch, may have caused one of the failures. */
function isOfEntries(...errors: unknown[]): boolean {
  return errors.some(
    (error) =>
      error instanceof QueryDataError ||
      OF_ENTRIES.has(reasonOf(error)) ||
      errorCode(error) === NULL_IN_REQUIRED,
  );
}
