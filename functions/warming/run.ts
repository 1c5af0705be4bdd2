// Executes a warming run: plan, refresh within the budget, halve failed batches, report.
import type { Catalogue } from '../endpoints/catalogue.ts';
import { type Endpoint, type SourceName, isWarmed } from '../endpoints/endpoint.ts';
import { ServiceError } from '../core/errors.ts';
import type { Backends } from '../core/services.ts';
import type { LiveEntry, PartitionHistory } from '../core/result-store.ts';
import { NULL_IN_REQUIRED, QueryDataError } from '../core/query-runner.ts';
import { collect } from './collect.ts';
import { allowedBytes, isScarce } from './day-bound.ts';
import { firstDay, recordStates } from './partition-history.ts';
import { type DueEntry, createWarmPlanner, intoBatches } from './plan.ts';
import { type WarmTask, inChunks, splitScans } from './split-scans.ts';
import type { Answer, Ask } from './question.ts';
import fields from './report.json' with { type: 'json' };
import { eachLimit } from '../core/each-limit.ts';
import { errorCode } from '../core/describe-error.ts';
import { wanted } from '../results/compute-entry.ts';
import { type Known, keptUntil } from '../results/incremental.ts';
import { checkedAtMs, fullAtMs } from '../results/freshness.ts';
import { liveSeconds } from '../results/readers.ts';
import type { Refresher } from '../results/refresh-entries.ts';
import { isUnchanged, placesOf, sourceState } from '../results/source-state.ts';

/** The meanings of the fields are in report.json; `npm run docs` writes them to docs/reference/caching.md. */
export type WarmReport = ReturnType<typeof emptyReport>;

type Failed = { endpoint: string; parameters: LiveEntry['parameters']; reason: string };

function emptyReport() {
  const zeros = Object.fromEntries(Object.keys(fields).map((name) => [name, 0]));
  const counts = zeros as Record<keyof typeof fields, number>;
  return { ...counts, listingCut: false, failed: [] as Failed[] };
}

export interface WarmRunDeps extends Backends {
  refresher: Refresher;
  ask: Ask;
  catalogue: Pick<Catalogue, 'endpoints'>;
}

