// Divides the entries of an incremental endpoint into jobs: those of which all rows are read, and those that keep rows.
import type { Scan } from '../core/query-runner.ts';
import { spanOf } from '../endpoints/bucket-span.ts';
import type { LiveEntry } from '../core/result-store.ts';
import type { Endpoint, IncrementalDefinition } from '../endpoints/endpoint.ts';
import { scanFor } from '../results/incremental.ts';
import type { BatchEntries } from '../results/compute-entry.ts';
import type { NamedQuery } from '../core/leases.ts';

/** Entries that one job refreshes: all of one endpoint, with the same unbatched parameters. */
export interface WarmTask {
  endpoint: Endpoint;
  /** Oldest first; more than one only where the endpoint has a `warm.sql`. */
  entries: BatchEntries;
  /** The query that computes them already, if there is one. */
  joined?: NamedQuery | undefined;
  /** False if the rows of stored results may be kept: see `splitScans`. */
  isFull?: boolean;
}

/**
 * Entries of one group. `keptUntilMs` is -Infinity for an entry that needs all rows; `readMs` is how long a time the
 * partitions span that a job reads. A scan costs the same for one entry and for a thousand, so a full job takes those along
 * whose last one is longest ago. At most one job in a run is full for their age alone, and it begins early enough for each to
 * have its turn.
 */
export function splitScans(
  endpoint: Endpoint,
  { maxKeys, fullEverySeconds }: IncrementalDefinition & { maxKeys: number },
  entries: readonly LiveEntry[],
  nowMs: number,
  keptUntilMs: (entry: LiveEntry) => number,
  readMs: (scan: Scan, stepMs: number) => number,
): WarmTask[] {
  const { kept = [], lost = [] } = Object.groupBy(entries, (entry) =>
    keptUntilMs(entry) === -Infinity ? 'lost' : 'kept',
  );
  const sinceOf = (those: readonly LiveEntry[]): number =>
    scanFor(endpoint, those, nowMs, keptUntilMs).sinceMs;
  const sinceMs = sinceOf(kept);
  const { near = [], far = [] } = Object.groupBy(lost, (entry) =>
    // The job of the others reads all of its rows anyway.
    sinceOf([entry]) >= sinceMs ? 'near' : 'far',
  );
  const byFull = kept.toSorted((a, b) => fullAtMs(a) - fullAtMs(b));
  const turnMs = Math.ceil(entries.length / maxKeys) * endpoint.cacheWarmingSeconds * 1000;
  const [oldest] = byFull;
  const isDue =
    oldest !== undefined && nowMs + turnMs >= fullAtMs(oldest) + fullEverySeconds * 1000;
  const jobCount = Math.max(isDue ? 1 : 0, Math.ceil(far.length / maxKeys));
  const full = [...far, ...byFull.splice(0, jobCount * maxKeys - far.length)];
  // Those that read the same go together.
  const rest = [...byFull, ...near]
    .map((entry) => ({ entry, sinceMs: sinceOf([entry]) }))
    .sort((a, b) => a.sinceMs - b.sinceMs)
    .map(({ entry }) => entry);
  return [
    ...chunks(full, maxKeys).map((one) => ({ endpoint, entries: one, isFull: true })),
    ...byCut(rest)
      .flatMap((some) => chunks(some, maxKeys))
      .map((one) => ({ endpoint, entries: one, isFull: false })),
  ];

  /** One list; or one for each window that cuts a bucket, if these jobs read less: a job reads but one cut bucket by itself. */
  function byCut(list: readonly LiveEntry[]): LiveEntry[][] {
    const scanOf = (some: readonly LiveEntry[]): Scan =>
      scanFor(endpoint, some, nowMs, keptUntilMs);
    const cuts = Map.groupBy(list, (entry) => scanOf([entry]).untilMs);
    const uncut = cuts.get(undefined) ?? [];
    cuts.delete(undefined);
    const [first = [], ...others] = [...cuts.values()].sort(
      (a, b) => scanOf(b).sinceMs - scanOf(a).sinceMs,
    );
    const lists = [[...uncut, ...first], ...others];
    const msOf = (some: readonly LiveEntry[]): number => {
      const steps = some.map(({ parameters }) => spanOf(endpoint, parameters)?.stepMs ?? 0);
      return readMs(scanOf(some), Math.max(...steps));
    };
    const sumMs = lists.reduce((ms, some) => ms + msOf(some), 0);
    return others.length > 0 && sumMs < msOf(list) ? lists : [[...list]];
  }
}

export function fullAtMs({ sources, computedAtMs }: LiveEntry): number {
  return sources?.fullAtMs ?? computedAtMs;
}

function chunks<T>(list: readonly T[], size: number): T[][] {
  const starts = [...Array(Math.ceil(list.length / size)).keys()];
  return starts.map((index) => list.slice(index * size, (index + 1) * size));
}

/** At most `maxKeys` per job. */
export function inChunks(endpoint: Endpoint, entries: readonly LiveEntry[]): WarmTask[] {
  const size = endpoint.warming?.maxKeys ?? 1;
  return chunks(entries, size).map((one) => ({ endpoint, entries: one }));
}
