// The store of leases in Firestore: collection `leases`, written by create or compare-and-set.
import {
  type DocumentReference,
  type Firestore,
  Timestamp,
  type WriteResult,
} from '@google-cloud/firestore';
import { type Reason, isReason } from '../core/errors.ts';
import {
  type Lease,
  type LeaseOutcome,
  type LeaseStart,
  type LeaseState,
  type LeaseStore,
  type LeasedQuery,
  leaseStart,
} from '../core/leases.ts';
import { fieldsOf, isText, isTexts } from '../core/json.ts';
import { isParameters } from '../core/parameter-type.ts';
import { isTimestamp, unlessRaceLost } from './firestore-client.ts';
import { type Observe, unobserved } from './firestore-clock.ts';

/** Lease documents that are not released are deleted by Firestore's TTL. */
const KEPT_MS = 24 * 60 * 60 * 1000;
/** The maximum of LEASE_SECONDS plus the difference of two clocks: a lease that ends later is invalid. */
const LEASE_MS_MAX = 330_000;

const OUTCOME = {
  reason: (value: unknown): value is Reason => isText(value) && isReason(value),
  message: isText,
};

/** How many queries of a key are looked at, to count those that are left. */
const COUNTED_MAX = 100;

const QUERY = {
  requestId: isText,
  jobId: (value: unknown): value is string | null => value === null || isText(value),
  startedAt: isTimestamp,
  endpointId: isText,
  resultDigest: isText,
  parameters: isParameters,
  sources: (value: unknown): value is { askedAt: Timestamp; digest: string } | null =>
    value === null || fieldsOf(value, { askedAt: isTimestamp, digest: isText }) !== undefined,
  cacheKeys: (value: unknown): value is string[] | null => value === null || isTexts(value),
};

export function createFirestoreLeaseStore(firestore: Firestore, observe = unobserved): LeaseStore {
  const leases = firestore.collection('leases');
  return {
    async acquire(name, owner, nowMs, untilMs, query) {
      const ref = leases.doc(name);
      const heldSince = (writtenAt: Timestamp, own: LeaseStart): Lease =>
        createLease(ref, owner, writtenAt, own, observe);
      const own = { query, isJoined: false };
      const data = encodeLease({ owner, untilMs, query });
      const created = await unlessRaceLost(observe(() => ref.create(data)));
      if (created !== undefined) return heldSince(created.writeTime, own);

      for (let isRepeated = false; ; isRepeated = true) {
        const snapshot = await observe(() => ref.get());
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
          observe(() => ref.update({ ...taken, outcome: null }, { lastUpdateTime: updateTime })),
        );
        if (replaced !== undefined) return heldSince(replaced.writeTime, start);
      }
    },
    async read(name) {
      return decodeLease((await observe(() => leases.doc(name).get())).data());
    },
    async queries(nowMs) {
      const running = leases.where('endsAt', '>', Timestamp.fromMillis(nowMs));
      const { docs } = await observe(() => running.get());
      return docs.flatMap((document) => {
        const query = decodeLease(document.data())?.query;
        return query === undefined ? [] : [{ name: document.id, query }];
      });
    },
    async countLeft(keyName, nowMs) {
      const fields = ['until', 'endsAt', 'query.jobId'];
      const ofKey = leases.where('keyName', '==', keyName).select(...fields);
      const { docs } = await observe(() => ofKey.limit(COUNTED_MAX).get());
      const isAfter = (time: unknown): boolean => isTimestamp(time) && time.toMillis() > nowMs;
      return docs.filter((document) => {
        const [until, endsAt, jobId] = fields.map((field): unknown => document.get(field));
        return isText(jobId) && isAfter(endsAt) && !isAfter(until);
      }).length;
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
  observe: Observe,
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
      const isGone = outcome === undefined && kept === undefined;
      const left = encodeLease({ owner, untilMs: 0, query: kept });
      if (isGone) await write(() => ref.delete({ lastUpdateTime }));
      else await update({ ...left, outcome: outcome ?? null });
    },
  };

  function update(data: Data): Promise<boolean> {
    return write(() => ref.update(data, { lastUpdateTime }));
  }

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

interface LeaseWrite extends Pick<LeaseState, 'owner' | 'untilMs'> {
  query: LeasedQuery | undefined;
}

function encodeLease({ owner, untilMs, query }: LeaseWrite): Data {
  const lastMs = Math.max(untilMs, query?.endsAtMs ?? 0);
  return {
    owner,
    until: Timestamp.fromMillis(untilMs),
    deleteAt: Timestamp.fromMillis(lastMs + KEPT_MS),
    ...(query === undefined ? NO_QUERY : encodeQuery(query)),
  };
}

/** Null is written too: an update must not keep the query before. */
const NO_QUERY = { keyName: null, endsAt: null, query: null };

/** What is asked for is outside of the map. */
function encodeQuery({ keyName, endsAtMs, startedAtMs, sources, ...query }: LeasedQuery): Data {
  return {
    keyName,
    endsAt: Timestamp.fromMillis(endsAtMs),
    query: {
      ...query,
      jobId: query.jobId ?? null,
      startedAt: Timestamp.fromMillis(startedAtMs),
      sources: sources
        ? { askedAt: Timestamp.fromMillis(sources.askedAtMs), digest: sources.digest }
        : null,
      cacheKeys: query.cacheKeys ?? null,
    },
  };
}

function decodeLease(data: Data | undefined): LeaseState | undefined {
  if (data === undefined || !(data.until instanceof Timestamp)) return undefined;
  const outcome = decodeOutcome(data.outcome);
  const query = decodeQuery(data);
  return {
    owner: String(data.owner),
    untilMs: data.until.toMillis(),
    ...(outcome === undefined ? {} : { outcome }),
    ...(query === undefined ? {} : { query }),
  };
}

/** Undefined also for the form of another version of the service: such a query is not joined. */
function decodeQuery({ keyName, endsAt, query }: Data): LeasedQuery | undefined {
  const fields = fieldsOf(query, QUERY);
  if (fields === undefined || !isText(keyName) || !isTimestamp(endsAt)) return undefined;
  const { jobId, startedAt, sources, cacheKeys, ...rest } = fields;
  return {
    ...rest,
    keyName,
    jobId: jobId ?? undefined,
    startedAtMs: startedAt.toMillis(),
    endsAtMs: endsAt.toMillis(),
    sources: sources
      ? { askedAtMs: sources.askedAt.toMillis(), digest: sources.digest }
      : undefined,
    ...(cacheKeys === null ? {} : { cacheKeys }),
  };
}

/** Another version of the service may know other reasons: such an outcome is ignored. */
function decodeOutcome(data: unknown): LeaseOutcome | undefined {
  return data === 'unstored' ? data : fieldsOf(data, OUTCOME);
}