/** Entries that a failed job has not changed. */
interface Undone extends Omit<WarmTask, 'joined'> {
  entries: LiveEntry[];
  error: unknown;
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
const BEGIN_MS_MIN = 2000;
const CONFIRMED_AT_ONCE = 32;
/** The most additional jobs for one failed batch; one bad entry among 1,000 needs 20. */
const FALLBACK_JOBS_MAX = 100;

/**
 * Rejects only if the live entries cannot be listed. `demandedMs`: see `RefreshStore`. No further job is started once `isOver` returns true:
 * another run has taken over, or the instance is being stopped. `spentBytes`: what warming has read today.
 */
export async function runWarming(
  deps: WarmRunDeps,
  demandedMs: ReadonlyMap<string, number>,
  isOver: () => boolean,
  spentBytes = 0,
): Promise<WarmReport> {
  const { refresher, clock, log } = deps;
  const { endpoints } = deps.catalogue;
  const startedMs = clock.nowMs();
  const untilMs = startedMs + deps.warmBudgetSeconds * 1000;
  const longestLiveMs = Math.max(0, ...endpoints.filter(isWarmed).map(liveSeconds)) * 1000;

  const byId = new Map(endpoints.map((endpoint) => [endpoint.id, endpoint]));
  const planner = createWarmPlanner(endpoints, deps, startedMs, demandedMs);
  const report = emptyReport();
  report.listingCut = !(await list());
  const { due, live, skipped } = planner.plan();
  const [oldest] = due;
  const oldestMs = oldest === undefined ? startedMs : checkedAtMs(oldest.entry);
  Object.assign(report, {
    live,
    skipped: skipped.recent + skipped.outdated + skipped.overKeyCap,
    overKeyCap: skipped.overKeyCap,
    maxAgeSeconds: Math.floor((startedMs - oldestMs) / 1000),
  } satisfies Partial<WarmReport>);
  // Before the question, so that what it finds unchanged is as fresh as this.
  const askedAtMs = clock.nowMs();
  let history: PartitionHistory | undefined;
  const states = await ask(due);
  const stateOf = remembered((endpoint: Endpoint) => sourceState(endpoint, states, deps));
  const changed = await confirmUnchanged(due);
  const known: Known = { history, stateOf, places: deps };
  /** See `keptUntil`. Who demands newer rows wants all of them. */
  const keptUntilMs = remembered((entry: LiveEntry) => {
    const endpoint = byId.get(entry.endpointId);
    return endpoint && !isDemanded(entry) ? keptUntil(endpoint, entry, known) : -Infinity;
  });
  const running = await refresher.listRunning();
  const { tasks, rest } = collect(running, changed, endpoints, deps, keptUntilMs);
  /** Those that have gone on without a place, to be awaited once all others are done. */
  const slow: WarmTask[] = [];
  let isLastWait = false;
  const { warmBytesPerDay } = deps;
  const limitBytes = warmBytesPerDay ? allowedBytes(warmBytesPerDay, startedMs) : Infinity;
  /** Those that did not fit beside the ones under way. */
  const crowded: WarmTask[] = [];
  const batches = intoBatches(rest, split);
  // Else the oldest go first, so that a run that has too little time leaves over others than the one before.
  const isShort = isScarce(limitBytes - spentBytes, warmBytesPerDay);
  if (isShort) batches.sort((a, b) => readersOf(b) - readersOf(a));
  await perform([...tasks, ...batches], isShort ? 1 : deps.warmConcurrency);
  // One after the other, as each ends.
  await perform(crowded.splice(0), 1);
  report.overBytes += crowded.reduce((count, { entries }) => count + wanted(entries).length, 0);
  isLastWait = true;
  await perform(slow.splice(0));
  report.running = slow.reduce((count, { entries }) => count + wanted(entries).length, 0);
  report.durationMs = clock.nowMs() - startedMs;
  return report;

  function split(endpoint: Endpoint, entries: readonly LiveEntry[]): WarmTask[] {
    const { maxKeys = 1, incremental } = endpoint.warming ?? {};
    if (!incremental || !isIncremental(endpoint)) return inChunks(endpoint, entries);
    const terms = { ...incremental, maxKeys };
    return splitScans(endpoint, terms, entries, startedMs, keptUntilMs);
  }

  function isDemanded(entry: LiveEntry): boolean {
    return fullAtMs(entry) < (demandedMs.get(entry.endpointId) ?? -Infinity);
  }

  function isIncremental({ incremental }: Endpoint): boolean {
    return deps.warmIncremental === 'on' && incremental !== undefined;
  }

  async function perform(list: readonly WarmTask[], atOnce = deps.warmConcurrency) {
    await eachLimit(list, atOnce, async (task) => {
      const undone = await attempt(task);
      if (undone !== undefined) await splitOrFail(undone, { jobsLeft: FALLBACK_JOBS_MAX });
    });
  }

  /** How long a job has a place. */
  function waitMs(entryCount: number): number {
    if (isLastWait || slow.length >= deps.warmConcurrency) return Infinity;
    return entryCount > 1 ? BATCH_WAIT_MS : deps.queryTimeoutSeconds * 1000;
  }

  /** Asks only about tables whose state decides whether, or how much of, a due entry is computed. */
  async function ask(due: readonly DueEntry[]): Promise<Answer['states']> {
    const { warmUnchanged } = deps;
    const sources = [...new Set(due.map(({ endpoint }) => endpoint))].flatMap((endpoint) => [
      ...(warmUnchanged === 'on' ? (endpoint.dependsOn?.sources ?? []) : []),
      ...(isIncremental(endpoint) ? sourcesOf(endpoint.incremental) : []),
    ]);
    const places = sources.map((source) => placesOf(source, deps));
    const tables = [...new Set(places.map(({ table }) => table))];
    const views = [...new Set(places.flatMap(({ view }) => view ?? []))];
    if (tables.length === 0) return undefined;
    const fromDay = firstDay(endpoints.filter(isIncremental), startedMs);
    const columns = endpoints.flatMap(({ incremental: of }): [string, string][] =>
      of ? [[placesOf(of.partitioned, deps).table, of.column]] : [],
    );
    const answer = await deps.ask(tables, untilMs, views, fromDay, columns);
    Object.assign(report, { questionJobs: answer.jobs, questionBytes: answer.bytes });
    if (answer.states !== undefined) history = await recordStates(deps, answer.states, fromDay);
    return answer.states;
  }

  /** Returns the entries that have to be computed. */
  async function confirmUnchanged(due: readonly DueEntry[]): Promise<DueEntry[]> {
    const { changed = [], unchanged = [] } = Object.groupBy(due, ({ endpoint, entry }) => {
      const isOld = startedMs - entry.computedAtMs >= deps.warmFullSeconds * 1000;
      const isSame = isUnchanged(endpoint, entry, stateOf(endpoint));
      const isOn = deps.warmUnchanged === 'on';
      return isOn && isSame && !isDemanded(entry) && !isOld && !entry.isSuccessor
        ? 'unchanged'
        : 'changed';
    });
    await eachLimit(unchanged, CONFIRMED_AT_ONCE, async ({ endpoint, entry }) => {
      if (untilMs - clock.nowMs() < BEGIN_MS_MIN || isOver()) {
        report.leftOver += 1;
        return;
      }
      const outcome = await refresher.confirm(endpoint, entry, askedAtMs);
      if (outcome === 'written') report.unchanged += 1;
      else if (outcome === 'failed') fail(entry, 'STORE_FAILED');
      else report.skipped += 1;
    });
    return changed;
  }

  /** Page by page, until the planner has no room: then false. */
  async function list(): Promise<boolean> {
    for await (const page of refresher.listLive(startedMs - longestLiveMs)) {
      for (const cacheKey of page.unreadable) {
        if (!planner.addUnreadable()) return false;
        report.unreadable += 1;
        const fields = { event: 'entry_unreadable', cacheKey };
        log.write('WARNING', 'A stored result cannot be read.', fields);
      }
      for (const entry of page.entries) if (!planner.add(entry)) return false;
    }
    return true;
  }

  /** Runs a task as one job; returns the entries that it did not refresh, with the reason. */
  async function attempt(task: WarmTask): Promise<Undone | undefined> {
    const { endpoint, joined } = task;
    const nowMs = clock.nowMs();
    if (untilMs - nowMs < BEGIN_MS_MIN || isOver()) {
      if (joined === undefined) report.leftOver += task.entries.length;
      else slow.push(task);
      return undefined;
    }
    const deadlineMs = Math.min(untilMs, nowMs + waitMs(task.entries.length));
    const outcome = await refresher.refresh({
      ...task,
      kept: task.keepsRows ? { untilMs: keptUntilMs, atMs: askedAtMs } : undefined,
      asked: stateOf(endpoint),
      cause: wanted(task.entries).some(isDemanded) ? 'refresh' : 'warm',
      notBeforeMs: demandedMs.get(endpoint.id),
      deadlineMs,
      writeUntilMs: untilMs,
      limitBytes,
    });
    const { ends, bytesProcessed, error } = outcome;
    const {
      refreshed = [],
      superseded = [],
      failed = [],
      unjoined = [],
    } = Object.groupBy(ends.keys(), (entry) => ends.get(entry) ?? 'failed');
    if (outcome.isOverBytes) {
      crowded.push(task);
      return undefined;
    }
    if (joined === undefined) report.jobs += 1;
    report.refreshed += refreshed.length;
    report.incremental += outcome.incremental;
    report.skipped += superseded.length;
    report.bytesProcessed += bytesProcessed;
    report.countedBytes += outcome.countedBytes;
    if (outcome.isScan) report.incrementalBytes += bytesProcessed;
    for (const entry of failed) fail(entry, 'STORE_FAILED');
    if (outcome.running !== undefined) slow.push({ ...task, joined: outcome.running });
    if (unjoined.length > 0) await perform([{ endpoint, entries: unjoined }]);
    if (error === undefined || outcome.running !== undefined) return undefined;

    const entries = wanted(task.entries).filter((entry) => !ends.has(entry));
    log.write('WARNING', 'A warming job failed.', {
      event: 'warm_job_failed',
      endpoint: endpoint.name,
      entries: entries.length,
      reason: reasonOf(error),
      error,
    });
    // Ended by the end of the run or of the instance, not by an error of its own.
    const isAtEnd = deadlineMs === untilMs && OF_TIME.has(reasonOf(error));
    if (isAtEnd || OF_THE_RUN.has(reasonOf(error))) {
      report.leftOver += entries.length;
      return undefined;
    }
    // The next who asks is told.
    if (entries.length === 0 || (joined?.query.keyName ?? '') !== '') return undefined;
    return { endpoint, entries, keepsRows: task.keepsRows, error };
  }

  /**
   * Halves a batch until the failing entries are found, so that one bad pattern affects only its own entry.
   * Stops if both halves fail for the same reason and that reason is not one that an entry can cause.
   */
  async function splitOrFail(undone: Undone, batch: { jobsLeft: number }): Promise<void> {
    const { endpoint, entries, keepsRows } = undone;
    if (entries.length === 1 || batch.jobsLeft < 2) return failAll(undone);
    batch.jobsLeft -= 2;
    const middle = Math.ceil(entries.length / 2);
    const halves = [entries.slice(0, middle), entries.slice(middle)];
    const left: Undone[] = [];
    for (const half of halves) {
      const rest = await attempt({ endpoint, entries: half, keepsRows });
      if (rest !== undefined) left.push(rest);
    }
    const [first, second] = left.map((rest) => rest.error);
    const isOfEveryJob =
      left.length === 2 && reasonOf(first) === reasonOf(second) && !isOfEntries(first, second);
    for (const rest of left) {
      if (isOfEveryJob) failAll(rest);
      else await splitOrFail(rest, batch);
    }
  }

  function failAll({ entries, error }: Undone): void {
    for (const entry of entries) fail(entry, reasonOf(error));
  }

  function fail({ endpoint, parameters }: LiveEntry, reason: string): void {
    report.failed.push({ endpoint, parameters, reason });
  }
}

/** Computes each value once. */
function remembered<Key extends object, Value>(compute: (key: Key) => Value) {
  const values = new Map<Key, Value>();
  return (key: Key): Value => {
    if (!values.has(key)) values.set(key, compute(key));
    return values.get(key) as Value;
  };
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

/** How many API keys have read results of the task recently, each counted once for each result. */
function readersOf({ entries }: WarmTask): number {
  return wanted(entries).reduce((count, { readers }) => count + readers.length, 0);
}

function sourcesOf(sources: Endpoint['incremental']): SourceName[] {
  return sources === undefined ? [] : [sources.partitioned, ...sources.others];
}

function reasonOf(error: unknown): string {
  return error instanceof ServiceError ? error.reason : 'INTERNAL';
}
