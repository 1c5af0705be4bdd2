// Plans the jobs of a run: the queries that run already are joined; for the rest, which entries together, in which order, how many at once.
import { allowedBytes, isScarce } from '../budgets/bytes-per-day.ts';
import { type Scope, cacheKey } from '../cache/cache-key.ts';
import { fullAtMs } from '../cache/freshness.ts';
import type { NamedQuery } from '../core/leases.ts';
import type { LiveEntry } from '../core/result-store.ts';
import { type Endpoint, RUN_SECONDS, isWarmed } from '../endpoints/endpoint.ts';
import { type BatchEntries, wanted } from './compute-batch.ts';
import type { Decided } from './decide.ts';
import { isCovered, scanFor } from './incremental.ts';
import type { DueEntry } from './list-due.ts';
import type { Run } from './terms.ts';

/** Entries that one job refreshes: all of one endpoint, with the same unbatched parameters. */
export interface WarmTask {
  endpoint: Endpoint;
  /** Oldest first; more than one only where the endpoint has `warming`. */
  entries: BatchEntries;
  /** The query that computes them already, if there is one. */
  joined?: NamedQuery | undefined;
  /** Whether rows of stored results are kept: see `splitScans`. */
  keepsRows?: boolean | undefined;
}

export interface Plan extends Pick<Decided, 'tableStateOf' | 'keptUntilMsOf'> {
  tasks: WarmTask[];
  atOnce: number;
  /** What warming may have read by now today. */
  limitBytes: number;
  /** Before BigQuery was asked about the tables: what it has found unchanged is as fresh as this. */
  beforeAskMs: number;
}

type PlanTerms = Scope &
  Pick<Run, 'startedMs' | 'warmBytesPerDay' | 'warmConcurrency' | 'catalogue'>;

/** `running` are the queries that requests and earlier runs have left. `spentBytes`: what warming has read today. */
export function planTasks(
  run: PlanTerms,
  { changed, keptUntilMsOf }: Pick<Decided, 'changed' | 'keptUntilMsOf'>,
  running: readonly NamedQuery[],
  spentBytes: number,
): Pick<Plan, 'tasks' | 'atOnce' | 'limitBytes'> {
  const { startedMs, warmBytesPerDay, warmConcurrency } = run;
  const { tasks, rest } = collect(running, changed, run, keptUntilMsOf);
  const limitBytes = warmBytesPerDay ? allowedBytes(warmBytesPerDay, startedMs) : Infinity;
  const batches = groupsOf(rest).flatMap(({ endpoint, entries }): WarmTask[] => {
    if (endpoint.warming?.incremental && endpoint.incremental) {
      return splitScans(endpoint, entries, startedMs, keptUntilMsOf);
    }
    return chunks(entries, endpoint).map((one) => ({ endpoint, entries: one }));
  });
  // Else the oldest go first, so that a run that has too little time leaves over others than the one before. Where bytes are short,
  // jobs run one after the other, so that what is read most has those that are left.
  const isShort = isScarce(limitBytes - spentBytes, warmBytesPerDay);
  if (isShort) batches.sort((a, b) => readersOf(b) - readersOf(a));
  return { tasks: [...tasks, ...batches], atOnce: isShort ? 1 : warmConcurrency, limitBytes };
}

/**
 * A task for each query that requests and earlier runs have left in BigQuery, and the due entries that no query computes. Takes no
 * query of a definition, or of tables, that is no longer served.
 */
function collect(
  running: readonly NamedQuery[],
  due: readonly DueEntry[],
  run: Scope & Pick<Run, 'catalogue'>,
  keptUntilMsOf: Decided['keptUntilMsOf'],
) {
  const byCacheKey = new Map(due.map((one) => [one.entry.cacheKey, one]));
  const tasks: WarmTask[] = [];
  for (const joined of running) {
    const { endpointId, resultDigest, cacheKeys, scan, startedAtMs } = joined.query;
    const isServed = (one: Endpoint) => one.id === endpointId && one.resultDigest === resultDigest;
    const endpoint = run.catalogue.endpoints.find(isServed);
    if (endpoint === undefined) continue;
    const entryOf = (key: string): LiveEntry | undefined => {
      const entry = byCacheKey.get(key)?.entry;
      // What a job of an earlier run has left out may have changed since.
      const isWhole =
        !entry || !scan || isCovered(endpoint, entry, { scan, startedAtMs }, keptUntilMsOf);
      return isWhole ? entry : undefined;
    };
    const entries = cacheKeys?.map(entryOf) ?? [
      entryOf(joined.name) ?? requestedEntry(joined, endpoint, run),
    ];
    if (wanted(entries).length === 0) continue;
    for (const entry of wanted(entries)) byCacheKey.delete(entry.cacheKey);
    tasks.push({ endpoint, entries, joined });
  }
  return { tasks, rest: [...byCacheKey.values()] };
}

