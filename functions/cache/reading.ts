// What the steps of a request share: what is asked for, what has been found, and what is served.
import type { Clock } from '../core/clock.ts';
import type { ServiceError } from '../core/errors.ts';
import type { LeasedQuery } from '../core/leases.ts';
import type { Entry, SourceState } from '../core/result-store.ts';
import type { AuthenticatedKey } from '../keys/access.ts';
import type { EntryOrigin } from './compute-entry.ts';

export interface ReadRequest extends Pick<EntryOrigin, 'endpoint' | 'parameters'> {
  /** The `resultIdentity` of endpoint and parameters. */
  identity: string;
  /** Its name is recorded as a reader of the entry. */
  key: AuthenticatedKey;
  deadlineMs: number;
}

export interface Served {
  entry: Entry;
  /** Where the rows came from: this instance's memory, Firestore, or a run, because no rows were stored, or those had expired. */
  outcome: 'memory_hit' | 'hit' | 'miss' | 'expired';
  /** True if the query was run by another request at the same time. */
  isCollapsed?: true;
  /** False if the result could not be stored in Firestore; unless it is a hit, `detail` states why. */
  stored: boolean;
  detail?: 'store-failed' | 'store-unreadable' | 'lease-lost' | 'superseded';
  /** Duration of the steps, for the log; empty for a hit in memory. */
  stepsMs: StepsMs;
}

export type StepsMs = Partial<Record<'storeReadMs' | 'queryMs' | 'storeWriteMs', number>>;

/** The path of a request after a miss in memory: to Firestore, and to a run if there are no fresh rows. */
export interface Reading {
  /** The query that is run, joined, or awaited; `own` if this request has started it. */
  query?: LeasedQuery | undefined;
  own?: LeasedQuery | undefined;
  /** The cache key. */
  cacheKey: string;
  request: ReadRequest;
  /** The stored rows, once they are found to be no longer fresh. */
  expired?: Entry | undefined;
  /** The state of the tables, which is asked for while the lease is taken. */
  tableState?: Promise<SourceState | undefined>;
  /** Why the key may start no query, as far as its bytes are concerned. */
  refusal?: ServiceError | undefined;
  /** Filled step by step. */
  stepsMs: StepsMs;
}

/** Notes how long a step takes, also if it fails. */
export async function timed<T>(
  clock: Clock,
  stepsMs: StepsMs,
  step: keyof StepsMs,
  work: Promise<T>,
): Promise<T> {
  const startedMs = clock.nowMs();
  try {
    return await work;
  } finally {
    stepsMs[step] = clock.nowMs() - startedMs;
  }
}
