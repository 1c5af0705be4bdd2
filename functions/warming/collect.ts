// Finds the queries that requests and earlier runs have left in BigQuery, so that a run collects their rows and starts none again.
import type { NamedQuery } from '../core/leases.ts';
import type { LiveEntry } from '../core/result-store.ts';
import { type Endpoint, isWarmed } from '../endpoints/endpoint.ts';
import { type Scope, cacheKey } from '../cache/cache-key.ts';
import { wanted } from './compute-batch.ts';
import { isCovered } from './incremental.ts';
import type { DueEntry } from './list-due.ts';
import type { WarmTask } from './split-scans.ts';
import type { Run } from './terms.ts';

/**
 * A task for each query, and the due entries that no query computes. Takes no query of a definition, or of tables, that is no
 * longer served.
 */
export function collect(
  running: readonly NamedQuery[],
  due: readonly DueEntry[],
  run: Scope & Pick<Run, 'catalogue'>,
  keptUntilMs: (entry: LiveEntry) => number,
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
        !entry || !scan || isCovered(endpoint, entry, { scan, startedAtMs }, keptUntilMs);
      return isWhole ? entry : undefined;
    };
    const entries = cacheKeys?.map(entryOf) ?? [
      entryOf(joined.name) ?? requestedEntry(joined, endpoint, run),
    ];
    if (entries.every((entry) => entry === undefined)) continue;
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
  // The query of a refresh: its entry is unchanged, or nobody reads it any more.
  if (keyName === '' || cacheKey(scope, endpoint, parameters) !== name) return undefined;
  return {
    ...{ cacheKey: name, endpointId, endpoint: endpoint.name, resultDigest, parameters },
    readers: isWarmed(endpoint) ? [{ keyName, readAtMs: startedAtMs }] : [],
    lastReadAtMs: isWarmed(endpoint) ? startedAtMs : 0,
    // Whatever is stored is older.
    computedAtMs: 0,
    freshUntilMs: 0,
    version: undefined,
    isSuccessor: true,
  };
}