/** The result of a request that was answered before its query had finished, so that nothing is stored yet. */
function requestedEntry(
  { name, query }: NamedQuery,
  endpoint: Endpoint,
  scope: Scope,
): LiveEntry | undefined {
  const { endpointId, resultDigest, parameters, keyName, startedAtMs } = query;
  // The query of warming: its entry is unchanged, or nobody reads it any more.
  if (keyName === '' || cacheKey(scope, endpoint, parameters) !== name) return undefined;
  return {
    ...{ cacheKey: name, endpointId, endpoint: endpoint.name, resultDigest, parameters },
    readers: isWarmed(endpoint) ? [{ keyName, readAtMs: startedAtMs }] : [],
    lastReadAtMs: isWarmed(endpoint) ? startedAtMs : 0,
    // Whatever is stored is older.
    computedAtMs: 0,
    freshUntilMs: 0,
    version: undefined,
    isUnstored: true,
  };
}

/** Entries that differ only in batched parameters. */
function groupsOf(due: readonly DueEntry[]) {
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
    return group[0] === undefined ? [] : [{ endpoint: group[0].endpoint, entries }];
  });
}

/**
 * Divides a group of an incremental endpoint into jobs that read all rows, and jobs that keep rows. `keptUntilMsOf` is -Infinity for
 * an entry that needs all rows. A scan costs the same for one entry and for a thousand, so a full job is filled up with the entries
 * that were read in full longest ago. As few jobs of a run as possible, usually at most one, are full for their age alone, and they begin early
 * enough for each to have its turn.
 */
function splitScans(
  endpoint: Endpoint,
  entries: readonly LiveEntry[],
  nowMs: number,
  keptUntilMsOf: Decided['keptUntilMsOf'],
): WarmTask[] {
  const { maxKeys = 1, incremental } = endpoint.warming ?? {};
  const fullEveryMs = (incremental?.fullEverySeconds ?? 0) * 1000;
  const { kept = [], whole = [] } = Object.groupBy(entries, (entry) =>
    keptUntilMsOf(entry) === -Infinity ? 'whole' : 'kept',
  );
  const sinceOf = (those: readonly LiveEntry[]): number =>
    scanFor(endpoint, those, nowMs, keptUntilMsOf).sinceMs;
  const sinceMs = sinceOf(kept);
  const { near = [], far = [] } = Object.groupBy(whole, (entry) =>
    // The job of the others reads all of its rows anyway.
    sinceOf([entry]) >= sinceMs ? 'near' : 'far',
  );
  const byFull = kept.toSorted((a, b) => fullAtMs(a) - fullAtMs(b));
  const everyMs = Math.max(RUN_SECONDS, endpoint.cacheWarmingSeconds) * 1000;
  const turnMs = Math.ceil(entries.length / maxKeys) * everyMs;
  const [oldest] = byFull;
  const isFullDue = oldest !== undefined && nowMs + turnMs >= fullAtMs(oldest) + fullEveryMs;
  const fullCount = isFullDue ? Math.ceil(turnMs / fullEveryMs) : 0;
  // Not only the room that the others leave, which may be none in each run.
  const jobCount = Math.ceil(far.length / maxKeys) + fullCount;
  const full = [...far, ...byFull.splice(0, jobCount * maxKeys - far.length)];
  // Those that read the same go together.
  const rest = [...byFull, ...near]
    .map((entry) => ({ entry, sinceMs: sinceOf([entry]) }))
    .sort((a, b) => a.sinceMs - b.sinceMs)
    .map(({ entry }) => entry);
  return [
    ...chunks(full, endpoint).map((one) => ({ endpoint, entries: one })),
    ...chunks(rest, endpoint).map((one) => ({ endpoint, entries: one, keepsRows: true })),
  ];
}

/** As many as one job of the endpoint takes. */
function chunks(entries: readonly LiveEntry[], { warming }: Endpoint): LiveEntry[][] {
  const size = warming?.maxKeys ?? 1;
  const starts = [...Array(Math.ceil(entries.length / size)).keys()];
  return starts.map((index) => entries.slice(index * size, (index + 1) * size));
}

/** How many API keys have read results of the task recently, each counted once for each result. */
function readersOf({ entries }: WarmTask): number {
  return wanted(entries).reduce((count, { readers }) => count + readers.length, 0);
}
