// The store of leases in Firestore: collection `leases`, written by create or compare-and-set.
import { DAY_MS } from '../core/clock.ts';
import {
  type DocumentReference,
  FieldValue,
  type Firestore,
  Timestamp,
  type WriteBatch,
  type WriteResult,
} from '@google-cloud/firestore';
import { type Reason, isReason } from '../core/errors.ts';
import {
  type Charge,
  type Lease,
  type LeaseOutcome,
  type LeaseStart,
  type LeaseState,
  type LeaseStore,
  leaseStart,
  leftQuery,
} from '../core/leases.ts';
import { fieldsOf, hasForm, isCount, isText, isTexts, optional } from '../core/json.ts';
import { isParameters } from '../core/parameter-type.ts';
import { unlessRaceLost } from './firestore-client.ts';

/** Lease documents that are not released are deleted by Firestore's TTL. */
const KEPT_MS = 24 * 60 * 60 * 1000;
/** The maximum of LEASE_SECONDS and some: a lease that ends later is invalid. */
const LEASE_MS_MAX = 330_000;

const OUTCOME = {
  reason: (value: unknown): value is Reason => isText(value) && isReason(value),
  message: isText,
};

const SOURCES = {
  askedAtMs: isCount,
  digest: isText,
  restDigest: optional(isText),
  fullAtMs: optional(isCount),
};
const SCAN = { sinceMs: isCount, untilMs: optional(isCount) };
const QUERY = {
  requestId: isText,
  jobId: optional(isText),
  startedAtMs: isCount,
  endsAtMs: isCount,
  endpointId: isText,
  resultDigest: isText,
  parameters: isParameters,
  keyName: isText,
  account: optional(isText),
  sources: optional(hasForm(SOURCES)),
  cacheKeys: optional(isTexts),
  scan: optional(hasForm(SCAN)),
};

export function createFirestoreLeaseStore(firestore: Firestore): LeaseStore {
  const leases = firestore.collection('leases');
  const bytes = createDayBytes(firestore);
  return {
    bytesOf: bytes.of,
    addBytes: async (charge) => void (await bytes.add(charge)),
    async acquire(name, owner, nowMs, untilMs, query) {
      const ref = leases.doc(name);
      const heldSince = (writtenAt: Timestamp, own: LeaseStart): Lease =>
        createLease(ref, owner, writtenAt, own, bytes);
      const own = { query, isJoined: false };
      const data = encodeLease({ owner, untilMs, query });
      const created = await unlessRaceLost(ref.create(data));
      if (created !== undefined) return heldSince(created.writeTime, own);

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
      return docs.flatMap((document) => {
        const lease = decodeLease(document.data());
        if (lease?.query === undefined) return [];
        return [{ name: document.id, query: lease.query, isHeld: lease.untilMs > nowMs }];
      });
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
  dayBytes: ReturnType<typeof createDayBytes>,
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
    async release(outcome, keepsQuery, charge) {
      const kept = keepsQuery ? leftQuery(query, charge) : undefined;
      const isGone = outcome === undefined && kept === undefined;
      const left = { ...encodeLease({ owner, untilMs: 0, query: kept }), outcome: outcome ?? null };
      // One call for both.
      const isReleased =
        charge !== undefined &&
        (await dayBytes.add(charge, (batch) => {
          if (isGone) batch.delete(ref, { lastUpdateTime });
          else batch.update(ref, left, { lastUpdateTime });
        }));
      if (isReleased) return;
      if (isGone) await write(() => ref.delete({ lastUpdateTime }));
      else await update(left);
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

/** The bytes of an account and day: collection `dayBytes`. What could not be written is added to the next write. */
function createDayBytes(firestore: Firestore) {
  const unwritten = new Map<string, number>();
  const idOf = ({ account, day }: Omit<Charge, 'bytes'>): string => `${account}.${day}`;
  const refOf = (id: string) => firestore.collection('dayBytes').doc(id);
  return { of, add };

  async function of(account: string, day: string): Promise<number> {
    const id = idOf({ account, day });
    const stored: unknown = (await refOf(id).get()).get('bytes');
    return (isCount(stored) ? stored : 0) + (unwritten.get(id) ?? 0);
  }

  /** Together with another write; false if another writer was first there, so that only the bytes are written. */
  async function add(charge: Charge, withWrite?: (batch: WriteBatch) => void): Promise<boolean> {
    const id = idOf(charge);
    const bytes = charge.bytes + (unwritten.get(id) ?? 0);
    unwritten.delete(id);
    const deleteAt = Timestamp.fromMillis(Date.parse(charge.day) + 8 * DAY_MS);
    const write = async (alongside?: (batch: WriteBatch) => void) => {
      const batch = firestore.batch();
      batch.set(refOf(id), { bytes: FieldValue.increment(bytes), deleteAt }, { merge: true });
      alongside?.(batch);
      return batch.commit();
    };
    try {
      const written = await unlessRaceLost(write(withWrite));
      if (written === undefined) await write();
      return written !== undefined;
    } catch (error) {
      unwritten.set(id, bytes + (unwritten.get(id) ?? 0));
      throw error;
    }
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
    outcome: decodeOutcome(data.outcome),
    // Undefined also for the form of another version of the service: such a query is not joined.
    query: fieldsOf(data.query, QUERY),
  };
}

/** Another version of the service may know other reasons: such an outcome is ignored. */
function decodeOutcome(data: unknown): LeaseOutcome | undefined {
  return data === 'unstored' ? data : fieldsOf(data, OUTCOME);
}
