// Runs the query of a miss, or joins one that runs: what its key may spend, the lease's query, the rows, and their store.
import type { Reserved } from '../core/day-bytes.ts';
import { usualError } from '../core/errors.ts';
import type { HeldLease } from '../core/leases.ts';
import type { Backends } from '../core/services.ts';
import type { KeyBytes } from '../budgets/bytes-per-day.ts';
import type { KeyLimits } from '../keys/limits.ts';
import { type QueryTerms, computeEntry } from './compute-entry.ts';
import type { KeptRows } from './keep-rows.ts';
import { withReader } from './readers.ts';
import { type Reading, type Served, timed } from './reading.ts';
import type { RunningQueries } from './running-query.ts';

export interface ReadDeps extends Backends {
  keyLimits: Pick<KeyLimits, 'takeMiss' | 'hasMiss'>;
}

/** What the steps of a miss use. */
export interface ReadParts extends ReadDeps {
  keptRows: KeptRows;
  runningQueries: RunningQueries;
  keyBytes: KeyBytes;
}

/** `held` is undefined without a lease: it cannot be read, or this request may start no query. */
export async function runMiss(
  parts: ReadParts,
  reading: Reading,
  held?: HeldLease,
): Promise<Served> {
  const { clock, keyBytes, keyLimits, runningQueries, refreshStore, keptRows } = parts;
  const { request, expired, stepsMs } = reading;
  const { endpoint, key, deadlineMs } = request;
  // If the demands cannot be read, `store` asks for them again.
  const demandedMs = held?.isJoined
    ? await refreshStore.demandedMs(endpoint.id).catch(() => undefined)
    : undefined;
  const chosen =
    held && (await runningQueries.choose(held, () => runningQueries.begin(request), demandedMs));
  const query = chosen?.query;
  reading.query = query;
  // A query without a job may not have been started.
  const isNew = !chosen?.isJoined || query?.jobId === undefined;
  if (isNew) {
    if (reading.refusal !== undefined) throw reading.refusal;
    // Before: who has no misses left takes no lease.
    keyLimits.takeMiss(key);
    // Without a lease Firestore does not know the query, so its bytes could not be counted later.
    const isUncounted = query === undefined && key.bytesPerDay !== undefined;
    if (isUncounted) throw usualError('RESULT_STORE_UNAVAILABLE');
    // A query that would be cancelled at the deadline, because the key has too many already, is not started.
    const willBeLeft = runningQueries.outlasts(endpoint, deadlineMs - clock.nowMs());
    if (willBeLeft) await runningQueries.checkLeft(key.name);
  }
  const tableState = chosen?.isJoined ? chosen.query.sources : await reading.tableState;
  if (query !== undefined && isNew) {
    query.sources = tableState;
    reading.own = query;
  }
  const readers = withReader(expired?.readers ?? [], key.name, endpoint, clock.nowMs());
  const compute = (terms?: Partial<QueryTerms>) =>
    computeEntry(parts, { ...request, cause: 'miss', readers, tableState, ...terms });
  const bound = {
    limitBytes: key.bytesPerDay ?? Infinity,
    check: (reserved: Reserved | undefined) => keyBytes.admit(key, reserved),
  };
  const run = held && query ? runningQueries.run(query, held, compute, bound) : compute();
  const entry = await timed(clock, stepsMs, 'queryMs', run);
  runningQueries.learn(entry);
  const kept = await timed(clock, stepsMs, 'storeWriteMs', keptRows.store(reading, entry, held));
  return { entry, outcome: expired ? 'expired' : 'miss', ...kept, stepsMs };
}
