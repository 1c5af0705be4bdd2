// The store of leases in Firestore: collection `leases`, written by create or compare-and-set.
import {
  type DocumentReference,
  type Firestore,
  Timestamp,
  type WriteResult,
} from '@google-cloud/firestore';
import { type Reason, isReason } from '../core/errors.ts';
import type { Lease, LeaseOutcome, LeaseState, LeaseStore } from '../core/leases.ts';
import { fieldsOf, isText } from '../core/json.ts';
import { unlessRaceLost } from './firestore-client.ts';
import { type Observe, unobserved } from './firestore-clock.ts';

/** Lease documents that are not released are deleted by Firestore's TTL. */
const KEPT_MS = 24 * 60 * 60 * 1000;
/** The maximum of LEASE_SECONDS plus the difference of two clocks: a lease that ends later is invalid. */
const LEASE_MS_MAX = 330_000;

const OUTCOME = {
  reason: (value: unknown): value is Reason => isText(value) && isReason(value),
  message: isText,
};

export function createFirestoreLeaseStore(firestore: Firestore, observe = unobserved): LeaseStore {
  const leases = firestore.collection('leases');
  return {
    async acquire(name, owner, nowMs, untilMs) {
      const ref = leases.doc(name);
      const heldSince = (writtenAt: Timestamp): Lease =>
        createLease(ref, owner, writtenAt, observe);
      const data = encodeLease({ owner, untilMs });
      const created = await unlessRaceLost(observe(() => ref.create(data)));
      if (created !== undefined) return heldSince(created.writeTime);

      const snapshot = await observe(() => ref.get());
      const { updateTime } = snapshot;
      // The lease has been released since; the caller will try again soon.
      if (updateTime === undefined) return undefined;
      const current = decodeLease(snapshot.data());
      // The client repeated a create whose answer was lost: this instance has the lease already.
      if (current?.owner === owner) return heldSince(updateTime);
      if (current !== undefined && isHeld(current, nowMs)) return undefined;
      const replaced = await unlessRaceLost(
        observe(() => ref.update({ ...data, outcome: null }, { lastUpdateTime: updateTime })),
      );
      return replaced && heldSince(replaced.writeTime);
    },
    async read(name) {
      return decodeLease((await observe(() => leases.doc(name).get())).data());
    },
  };
}

/** Every write names the time of the previous write as precondition, so a lost lease stays lost. */
function createLease(
  ref: DocumentReference,
  owner: string,
  writtenAt: Timestamp,
  observe: Observe,
): Lease {
  let lastUpdateTime = writtenAt;
  return {
    renew: (untilMs) =>
      write(() => ref.update(encodeLease({ owner, untilMs }), { lastUpdateTime })),
    async release(outcome) {
      await write(() =>
        outcome === undefined
          ? ref.delete({ lastUpdateTime })
          : ref.update({ ...encodeLease({ owner, untilMs: 0 }), outcome }, { lastUpdateTime }),
      );
    },
  };

  /** False if another instance holds the lease. */
  async function write(call: () => Promise<WriteResult>): Promise<boolean> {
    let written = await unlessRaceLost(observe(call));
    // If the answer to the previous write was lost, the other holder is this instance itself.
    if (written === undefined && (await isStillOwn()))
      written = await unlessRaceLost(observe(call));
    if (written !== undefined) lastUpdateTime = written.writeTime;
    return written !== undefined;
  }

  async function isStillOwn(): Promise<boolean> {
    const snapshot = await observe(() => ref.get());
    const current = decodeLease(snapshot.data());
    // A lease with an outcome is released: a late renewal must not restore it.
    if (current?.owner !== owner || current.outcome !== undefined) return false;
    if (snapshot.updateTime === undefined) return false;
    lastUpdateTime = snapshot.updateTime;
    return true;
  }
}

function isHeld({ untilMs }: LeaseState, nowMs: number): boolean {
  return untilMs > nowMs && untilMs <= nowMs + LEASE_MS_MAX;
}

function encodeLease({ owner, untilMs }: LeaseState): FirebaseFirestore.DocumentData {
  return {
    owner,
    until: Timestamp.fromMillis(untilMs),
    deleteAt: Timestamp.fromMillis(untilMs + KEPT_MS),
  };
}

function decodeLease(data: FirebaseFirestore.DocumentData | undefined): LeaseState | undefined {
  if (data === undefined || !(data.until instanceof Timestamp)) return undefined;
  const outcome = decodeOutcome(data.outcome);
  return {
    owner: String(data.owner),
    untilMs: data.until.toMillis(),
    ...(outcome === undefined ? {} : { outcome }),
  };
}

/** Another version of the service may know other reasons: such an outcome is ignored. */
function decodeOutcome(data: unknown): LeaseOutcome | undefined {
  return data === 'unstored' ? data : fieldsOf(data, OUTCOME);
}
