// Divides the entries of an incremental endpoint into jobs: those of which all rows are read, and those that keep rows.
import type { LiveEntry } from '../core/result-store.ts';
import { type Endpoint, type IncrementalDefinition, RUN_SECONDS } from '../endpoints/endpoint.ts';
import { fullAtMs } from '../cache/freshness.ts';
import { scanFor } from './incremental.ts';
import type { BatchEntries } from './compute-batch.ts';
import type { NamedQuery } from '../core/leases.ts';
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

type SplitTerms = Pick<IncrementalDefinition, 'fullEverySeconds'> &
  Pick<Run, 'startedMs'> & { maxKeys: number };

/**
 * Entries of one group. `keptUntilMs` is -Infinity for an entry that needs all rows. A scan costs the same for one entry and
 * for a thousand, so a full job takes those along whose last one is longest ago. As few jobs of a run as possible, usually at
 * most one, are full for their age alone, and they begin early enough for each to have its turn.
 */
export function splitScans(
  endpoint: Endpoint,
  entries: readonly LiveEntry[],
  { maxKeys, fullEverySeconds, startedMs: nowMs }: SplitTerms,
  keptUntilMs: (entry: LiveEntry) => number,
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
  const everyMs = Math.max(RUN_SECONDS, endpoint.cacheWarmingSeconds) * 1000;
  const turnMs = Math.ceil(entries.length / maxKeys) * everyMs;
  const [oldest] = byFull;
  const isDue =
    oldest !== undefined && nowMs + turnMs >= fullAtMs(oldest) + fullEverySeconds * 1000;
  const dueCount = isDue ? Math.ceil(turnMs / (fullEverySeconds * 1000)) : 0;
  // Not only the room that the others leave, which may be none in each run.
  const jobCount = Math.ceil(far.length / maxKeys) + dueCount;
  const full = [...far, ...byFull.splice(0, jobCount * maxKeys - far.length)];
  // Those that read the same go together.
  const rest = [...byFull, ...near]
    .map((entry) => ({ entry, sinceMs: sinceOf([entry]) }))
    .sort((a, b) => a.sinceMs - b.sinceMs)
    .map(({ entry }) => entry);
  return [
    ...chunks(full, maxKeys).map((one) => ({ endpoint, entries: one })),
    ...chunks(rest, maxKeys).map((one) => ({ endpoint, entries: one, keepsRows: true })),
  ];
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
