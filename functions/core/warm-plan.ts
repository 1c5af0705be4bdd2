// Decides what a warming run has to do: which live entries, in which jobs, in which order.
import type { Endpoint } from './endpoint.ts';
import type { LiveEntry } from './ports.ts';

/** Entries that one job refreshes: all of one endpoint, and alike in their scalar parameters. */
export interface WarmTask {
  endpoint: Endpoint;
  /** Oldest first; more than one only where the endpoint has a `warm.sql`. */
  entries: LiveEntry[];
}

export interface WarmPlan {
  /** The task with the oldest entry first. */
  tasks: WarmTask[];
  live: number;
  skipped: {
    /** Computed less than half an interval ago, by a miss or by a run that was cut off. */
    recent: number;
    /** Of a definition that is no longer served. */
    outdated: number;
    /** Beyond what one API key may keep warm: the least recently read ones. */
    overKeyCap: number;
  };
}

interface WarmLimits {
  entriesPerKeyMax: number;
}

export function planWarming(
  entries: readonly LiveEntry[],
  endpoints: readonly Endpoint[],
  nowMs: number,
  { entriesPerKeyMax }: WarmLimits,
): WarmPlan {
  const byId = new Map(endpoints.map((endpoint) => [endpoint.id, endpoint]));
  const skipped = { recent: 0, outdated: 0, overKeyCap: 0 };
  const countByKey = new Map<string, number>();
  const due: WarmTask[] = [];
  let live = 0;

  for (const entry of [...entries].sort((a, b) => b.lastReadAtMs - a.lastReadAtMs)) {
    const endpoint = byId.get(entry.endpointId);
    if (endpoint?.definitionDigest !== entry.definitionDigest) {
      skipped.outdated += 1;
      continue;
    }
    if (nowMs - entry.lastReadAtMs > endpoint.cachingSeconds * 1000) continue;
    live += 1;
    const count = (countByKey.get(entry.keyName) ?? 0) + 1;
    countByKey.set(entry.keyName, count);
    if (count > entriesPerKeyMax) skipped.overKeyCap += 1;
    else if (nowMs - entry.computedAtMs < (endpoint.cacheWarmingSeconds * 1000) / 2) {
      skipped.recent += 1;
    } else due.push({ endpoint, entries: [entry] });
  }
  due.sort((a, b) => oldestMs(a) - oldestMs(b));
  return { tasks: intoBatches(due), live, skipped };
}

/** Puts entries that differ in batched parameters only together, at most `maxKeys` to a job. */
function intoBatches(singles: readonly WarmTask[]): WarmTask[] {
  const tasks: WarmTask[] = [];
  const open = new Map<string, WarmTask>();
  for (const { endpoint, entries } of singles) {
    const { warming } = endpoint;
    const entry = entries[0] as LiveEntry;
    if (warming === undefined) {
      tasks.push({ endpoint, entries: [entry] });
      continue;
    }
    const scalars = Object.keys(endpoint.parameters)
      .filter((name) => !warming.batchOver.includes(name))
      .map((name) => entry.parameters[name] ?? '');
    const group = JSON.stringify([endpoint.id, scalars]);
    const task = open.get(group);
    if (task !== undefined && task.entries.length < warming.maxKeys) task.entries.push(entry);
    else {
      const started = { endpoint, entries: [entry] };
      open.set(group, started);
      tasks.push(started);
    }
  }
  return tasks;
}

function oldestMs(task: WarmTask): number {
  return task.entries[0]?.computedAtMs ?? 0;
}
