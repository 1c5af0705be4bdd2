// Decides for the due entries of a run which are unchanged, and which rows of the others are kept.
import type {
  LiveEntry,
  PartitionHistory,
  SourceState,
  SourceStates,
} from '../core/result-store.ts';
import { floorTo, spanOf } from '../endpoints/bucket-span.ts';
import type { Endpoint } from '../endpoints/endpoint.ts';
import { type SourcePlaces, isUnchanged, placesOf, sourceState } from '../cache/source-state.ts';
import { type DueEntry, isDemanded } from './list-due.ts';
import type { Run } from './terms.ts';

/** What BigQuery has said of the tables. */
export interface Asked {
  states: SourceStates | undefined;
  /** Absent without incremental endpoints. */
  history: PartitionHistory | undefined;
}

export interface Decided {
  /** The present state of the tables of an endpoint. */
  tableStateOf: (endpoint: Endpoint) => SourceState | undefined;
  unchanged: DueEntry[];
  changed: DueEntry[];
  /** The time before which the rows of a result are those that its query would give now; -Infinity if all rows are read. */
  keptUntilMsOf: (entry: LiveEntry) => number;
}

type DecideTerms = SourcePlaces &
  Pick<Run, 'startedMs' | 'demands' | 'warmUnchanged' | 'warmFullSeconds'>;

export function decide(run: DecideTerms, due: readonly DueEntry[], asked: Asked): Decided {
  const { startedMs, demands, warmUnchanged, warmFullSeconds } = run;
  const tableStateOf = remembered((endpoint: Endpoint) => sourceState(endpoint, asked.states, run));
  const { changed = [], unchanged = [] } = Object.groupBy(due, ({ endpoint, entry }) => {
    const isOld = startedMs - entry.computedAtMs >= warmFullSeconds * 1000;
    const isSame = isUnchanged(endpoint, entry, tableStateOf(endpoint));
    const isCurrent = isSame && !isDemanded(demands, entry) && !isOld && !entry.isUnstored;
    return warmUnchanged === 'on' && isCurrent ? 'unchanged' : 'changed';
  });
  const keptUntil = new Map(changed.map((one) => [one.entry, keptUntilMs(one)]));
  const keptUntilMsOf = (entry: LiveEntry): number => keptUntil.get(entry) ?? -Infinity;
  return { tableStateOf, unchanged, changed, keptUntilMsOf };

  function keptUntilMs({ endpoint, entry }: DueEntry): number {
    const { incremental: tables, warming } = endpoint;
    const span = spanOf(endpoint, entry.parameters);
    const [then, now] = [entry.sources, tableStateOf(endpoint)];
    if (!tables || !warming?.incremental || !span || !then || !now) return -Infinity;
    // Who demands newer rows wants all of them.
    if (entry.isUnstored || isDemanded(demands, entry)) return -Infinity;
    if (then.restDigest === undefined || then.restDigest !== now.restDigest) return -Infinity;
    const { table } = placesOf(tables.partitioned, run);
    const changedMs = oldestChange(asked.history, table, then.askedAtMs);
    // A row in the streaming buffer moves no partition's time before it leaves the buffer. `@now` may be behind BigQuery's clock.
    const settledMs =
      Math.min(then.askedAtMs, entry.computedAtMs) - warming.incremental.settleSeconds * 1000;
    return floorTo(Math.min(changedMs, settledMs), span.stepMs);
  }
}

/** The start of the oldest partition that has changed since a question; -Infinity if it is not known. */
function oldestChange(history: PartitionHistory | undefined, table: string, askedAtMs: number) {
  const ofTable = history?.byTable.get(table);
  const isKnown = ofTable !== undefined && ofTable.askedAtMs === history?.askedAtMs;
  if (!isKnown || askedAtMs < ofTable.sinceMs || askedAtMs > ofTable.askedAtMs) return -Infinity;
  const changed = [...ofTable.partitions].filter(([, { changedAtMs }]) => changedAtMs > askedAtMs);
  return Math.min(Infinity, ...changed.map(([id]) => partitionStart(id)));
}

/** `2026`, `202611`, `20261127` or `2026112709`. */
function partitionStart(id: string): number {
  const [year, month = '01', day = '01', hour = '00'] = id.match(/^\d{4}|\d\d/g) ?? [];
  return Date.parse(`${year}-${month}-${day}T${hour}:00:00Z`);
}

/** Computes each value once. */
function remembered<Key extends object, Value>(compute: (key: Key) => Value) {
  const values = new Map<Key, Value>();
  return (key: Key): Value => {
    if (!values.has(key)) values.set(key, compute(key));
    return values.get(key) as Value;
  };
}
