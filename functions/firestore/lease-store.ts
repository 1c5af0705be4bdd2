// The stores of leases and of the bytes of a day in Firestore: collection `leases`, written by create or compare-and-set, and `dayBytes`.
import {
  type DocumentReference,
  FieldValue,
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
  isHeld,
  leaseStart,
} from '../core/leases.ts';
import { DAY_MS } from '../core/clock.ts';
import { DEBT, type DayBytesStore, type Debt, reservation } from '../core/day-bytes.ts';
import { fieldsOf, isCount } from '../core/json.ts';
import { orderOf, unlessRaceLost } from './client.ts';

const KEPT_DAYS = 8;

export function createFirestoreLeaseStore(firestore: Firestore): LeaseStore {
  const leases = firestore.collection('leases');
  return {
    ...createDayBytes(firestore),
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
        if (reads > 1 || isHeld(found, nowMs)) return undefined;
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
        return query ? [{ name, query, isHeld: isHeld({ untilMs }, nowMs), version }] : [];
      });
    },
    async remove({ name, version }) {
      const lastUpdateTime = version as Timestamp;
      return (await unlessRaceLost(leases.doc(name).delete({ lastUpdateTime }))) !== undefined;
    },
  };
}

/** Counts what BigQuery bills to each account in a day: collection `dayBytes`, with a document for each open debt. */
function createDayBytes(firestore: Firestore): DayBytesStore {
  const days = firestore.collection('dayBytes');
  return {
    bytesOf,
    async reserve(debt, limitBytes) {
      const ref = days.doc(debt.jobId);
      const { writeTime } = await ref.set({ ...debt, deleteAt: deleteAtOf(debt) });
      // Each counts those that were written before, so that of many at once exactly those that fit are admitted.
      const { docs } = await days.where('account', '==', debt.account).get();
      const before = docs.filter(
        (one) => one.id !== ref.id && orderOf(one, one.createTime) < orderOf(ref, writeTime),
      );
      const debts = before.flatMap((one) => fieldsOf(one.data(), DEBT) ?? []);
      // Read last: a debt that is settled meanwhile counts twice, not never.
      const billed = await bytesOf(debt.account, debt.day);
      const reserved = reservation(debt, billed, debts, limitBytes);
      if (!reserved.isAdmitted) await ref.delete();
      return reserved;
    },
    async settle(debt, bytes) {
      const batch = firestore.batch();
      const fields = { bytes: FieldValue.increment(bytes), deleteAt: deleteAtOf(debt) };
      batch.set(days.doc(`${debt.account}.${debt.day}`), fields, { merge: true });
      batch.delete(days.doc(debt.jobId), { exists: true });
      await unlessRaceLost(batch.commit());
    },
    async debts() {
      const { docs } = await days.where('account', '>', '').get();
      return docs.flatMap((document) => fieldsOf(document.data(), DEBT) ?? []);
    },
  };

  async function bytesOf(account: string, day: string): Promise<number> {
    const stored: unknown = (await days.doc(`${account}.${day}`).get()).get('bytes');
    return isCount(stored) ? stored : 0;
  }
}

function deleteAtOf({ day }: Debt): Timestamp {
  return Timestamp.fromMillis(Date.parse(day) + KEPT_DAYS * DAY_MS);
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

function encodeLease({ owner, untilMs, query, outcome }: LeaseState) {
  const lastMs = Math.max(untilMs, query?.endsAtMs ?? 0);
  return {
    owner,
    until: Timestamp.fromMillis(untilMs),
    // Of a lease that is not released.
    deleteAt: Timestamp.fromMillis(lastMs + DAY_MS),
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
    outcome: fieldsOf(data.outcome, FAILURE),
    // Undefined also for the form of another version of the service: such a query is not joined.
    query: fieldsOf(data.query, LEASED_QUERY),
  };
}
