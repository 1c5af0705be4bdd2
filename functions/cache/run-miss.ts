// Runs the query of a miss, or joins one that runs: what its key may spend, the lease's query, the rows, and their store.
import type { Reserved } from '../core/day-bytes.ts';
import type { HeldLease, LeasedQuery } from '../core/leases.ts';
import type { Entry, SourceState } from '../core/result-store.ts';
import type { Backends } from '../core/services.ts';
import { isWarmed } from '../endpoints/endpoint.ts';
import { createKeyBytes } from '../budgets/key-bytes.ts';
import type { KeyLimits } from '../keys/limits.ts';
import { computeEntry } from './compute-entry.ts';
import type { KeptRows } from './keep-rows.ts';
import { withReader } from './readers.ts';
import { type ReadRequest, type Reading, type Served, outcomeOf, timed } from './reading.ts';
import type { RunningQueries } from './running-query.ts';
import { sourceState } from './source-state.ts';

export interface MissDeps extends Backends {
  keyLimits: Pick<KeyLimits, 'takeMiss' | 'hasMiss'>;
  /** An instance that is being stopped starts no query, and leaves no lease for one. */
  shutdown?: { isStopping: () => boolean };
}

export function createMissRun(deps: MissDeps, rows: KeptRows, runningQueries: RunningQueries) {
  const { keyLimits, refreshStore, clock } = deps;
  const keyBytes = createKeyBytes(deps);
  return { prepare, begin, run };

  /** Asks for what the query needs while the lease is taken. Returns whether it may be started. */
  async function prepare(reading: Reading): Promise<() => boolean> {
    const { key } = reading.request;
    reading.asked = askedSources(reading.request);
    reading.spent = keyBytes.spentBy(key);
    // Who has used up the bytes takes no lease, for which others would wait.
    const isSpent = key.bytesPerDay !== undefined && keyBytes.isOver(key, await reading.spent);
    return () => !isSpent && keyLimits.hasMiss(key) && !deps.shutdown?.isStopping();
  }

  /** Written into the lease before it is sent: if its bytes are bounded, or it may be left soon, it has the id of its job. */
  function begin({ endpoint, parameters, key, deadlineMs }: ReadRequest): LeasedQuery {
    const account = key.bytesPerDay === undefined ? undefined : key.digest;
    const leftMs = deadlineMs - clock.nowMs();
    return runningQueries.begin(endpoint, parameters, { key, account, leftMs });
  }

  /** `held` is undefined without a lease: it cannot be read, its holder could not store its rows, or this request may start no query. */
  async function run(reading: Reading, held?: HeldLease): Promise<Served> {
    const { request, expired, stepsMs } = reading;
    const { endpoint, key } = request;
    const isOld = held !== undefined && (await isOutdated(held));
    const running = held && (await runningQueries.choose(held, isOld, () => begin(request)));
    const query = running?.query;
    // A query without a job may not have been started.
    const isStarted = running?.isJoined === true && query?.jobId !== undefined;
    reading.query = query;
    if (!isStarted) await admit(reading);
    const readers = withReader(expired?.readers ?? [], key.name, endpoint, clock.nowMs());
    const asked = running?.isJoined
      ? running.query.sources
      : await (reading.asked ?? askedSources(request));
    const origin = {
      ...{ ...deps, ...request, readers, asked },
      cause: 'miss' as const,
      key: { name: key.name, digest: key.digest },
    };
    if (query !== undefined && !isStarted) {
      query.sources = asked;
      reading.own = query;
    }
    const entry = await timed(clock, stepsMs, 'queryMs', computeUnderLease());
    const kept = await rows.store(reading, entry, held);
    return { entry, outcome: outcomeOf(reading), ...kept, stepsMs };

    async function computeUnderLease(): Promise<Entry> {
      if (held === undefined || query === undefined) return computeEntry(origin);
      const bound = {
        limitBytes: key.bytesPerDay ?? Infinity,
        check: (reserved: Reserved | undefined) => keyBytes.admit(key, reserved),
      };
      const computeWith = (terms: object) => computeEntry({ ...origin, ...terms });
      const computed = await runningQueries.run(query, held, computeWith, bound);
      runningQueries.learn(computed);
      return computed;
    }
  }

  /** Throws unless the key may start one more query. */
  async function admit({ request, query, spent }: Reading): Promise<void> {
    const { endpoint, key, deadlineMs } = request;
    keyBytes.check(key, await (spent ?? keyBytes.spentBy(key)));
    keyLimits.takeMiss(key);
    // What Firestore does not know of could not be counted later.
    if (query === undefined) keyBytes.check(key, undefined);
    // A query that would have to be cancelled at the deadline is not started.
    const willBeLeft = runningQueries.outlasts(endpoint, deadlineMs - clock.nowMs());
    if (willBeLeft) await runningQueries.checkLeft(key.name);
  }

  /** Whether newer rows were demanded than those that a running query gives. If it is not known, they are asked for again later. */
  async function isOutdated({ query, isJoined }: HeldLease): Promise<boolean> {
    if (!isJoined || query === undefined) return false;
    const { endpointId, startedAtMs: computedAtMs } = query;
    const demanded = rows.demandedAfter({ endpointId, computedAtMs }).catch(() => undefined);
    return (await demanded) !== undefined;
  }

  /** The state that the last warming run found; without it, the next run computes the rows again. */
  async function askedSources(request: ReadRequest): Promise<SourceState | undefined> {
    const { endpoint } = request;
    const { dependsOn, incremental } = endpoint;
    const sources = [...(dependsOn?.sources ?? []), ...(incremental?.others ?? [])];
    // Not known for shards: one that is added and dropped between two runs leaves no trace except its rows in this result.
    const isKnown = !sources.some(({ table }) => table.endsWith('*'));
    const isUsed =
      (dependsOn !== undefined && deps.warmUnchanged === 'on') ||
      (incremental !== undefined && deps.warmIncremental === 'on');
    if (!isKnown || !isUsed || !isWarmed(endpoint)) return undefined;
    try {
      return sourceState(endpoint, await refreshStore.found('sources'), deps);
    } catch (error) {
      rows.warn('store_read_failed', 'The state of the tables cannot be read.', request, error);
      return undefined;
    }
  }
}
