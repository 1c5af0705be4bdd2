// The store of leases in Firestore: collection `leases`, written by create or compare-and-set.
import {
  type DocumentReference,
  type Firestore,
  Timestamp,
  type WriteResult,
} from '@google-cloud/firestore';
import {
  FAILURE,
  LEASED_QUERY,
  type Lease,
  type LeaseStart,
  type LeaseState,
  type LeaseStore,
  type LeasedQuery,
  type NamedQuery,
  leaseStart,
} from '../core/leases.ts';
import { fieldsOf } from '../core/json.ts';
import { createFirestoreDayBytes } from './day-bytes.ts';
import { unlessRaceLost } from './firestore-client.ts';

/** Lease documents that are not released are deleted by Firestore's TTL. */
const KEPT_MS = 24 * 60 * 60 * 1000;
/** The maximum of LEASE_SECONDS and some: a lease that ends later is invalid. */
const LEASE_MS_MAX = 330_000;

export function createFirestoreLeaseStore(firestore: Firestore): LeaseStore {
  const leases = firestore.collection('leases');
  return {
    ...createFirestoreDayBytes(firestore),
    async acquire(name, owner, nowMs, untilMs, query) {
      const ref = leases.doc(name);
      const heldSince = (writtenAt: Timestamp, own: LeaseStart): Lease =>
        createLease(ref, owner, writtenAt, own);
      const start = { query, isJoined: false };
      const data = encodeLease({ owner, untilMs, query });
      const created = await unlessRaceLost(ref.create(data));
      if (created !== undefined) return heldSince(created.writeTime, start);

      for (let isRepeated = false; ; isRepeated = true) {
        const snapshot = await ref.get();
        const { updateTime } = snapshot;
        // The lease has been released since; the caller will try again soon.
        if (updateTime === undefined) return undefined;
        const current = decodeLease(snapshot.data());
        // The client repeated a write whose answer was lost: this instance has the lease already.
        if (current?.owner === owner) {
          const isJoined = current.query?.requestId !== query?.requestId;
          return heldSince(updateTime, { query: current.query, isJoined });
        }
        if (isRepeated || (current !== undefined && isHeld(current, nowMs))) return undefined;
        const start = leaseStart(query, current?.query, nowMs);
        const taken = encodeLease({ owner, untilMs, query: start.query });
        const replaced = await unlessRaceLost(
          ref.update({ ...taken, outcome: null }, { lastUpdateTime: updateTime }),
        );
        if (replaced !== undefined) return heldSince(replaced.writeTime, start);
      }
    },
    async read(name) {
      return decodeLease((await leases.doc(name).get()).data());
    },
    async queries(nowMs) {
      const running = leases.where('endsAt', '>', Timestamp.fromMillis(nowMs));
      const { docs } = await running.get();
      const placeOf = ({ id, updateTime }: (typeof docs)[number]) =>
        `${updateTime.valueOf()} ${id}`;
      const inOrder = docs.toSorted((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
      return inOrder.flatMap((document): NamedQuery[] => {
        const { query, untilMs = 0 } = decodeLease(document.data()) ?? {};
        const { id: name, updateTime: version } = document;
        return query ? [{ name, query, isHeld: untilMs > nowMs, version }] : [];
      });
    },
    async remove({ name, version }) {
      const lastUpdateTime = version as Timestamp;
      return (await unlessRaceLost(leases.doc(name).delete({ lastUpdateTime }))) !== undefined;
    },
  };
}

type Data = FirebaseFirestore.DocumentData;

/** Every write names the time of the previous write as precondition, so a lost lease stays lost. */
function createLease(
  ref: DocumentReference,
  owner: string,
  writtenAt: Timestamp,
  start: LeaseStart,
): Lease {
  let lastUpdateTime = writtenAt;
  let { query } = start;
  return {
    ...start,
    renew: (untilMs) => update({ until: Timestamp.fromMillis(untilMs) }),
    record(next, untilMs) {
      query = next;
      return update(encodeLease({ owner, untilMs, query }));
    },
    async release(outcome, keepsQuery) {
      const kept = keepsQuery ? query : undefined;
      if (outcome === undefined && kept === undefined) {
        await write(() => ref.delete({ lastUpdateTime }));
        return;
      }
      const left = encodeLease({ owner, untilMs: 0, query: kept });
      await update({ ...left, outcome: outcome ?? null });
    },
  };

  function update(data: Data): Promise<boolean> {
    return write(() => ref.update(data, { lastUpdateTime }));
  }

  /** False if another instance holds the lease. */
  async function write(call: () => Promise<WriteResult>): Promise<boolean> {
    let written = await unlessRaceLost(call());
    // If the answer to the previous write was lost, the other holder is this instance itself.
    if (written === undefined && (await isStillOwn())) written = await unlessRaceLost(call());
    if (written !== undefined) lastUpdateTime = written.writeTime;
    return written !== undefined;
  }

  async function isStillOwn(): Promise<boolean> {
    const snapshot = await ref.get();
    const current = decodeLease(snapshot.data());
    // A lease that is released stays so: a late renewal must not restore it.
    if (current?.owner !== owner || current.untilMs === 0) return false;
    if (snapshot.updateTime === undefined) return false;
    lastUpdateTime = snapshot.updateTime;
    return true;
  }
}

function isHeld({ untilMs }: LeaseState, nowMs: number): boolean {
  return untilMs > nowMs && untilMs <= nowMs + LEASE_MS_MAX;
}

function encodeLease({ owner, untilMs, query }: LeaseState): Data {
  const lastMs = Math.max(untilMs, query?.endsAtMs ?? 0);
  return {
    owner,
    until: Timestamp.fromMillis(untilMs),
    deleteAt: Timestamp.fromMillis(lastMs + KEPT_MS),
    // Null is written too: an update must not keep the query before. What is searched for is outside of the map.
    endsAt: query ? Timestamp.fromMillis(query.endsAtMs) : null,
    query: query ?? null,
  };
}

function decodeLease(data: Data | undefined): LeaseState | undefined {
  if (data === undefined || !(data.until instanceof Timestamp)) return undefined;
  return {
    owner: String(data.owner),
    untilMs: data.until.toMillis(),
    outcome: data.outcome === 'unstored' ? 'unstored' : fieldsOf(data.outcome, FAILURE),
    // Undefined also for the form of another version of the service: such a query is not joined.
    query: decodeQuery(data.query),
  };
}

function decodeQuery(data: unknown): LeasedQuery | undefined {
  const query = fieldsOf(data, LEASED_QUERY);
  // BigQuery has named a job whose id is its own.
  const isNamed = query?.jobId !== undefined && query.jobId !== query.requestId;
  return isNamed ? { ...query, isStarted: true } : query;
}
