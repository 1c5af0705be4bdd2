// Decides what a warming run has to do: which live entries, in which jobs, in which order.
import { type Scope, cacheKey } from '../results/cache-key.ts';
import type { Endpoint } from '../endpoints/endpoint.ts';
import type { LiveEntry } from '../core/result-store.ts';
import { recentReaders } from '../results/readers.ts';

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
    /** Of a definition, or of tables, that are no longer served. */
    outdated: number;
    /** Read by nobody who has not reached what one API key may keep warm. */
    overKeyCap: number;
  };
}

interface WarmLimits {
  /** Entries that are kept warm, over all keys. */
  entriesMax: number;
  entriesPerKeyMax: number;
}

/** Takes a listing, document by document, the most recently read first, and keeps what has to be done. */
export interface WarmPlanner {
  /** False where there is no room: the listing can end here, and nothing was taken. */
  add(entry: LiveEntry): boolean;
  /** The same for a document that cannot be read. */
  addUnreadable(): boolean;
  plan(): WarmPlan;
}

/** A listing may be this many times longer than what is kept warm: the rest is over the caps of keys. */
const SEEN_PER_ENTRY_MAX = 5;

/**
 * An entry is kept warm for one of its readers, the one with the most room under its cap: so a key
 * that reads more than it may keep warm takes nothing from others, whose results it reads as well.
 */
export function createWarmPlanner(
  endpoints: readonly Endpoint[],
  scope: Scope,
  nowMs: number,
  { entriesMax, entriesPerKeyMax }: WarmLimits,
): WarmPlanner {
  const byId = new Map(endpoints.map((endpoint) => [endpoint.id, endpoint]));
  const skipped = { recent: 0, outdated: 0, overKeyCap: 0 };
  const countByKey = new Map<string, number>();
  const due: WarmTask[] = [];
  let seen = 0;
  let live = 0;
  let kept = 0;

  return {
    add(entry) {
      if (!see()) return false;
      const endpoint = byId.get(entry.endpointId);
      if (endpoint === undefined || !isServed(entry, endpoint, scope)) {
        skipped.outdated += 1;
        return true;
      }
      if (nowMs - entry.lastReadAtMs > endpoint.cachingSeconds * 1000) return true;
      live += 1;
      if (!countForReader(entry, endpoint)) skipped.overKeyCap += 1;
      else if (nowMs - entry.computedAtMs < (endpoint.cacheWarmingSeconds * 1000) / 2) {
        skipped.recent += 1;
      } else due.push({ endpoint, entries: [entry] });
      return true;
    },
    addUnreadable: see,
    plan() {
      const oldestFirst = [...due].sort((a, b) => oldestMs(a) - oldestMs(b));
      return { tasks: intoBatches(oldestFirst), live, skipped };
    },
  };

  function see(): boolean {
    if (kept >= entriesMax || seen >= SEEN_PER_ENTRY_MAX * entriesMax) return false;
    seen += 1;
    return true;
  }

  function countForReader({ readers }: LiveEntry, endpoint: Endpoint): boolean {
    const recent = recentReaders(readers, endpoint, nowMs);
    // Whoever has read it lately was one too many to be recorded: those who were stand for him.
    const counts = (recent.length > 0 ? recent : readers).map(({ keyName }) => ({
      keyName,
      count: countByKey.get(keyName) ?? 0,
    }));
    const [first] = counts.sort((a, b) => a.count - b.count);
    if (first === undefined || first.count >= entriesPerKeyMax) return false;
    countByKey.set(first.keyName, first.count + 1);
    kept += 1;
    return true;
  }
}

/** Rows are written under the key that they were listed by: it has to be theirs. */
function isServed(entry: LiveEntry, endpoint: Endpoint, scope: Scope): boolean {
  return (
    endpoint.definitionDigest === entry.definitionDigest &&
    cacheKey(scope, endpoint, entry.parameters) === entry.cacheKey
  );
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
