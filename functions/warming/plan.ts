// Plans the jobs of a run: which entries together, in which order, and how many at once.
import { allowedBytes, isScarce } from '../budgets/warm-bytes.ts';
import type { Scope } from '../cache/cache-key.ts';
import type { NamedQuery } from '../core/leases.ts';
import type { LiveEntry } from '../core/result-store.ts';
import type { Endpoint } from '../endpoints/endpoint.ts';
import { wanted } from './compute-batch.ts';
import { collect } from './collect.ts';
import type { Decided } from './decide.ts';
import { incrementalOf } from './incremental.ts';
import type { Plan } from './perform.ts';
import type { DueEntry } from './list-due.ts';
import type { Run } from './terms.ts';
import { type WarmTask, inChunks, splitScans } from './split-scans.ts';

type PlanTerms = Scope &
  Pick<Run, 'startedMs' | 'warmBytesPerDay' | 'warmConcurrency' | 'warmIncremental' | 'catalogue'>;

/** `running` are the queries that requests and earlier runs have left. `spentBytes`: what warming has read today. */
export function planJobs(
  run: PlanTerms,
  { changed, keptUntilMs }: Pick<Decided, 'changed' | 'keptUntilMs'>,
  running: readonly NamedQuery[],
  spentBytes: number,
): Pick<Plan, 'tasks' | 'atOnce' | 'limitBytes'> {
  const { startedMs, warmBytesPerDay, warmConcurrency } = run;
  const { tasks, rest } = collect(running, changed, run, keptUntilMs);
  const limitBytes = warmBytesPerDay ? allowedBytes(warmBytesPerDay, startedMs) : Infinity;
  const batches = intoBatches(rest, (endpoint, entries) => {
    const { maxKeys = 1, incremental } = endpoint.warming ?? {};
    if (!incremental || !incrementalOf(run, endpoint)) return inChunks(endpoint, entries);
    return splitScans(endpoint, entries, { ...incremental, maxKeys, startedMs }, keptUntilMs);
  });
  // Else the oldest go first, so that a run that has too little time leaves over others than the one before.
  const isShort = isScarce(limitBytes - spentBytes, warmBytesPerDay);
  if (isShort) batches.sort((a, b) => readersOf(b) - readersOf(a));
  return { tasks: [...tasks, ...batches], atOnce: isShort ? 1 : warmConcurrency, limitBytes };
}

/** Groups entries that differ only in batched parameters; `split` divides a group into jobs. */
function intoBatches(
  due: readonly DueEntry[],
  split: (endpoint: Endpoint, entries: readonly LiveEntry[]) => WarmTask[],
): WarmTask[] {
  const groups = Map.groupBy(due, ({ endpoint, entry }) => {
    const { warming } = endpoint;
    if (warming === undefined) return entry.cacheKey;
    const scalars = Object.keys(endpoint.parameters)
      .filter((name) => !warming.batchOver.includes(name))
      .map((name) => entry.parameters[name] ?? null);
    return JSON.stringify([endpoint.id, scalars]);
  });
  return [...groups.values()].flatMap((group) => {
    const entries = group.map(({ entry }) => entry);
    return group[0] === undefined ? [] : split(group[0].endpoint, entries);
  });
}

/** How many API keys have read results of the task recently, each counted once for each result. */
function readersOf({ entries }: WarmTask): number {
  return wanted(entries).reduce((count, { readers }) => count + readers.length, 0);
}
