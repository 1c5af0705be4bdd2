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
  type NamedQuery,
  leaseStart,
} from '../core/leases.ts';
import { fieldsOf } from '../core/json.ts';
import { createFirestoreDayBytes } from './day-bytes.ts';
import { orderOf, unlessRaceLost } from './client.ts';

/** Lease documents that are not released are deleted by Firestore's TTL. */
const KEPT_MS = 24 * 60 * 60 * 1000;
/** The maximum of LEASE_SECONDS and some: a lease that ends later is invalid. */
const LEASE_MS_MAX = 330_000;

export function createFirestoreLeaseStore(firestore: Firestore): LeaseStore {
  const leases = firestore.collection('leases');
  return {
    ...createFirestoreDayBytes(firestore),
    async acquire(name, state, nowMs) {
      const { owner, query } = state;
      const ref = leases.doc(name);
      let start: LeaseStart = { query, isJoined: false };
      let written = await unlessRaceLost(ref.create(encodeLease(state)));
      for (let reads = 1; written === undefined; reads += 1) {
        const { state: found, updateTime: lastUpdateTime } = await read(ref);
        // The lease has been released since; the caller will try again soon.
        if (lastUpdateTime === undefined) return undefined;
        // The client repeated a write whose answer was lost: this instance has the lease already.
        if (found?.owner === owner) return createLease(ref, owner, lastUpdateTime, start);
        if (reads > 1 || (found !== undefined && isHeld(found, nowMs))) return undefined;
        start = leaseStart(query, found?.query, nowMs);
        const taken = encodeLease({ ...state, query: start.query });
        written = await unlessRaceLost(ref.update(taken, { lastUpdateTime }));
      }
      return createLease(ref, owner, written.writeTime, start);
    },
    async read(name) {
      return (await read(leases.doc(name))).state;
    },
    async queries(nowMs) {
      const running = leases.where('endsAt', '>', Timestamp.fromMillis(nowMs));
      const { docs } = await running.get();
      const inOrder = docs.toSorted((a, b) =>
        orderOf(a, a.updateTime) < orderOf(b, b.updateTime) ? -1 : 1,
      );
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

/** Every write names the time of the previous write as precondition, so a lost lease stays lost. */
function createLease(
  ref: DocumentReference,
  owner: string,
  writtenAt: Timestamp,
  start: LeaseStart,
): Lease {
  let lastUpdateTime = writtenAt;
  return {
    ...start,
    async write(turn) {
      const isLeft = turn.untilMs > 0 || turn.outcome !== undefined || turn.query !== undefined;
      const call = (): Promise<WriteResult> =>
        isLeft
          ? ref.update(encodeLease({ owner, ...turn }), { lastUpdateTime })
          : ref.delete({ lastUpdateTime });
      let written = await unlessRaceLost(call());
      // If the answer to the previous write was lost, the other holder is this instance itself.
      if (written === undefined && (await isStillOwn())) written = await unlessRaceLost(call());
      if (written !== undefined) lastUpdateTime = written.writeTime;
      return written !== undefined;
    },
  };

  async function isStillOwn(): Promise<boolean> {
    const { state, updateTime } = await read(ref);
    // A lease that is released stays so: a late renewal must not restore it.
    if (state?.owner !== owner || state.untilMs === 0 || updateTime === undefined) return false;
    lastUpdateTime = updateTime;
    return true;
  }
}

async function read(ref: DocumentReference) {
  const document = await ref.get();
  return { state: decodeLease(document.data()), updateTime: document.updateTime };
}

function isHeld({ untilMs }: LeaseState, nowMs: number): boolean {
  return untilMs > nowMs && untilMs <= nowMs + LEASE_MS_MAX;
}

function encodeLease({ owner, untilMs, query, outcome }: LeaseState) {
  const lastMs = Math.max(untilMs, query?.endsAtMs ?? 0);
  return {
    owner,
    until: Timestamp.fromMillis(untilMs),
    deleteAt: Timestamp.fromMillis(lastMs + KEPT_MS),
    // Null is written too: an update must not keep the query before. What is searched for is outside of the map.
    endsAt: query ? Timestamp.fromMillis(query.endsAtMs) : null,
    query: query ?? null,
    outcome: outcome ?? null,
  };
}

function decodeLease(data: FirebaseFirestore.DocumentData | undefined): LeaseState | undefined {
  if (data === undefined || !(data.until instanceof Timestamp)) return undefined;
  return {
    owner: String(data.owner),
    untilMs: data.until.toMillis(),
    outcome: data.outcome === 'unstored' ? 'unstored' : fieldsOf(data.outcome, FAILURE),
    // Undefined also for the form of another version of the service: such a query is not joined.
    query: fieldsOf(data.query, LEASED_QUERY),
  };
}
