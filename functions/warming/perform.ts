// Performs the jobs of a run: a few at once, slow ones to the end of the run, and failed batches in halves.
import { errorCode, reasonOf } from '../core/errors.ts';
import { eachLimit } from '../core/each-limit.ts';
import { NULL_IN_REQUIRED, QueryDataError } from '../core/query-runner.ts';
import type { LiveEntry } from '../core/result-store.ts';
import { wanted } from './compute-batch.ts';
import type { Plan, WarmTask } from './plan.ts';
import { refreshEntries } from './refresh-entries.ts';
import { type Part, type Run, failure } from './terms.ts';

/** Entries that a failed job has not changed. */
interface Undone extends Omit<WarmTask, 'joined'> {
  entries: LiveEntry[];
  error: unknown;
}

/** What this step has done, and what is left of it. */
interface Progress {
  run: Run;
  plan: Plan;
  parts: Part[];
  /** Their queries go on without a place: to be awaited once all others are done. */
  slow: WarmTask[];
  /** Their bytes do not fit beside those under way. */
  crowded: WarmTask[];
  isLastWait: boolean;
}

/** Errors that one entry, or the size of a batch, may cause: a half of the batch may succeed. */
const OF_ENTRIES = new Set(['INVALID_PARAMETERS', 'QUERY_DEADLINE_EXCEEDED', 'RESULT_BYTES_LIMIT']);
/** No rows by the deadline, for want of time or of memory. */
const OF_TIME = new Set(['INSTANCE_BUSY', 'QUERY_DEADLINE_EXCEEDED']);
/** Errors that the next run need not have. */
const OF_THE_RUN = new Set(['INSTANCE_STOPPING', 'RESULT_STORE_UNAVAILABLE']);
/** A job that takes longer goes on, and leaves its place to others. */
const BATCH_WAIT_MS = 90_000;
/** With less time left than this, no job is started: it would be cancelled before it is done. */
export const BEGIN_MS_MIN = 2000;
/** The most additional jobs for one failed batch; one bad entry among 1,000 needs 20. */
const FALLBACK_JOBS_MAX = 100;

export async function perform(run: Run, plan: Plan): Promise<Part[]> {
  const progress: Progress = { run, plan, parts: [], slow: [], crowded: [], isLastWait: false };
  const { parts, slow, crowded } = progress;
  await performAll(progress, plan.tasks, plan.atOnce);
  // One after the other, as each ends.
  await performAll(progress, crowded.splice(0), 1);
  progress.isLastWait = true;
  await performAll(progress, slow.splice(0), run.warmConcurrency);
  return [...parts, { overBytes: count(crowded), running: count(slow) }];
}

async function performAll(
  progress: Progress,
  tasks: readonly WarmTask[],
  atOnce: number,
): Promise<void> {
  await eachLimit(tasks, atOnce, async (task) => {
    const undone = await once(progress, task);
    if (undone !== undefined) await splitOrFail(progress, undone, { jobsLeft: FALLBACK_JOBS_MAX });
  });
}

/** Runs a task as one job. */
async function once(progress: Progress, task: WarmTask): Promise<Undone | undefined> {
  const { run, plan, parts, slow, crowded, isLastWait } = progress;
  const { endpoint, entries, joined, keepsRows } = task;
  const { untilMs, warmConcurrency } = run;
  const nowMs = run.clock.nowMs();
  if (untilMs - nowMs < BEGIN_MS_MIN || run.isOver()) {
    if (joined === undefined) parts.push({ leftOver: entries.length });
    else slow.push(task);
    return undefined;
  }
  const usualMs = entries.length > 1 ? BATCH_WAIT_MS : run.queryTimeoutSeconds * 1000;
  const keepsPlace = isLastWait || slow.length >= warmConcurrency;
  const deadlineMs = keepsPlace ? untilMs : Math.min(untilMs, nowMs + usualMs);
  const outcome = await refreshEntries(run, plan, task, deadlineMs);
  const { part, done, unkept, error, running } = outcome;
  const reason = reasonOf(error);
  if (reason === 'BYTES_PER_DAY') {
    crowded.push(task);
    return undefined;
  }
  parts.push(part);
  // A query that runs is joined later, and then finds them again.
  if (unkept.length > 0 && running === undefined)
    await performAll(progress, [{ endpoint, entries: unkept }], 1);
  if (running !== undefined) slow.push({ ...task, joined: running });
  if (error === undefined || running !== undefined) return undefined;

  const rest = wanted(entries).filter((entry) => !done.has(entry) && !unkept.includes(entry));
  const fields = { endpoint: endpoint.name, entries: rest.length, reason, error };
  run.log.write('WARNING', 'A warming job failed.', { event: 'warm_job_failed', ...fields });
  // Ended by the end of the run or of the instance, not by an error of its own.
  if ((deadlineMs === untilMs && OF_TIME.has(reason)) || OF_THE_RUN.has(reason)) {
    parts.push({ leftOver: rest.length });
    return undefined;
  }
  // Of a query of a request, the next who asks is told.
  const isOfRequest = (joined?.query.keyName ?? '') !== '';
  return rest.length === 0 || isOfRequest
    ? undefined
    : { endpoint, entries: rest, keepsRows, error };
}

/**
 * Halves a batch until the failing entries are found, so that one bad pattern affects only its own entry.
 * Stops if both halves fail for the same reason and that reason is not one that an entry can cause.
 */
async function splitOrFail(
  progress: Progress,
  undone: Undone,
  batch: { jobsLeft: number },
): Promise<void> {
  const { endpoint, entries, keepsRows } = undone;
  if (entries.length === 1 || batch.jobsLeft < 2) return fail(progress, undone);
  batch.jobsLeft -= 2;
  const middle = Math.ceil(entries.length / 2);
  const left: Undone[] = [];
  for (const half of [entries.slice(0, middle), entries.slice(middle)]) {
    const rest = await once(progress, { endpoint, entries: half, keepsRows });
    if (rest !== undefined) left.push(rest);
  }
  const [first, second] = left.map((rest) => rest.error);
  const isOfEveryJob =
    left.length === 2 && reasonOf(first) === reasonOf(second) && !isOfEntries(first, second);
  for (const rest of left) {
    if (isOfEveryJob) fail(progress, rest);
    else await splitOrFail(progress, rest, batch);
  }
}

function fail({ parts }: Progress, { entries, error }: Undone): void {
  parts.push({ failed: entries.map((entry) => failure(entry, reasonOf(error))) });
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
