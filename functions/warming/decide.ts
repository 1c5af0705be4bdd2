// Decides for the due entries of a run which are unchanged, and which rows of the others are kept.
import type {
  LiveEntry,
  PartitionHistory,
  SourceState,
  SourceStates,
} from '../core/result-store.ts';
import type { Endpoint } from '../endpoints/endpoint.ts';
import { type Known, keptUntil } from './incremental.ts';
import { type SourcePlaces, isUnchanged, sourceState } from '../cache/source-state.ts';
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
  stateOf: (endpoint: Endpoint) => SourceState | undefined;
  unchanged: DueEntry[];
  changed: DueEntry[];
  /** See `keptUntil`; -Infinity for an entry of which all rows are read. */
  keptUntilMs: (entry: LiveEntry) => number;
}

type DecideTerms = SourcePlaces &
  Pick<Run, 'startedMs' | 'demandedMs' | 'warmUnchanged' | 'warmFullSeconds'>;

export function decide(run: DecideTerms, due: readonly DueEntry[], asked: Asked): Decided {
  const { startedMs, demandedMs, warmUnchanged, warmFullSeconds } = run;
  const endpointOf = new Map(due.map(({ endpoint, entry }) => [entry, endpoint]));
  const stateOf = remembered((endpoint: Endpoint) => sourceState(endpoint, asked.states, run));
  const known: Known = { history: asked.history, stateOf, places: run };
  const { changed = [], unchanged = [] } = Object.groupBy(due, ({ endpoint, entry }) => {
    const isOld = startedMs - entry.computedAtMs >= warmFullSeconds * 1000;
    const isSame = isUnchanged(endpoint, entry, stateOf(endpoint));
    const isKept = isSame && !isDemanded(demandedMs, entry) && !isOld && !entry.isSuccessor;
    return warmUnchanged === 'on' && isKept ? 'unchanged' : 'changed';
  });
  // Who demands newer rows wants all of them.
  const keptUntilMs = remembered((entry: LiveEntry) => {
    const endpoint = endpointOf.get(entry);
    return endpoint && !isDemanded(demandedMs, entry)
      ? keptUntil(endpoint, entry, known)
      : -Infinity;
  });
  return { stateOf, unchanged, changed, keptUntilMs };
}

/** Computes each value once. */
function remembered<Key extends object, Value>(compute: (key: Key) => Value) {
  const values = new Map<Key, Value>();
  return (key: Key): Value => {
    if (!values.has(key)) values.set(key, compute(key));
    return values.get(key) as Value;
  };
}
