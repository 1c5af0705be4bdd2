// A run of warming, step by step: list, ask, decide, confirm, plan, perform, report.
import { eachLimit } from '../core/each-limit.ts';
import { usualError } from '../core/errors.ts';
import type { NamedQuery } from '../core/leases.ts';
import { isWarmed } from '../endpoints/endpoint.ts';
import { checkedAtMs } from '../cache/freshness.ts';
import { liveSeconds } from '../cache/readers.ts';
import { placesOf } from '../cache/source-state.ts';
import { type Asked, decide } from './decide.ts';
import { firstDay, recordStates } from './partition-history.ts';
import { BEGIN_MS_MIN, perform } from './perform.ts';
import { planTasks } from './plan.ts';
import { type DueEntry, createDueList } from './list-due.ts';
import { logUnstored } from './refresh-entries.ts';
import { type Part, type Run, type WarmReport, type WarmRunDeps, addUp, failure } from './terms.ts';

const CONFIRMED_AT_ONCE = 32;

/** Rejects only if the live entries cannot be listed. `spentBytes`: what warming has read today. */
export async function runWarming(
  deps: WarmRunDeps,
  demands: ReadonlyMap<string, number>,
  isOver: () => boolean,
  spentBytes = 0,
): Promise<WarmReport> {
  const startedMs = deps.clock.nowMs();
  const untilMs = startedMs + deps.warmBudgetSeconds * 1000;
  const { endpoints } = deps.catalogue;
  const served =
    deps.warmIncremental === 'on'
      ? endpoints
      : endpoints.map(({ incremental: _, ...endpoint }) => endpoint);
  const catalogue = { endpoints: served };
  const run: Run = { ...deps, catalogue, startedMs, untilMs, demands, isOver };
  const listed = await list(run);
  // Before the question, so that what it finds unchanged is as fresh as this.
  const beforeAskMs = deps.clock.nowMs();
  const asked = await askAboutDue(run, listed.due);
  const decided = decide(run, listed.due, asked);
  const confirmed = await confirm(run, decided.unchanged, beforeAskMs);
  const running = await listRunning(run);
  const plan = { ...decided, ...planTasks(run, decided, running, spentBytes), beforeAskMs };
  const performed = await perform(run, plan);
  const durationMs = deps.clock.nowMs() - startedMs;
  return addUp(listed.part, asked.part, ...confirmed, ...performed, { durationMs });
}

/** The due entries, page by page, until the list has no room. */
async function list(run: Run): Promise<{ due: DueEntry[]; part: Part }> {
  const { startedMs } = run;
  const { endpoints } = run.catalogue;
  const longestLiveMs = Math.max(0, ...endpoints.filter(isWarmed).map(liveSeconds)) * 1000;
  const dueList = createDueList(run);
  let unreadable = 0;
  const hasRoom = await readPages().catch((cause: unknown) => {
    throw usualError('RESULT_STORE_UNAVAILABLE', cause);
  });
  const { due, live, skipped } = dueList.dueEntries();
  const [oldest] = due;
  const oldestMs = oldest === undefined ? startedMs : checkedAtMs(oldest.entry);
  const part = {
    ...{ live, unreadable, listingCut: !hasRoom, overKeyCap: skipped.overKeyCap },
    skipped: skipped.recent + skipped.outdated + skipped.overKeyCap,
    maxAgeSeconds: Math.floor((startedMs - oldestMs) / 1000),
  };
  return { due, part };

  async function readPages(): Promise<boolean> {
    for await (const page of run.resultStore.listLive(startedMs - longestLiveMs)) {
      for (const cacheKey of page.unreadable) {
        if (!dueList.addUnreadable()) return false;
        unreadable += 1;
        const fields = { event: 'entry_unreadable', cacheKey };
        run.log.write('WARNING', 'A stored result cannot be read.', fields);
      }
      for (const entry of page.entries) if (!dueList.add(entry)) return false;
    }
    return true;
  }
}

/** The jobs that may still run, or whose rows were not stored; none if Firestore does not answer. */
async function listRunning({ leaseStore, clock, log }: Run): Promise<NamedQuery[]> {
  try {
    const running = await leaseStore.queries(clock.nowMs());
    // Without a job, BigQuery might run the query again.
    return running.filter(({ query }) => query.jobId !== undefined);
  } catch (error) {
    log.write('WARNING', 'Running queries cannot be listed.', { event: 'lease_failed', error });
    return [];
  }
}

/** Asks only about tables whose state decides whether, or how much of, a due entry is computed. */
async function askAboutDue(run: Run, due: readonly DueEntry[]): Promise<Asked & { part: Part }> {
  const { endpoints } = run.catalogue;
  const sources = [...new Set(due.map(({ endpoint }) => endpoint))].flatMap((endpoint) => {
    const { incremental } = endpoint;
    return [
      ...(run.warmUnchanged === 'on' ? (endpoint.dependsOn?.sources ?? []) : []),
      ...(incremental ? [incremental.partitioned, ...incremental.others] : []),
    ];
  });
  const places = sources.map((source) => placesOf(source, run));
  const tables = [...new Set(places.map(({ table }) => table))];
  const views = [...new Set(places.flatMap(({ view }) => view ?? []))];
  if (tables.length === 0) return { states: undefined, history: undefined, part: {} };
  const incremental = endpoints.filter((endpoint) => endpoint.incremental);
  const fromDay = firstDay(incremental, run.startedMs);
  const columns = endpoints.flatMap(({ incremental: of }): [string, string][] =>
    of ? [[placesOf(of.partitioned, run).table, of.column]] : [],
  );
  const answer = await run.ask({ tables, views, untilMs: run.untilMs, fromDay, columns });
  const history = answer.states && (await recordStates(run, answer.states, fromDay));
  const part = { questionJobs: answer.jobs, questionBytes: answer.bytes };
  return { states: answer.states, history, part };
}

/** Marks the rows of entries as unchanged. */
async function confirm(
  run: Run,
  unchanged: readonly DueEntry[],
  beforeAskMs: number,
): Promise<Part[]> {
  const parts: Part[] = [];
  await eachLimit(unchanged, CONFIRMED_AT_ONCE, async ({ endpoint, entry }) => {
    if (run.untilMs - run.clock.nowMs() < BEGIN_MS_MIN || run.isOver()) {
      parts.push({ leftOver: 1 });
      return;
    }
    const freshUntilMs = beforeAskMs + endpoint.cachingSeconds * 1000;
    try {
      const outcome = await run.resultStore.confirm(entry, beforeAskMs, freshUntilMs);
      parts.push(outcome === 'written' ? { unchanged: 1 } : { skipped: 1 });
    } catch (error) {
      logUnstored(run, entry, error);
      parts.push({ failed: [failure(entry, 'STORE_FAILED')] });
    }
  });
  return parts;
}
