// Lists the entries that are due in a run of warming, within the limits of keys.
import { isAbsent, textsOf } from '../core/parameter-type.ts';
import type { CanonicalParameters } from '../endpoints/parameters.ts';
import { type Definition, type Scope, cacheKey } from '../cache/cache-key.ts';
import { type Endpoint, isWarmed } from '../endpoints/endpoint.ts';
import type { LiveEntry } from '../core/result-store.ts';
import { checkedAtMs, fullAtMs } from '../cache/freshness.ts';
import { liveSeconds, recentReaders } from '../cache/readers.ts';
import type { Run } from './terms.ts';

export interface DueEntry {
  endpoint: Endpoint;
  entry: LiveEntry;
}

/** `warmMaxEntries` is over all keys. */
type DueTerms = Scope &
  Pick<Run, 'catalogue' | 'startedMs' | 'demands' | 'warmMaxEntries' | 'warmMaxEntriesPerKey'>;

/** A listing may be this many times longer than the entries kept warm: the rest is over the limits of keys. */
const SEEN_PER_ENTRY_MAX = 5;

/**
 * Takes a listing document by document, the most recently read first, and collects the entries to refresh.
 * An entry is kept warm for one of its readers: the key that is furthest below its limit. So a key that
 * reads more than its limit takes nothing from other keys, even if it reads their results.
 */
export function createDueList(run: DueTerms) {
  const { startedMs: nowMs, demands, warmMaxEntries, warmMaxEntriesPerKey } = run;
  const warmed = run.catalogue.endpoints.filter(isWarmed);
  const byId = new Map(warmed.map((endpoint) => [endpoint.id, endpoint]));
  const skipped = {
    /** Computed or checked less than half an interval ago, by a miss or by a run that was cut off. */
    recent: 0,
    /** Of a query, or of tables, that are no longer served, unless a successor is taken instead. */
    outdated: 0,
    /** Their readers have all reached the limit of one API key. */
    overKeyCap: 0,
  };
  const countByKey = new Map<string, number>();
  const due: DueEntry[] = [];
  /** Results that callers read under another definition, by their present cache keys. */
  const successors = new Map<string, DueEntry>();
  const stored = new Set<string>();
  let seen = 0;
  let live = 0;
  let counted = 0;

  return {
    /** False if there is no room: the document was not taken, and the listing can end. */
    add(entry: LiveEntry): boolean {
      if (!see()) return false;
      const endpoint = byId.get(entry.endpointId);
      if (endpoint !== undefined && isOf(endpoint, entry, run)) {
        stored.add(entry.cacheKey);
        take({ endpoint, entry });
        return true;
      }
      skipped.outdated += 1;
      if (endpoint === undefined) return true;
      const successor = successorOf(entry, endpoint, run);
      if (successor !== undefined && !successors.has(successor.cacheKey)) {
        successors.set(successor.cacheKey, { endpoint, entry: successor });
      }
      return true;
    },
    /** The same for a document that cannot be read. */
    addUnreadable: see,
    /** The due entries: those that have not been checked for longest first. */
    dueEntries() {
      for (const [cacheKey, successor] of successors) {
        if (stored.has(cacheKey) || counted >= warmMaxEntries) continue;
        skipped.outdated -= 1;
        take(successor);
      }
      due.sort((a, b) => checkedAtMs(a.entry) - checkedAtMs(b.entry));
      return { due, live, skipped };
    },
  };

  function see(): boolean {
    if (counted >= warmMaxEntries || seen >= SEEN_PER_ENTRY_MAX * warmMaxEntries) return false;
    seen += 1;
    return true;
  }

  function take({ endpoint, entry }: DueEntry): void {
    if (nowMs - entry.lastReadAtMs > liveSeconds(endpoint) * 1000) return;
    live += 1;
    const isRecent =
      nowMs - checkedAtMs(entry) < (endpoint.cacheWarmingSeconds * 1000) / 2 &&
      !isDemanded(demands, entry);
    if (!countForReader(entry, endpoint)) skipped.overKeyCap += 1;
    else if (isRecent && !entry.isUnstored) skipped.recent += 1;
    else due.push({ endpoint, entry });
  }

  function countForReader({ readers }: LiveEntry, endpoint: Endpoint): boolean {
    const recent = recentReaders(readers, endpoint, nowMs);
    // Documents of earlier versions do not record a ninth reader: the others count instead.
    const counts = (recent.length > 0 ? recent : readers).map(({ keyName }) => ({
      keyName,
      count: countByKey.get(keyName) ?? 0,
    }));
    const [first] = counts.sort((a, b) => a.count - b.count);
    if (first === undefined || first.count >= warmMaxEntriesPerKey) return false;
    countByKey.set(first.keyName, first.count + 1);
    counted += 1;
    return true;
  }
}

/** Whether newer rows were demanded than those of the entry; see `RefreshStore`. */
export function isDemanded(demands: ReadonlyMap<string, number>, entry: LiveEntry): boolean {
  return fullAtMs(entry) < (demands.get(entry.endpointId) ?? -Infinity);
}

/** Rows are written under the key of the listing, so that key must be the entry's own. */
function isOf(endpoint: Definition, entry: LiveEntry, scope: Scope): boolean {
  return cacheKey(scope, endpoint, entry.parameters) === entry.cacheKey;
}

/** The same entry as the endpoint reads it now; undefined if it is of other tables, or if its parameters are refused now. */
function successorOf(entry: LiveEntry, endpoint: Endpoint, scope: Scope) {
  const names = Object.keys(entry.parameters).map((name) => [name, {}]);
  // The query before read the tables behind these views too, or else its results are not found.
  const before = {
    ...endpoint,
    id: entry.endpointId,
    resultDigest: entry.resultDigest,
    parameters: Object.fromEntries(names) as Endpoint['parameters'],
  };
  const parameters = readAgain(entry.parameters, endpoint);
  if (parameters === undefined || !isOf(before, entry, scope)) return undefined;
  const key = cacheKey(scope, endpoint, parameters);
  const isUnstored = true as const;
  return { ...entry, cacheKey: key, parameters, version: undefined, isUnstored };
}

/** The values as the rules of the endpoint read them; undefined if it refuses one, or has no such parameter. */
function readAgain(values: CanonicalParameters, { rules }: Endpoint) {
  const isGone = (name: string): boolean => !rules.has(name) && !isAbsent(values[name] ?? null);
  if (Object.keys(values).some(isGone)) return undefined;
  const read: Record<string, CanonicalParameters[string]> = {};
  for (const [name, rule] of rules) {
    const value = values[name] ?? null;
    const { value: present, fault } = rule.read(isAbsent(value) ? undefined : [...textsOf(value)]);
    if (fault !== undefined || rule.check(present) !== undefined) return undefined;
    read[name] = present;
  }
  return read;
}
