// Contract tests of LeaseStore, on the fake and on Firestore.
import { randomUUID } from 'node:crypto';
import { type DocumentReference, Timestamp } from '@google-cloud/firestore';
import type { Lease, LeaseStore, LeasedQuery } from '../../functions/core/leases.ts';
import { createFirestoreLeaseStore } from '../../functions/firestore/lease-store.ts';
import { FakeLeaseStore } from '../support/fakes/fake-lease-store.ts';
import { type Acts, type Fields, runSteps, stepsBeside } from '../support/steps.ts';
import { describeOnFirestores } from '../support/service/firestore-emulators.ts';

const NOW = Date.parse('2026-11-20T10:00:00Z');
/** Times are seconds after `NOW`. */
const msOf = (seconds: unknown): number => NOW + Number(seconds) * 1000;

/** `isAtomic` is false where writes ignore their preconditions. */
function describeContract(
  createStore: () => LeaseStore,
  isAtomic = true,
  document?: (name: string) => DocumentReference,
): void {
  let store: LeaseStore;
  let name: string;

  beforeEach(() => {
    [store, name] = [createStore(), randomUUID()];
  });

  const reason = isAtomic ? '' : ' (skipped: this emulator ignores preconditions of writes)';
  const itAtomically = (name: string, test: () => Promise<void>): void =>
    (isAtomic ? it : it.skip)(`${name}${reason}`, test);

  it('grants a free lease to exactly one of ten concurrent requests', async () => {
    const attempts = Array.from({ length: 10 }, (_, owner) =>
      store.acquire(name, { owner: `owner-${owner}`, untilMs: msOf(10) }, NOW),
    );
    const granted = (await Promise.all(attempts)).filter((lease) => lease !== undefined);
    expect(granted).toHaveLength(1);
  });

  itAtomically('grants an expired lease to exactly one of ten concurrent requests', async () => {
    await store.acquire(name, { owner: 'dead', untilMs: msOf(10) }, NOW);
    const attempts = Array.from({ length: 10 }, (_, owner) =>
      store.acquire(name, { owner: `owner-${owner}`, untilMs: msOf(30) }, msOf(11)),
    );
    const granted = (await Promise.all(attempts)).filter((lease) => lease !== undefined);
    expect(granted).toHaveLength(1);
  });

  const debtOf = (jobId: string, bytes = 10, day = '2026-11-20') => {
    return { account: name, day, jobId: `${jobId}.${name}`, bytes, endsAtMs: msOf(10) };
  };
  const ownDebts = async () => (await store.debts()).filter(({ account }) => account === name);

  itAtomically('counts the bytes of a debt once, by account and day', async () => {
    const debts = [debtOf('a'), debtOf('b', 5), debtOf('c', 1, '2026-11-21')];
    const reserved = [];
    for (const debt of debts) reserved.push(await store.reserve(debt, Infinity));
    expect(reserved).toEqual(
      [10, 15, 16].map((openBytes) => ({ bytes: 0, openBytes, isAdmitted: true })),
    );
    for (const bytes of [30, 40]) await store.settle(debts[0]!, bytes);
    await store.settle(debtOf('unknown'), 50);
    const days = ['2026-11-20', '2026-11-21'];
    expect(await Promise.all(days.map((day) => store.bytesOf(name, day)))).toEqual([30, 0]);
    expect(await store.bytesOf('other', '2026-11-20')).toBe(0);
    expect((await ownDebts()).toSorted((x, y) => (x.jobId < y.jobId ? -1 : 1))).toEqual(
      debts.slice(1),
    );
    for (const debt of debts) await store.settle(debt, 0);
    expect(await ownDebts()).toEqual([]);
  });

  it('admits of twelve debts at once those that fit, or one that is alone', async () => {
    const reserve = async (bytes: number) =>
      Promise.all(
        Array.from({ length: 12 }, (_, index) =>
          store.reserve(debtOf(`${bytes}.${index}`, bytes), 50),
        ),
      ).then((all) => all.filter(({ isAdmitted }) => isAdmitted).length);
    expect(await reserve(10)).toBe(5);
    expect(await ownDebts()).toHaveLength(5);
    for (const debt of await ownDebts()) await store.settle(debt, 0);
    expect(await reserve(1000)).toBe(1);
    for (const debt of await ownDebts()) await store.settle(debt, 50);
    expect(await reserve(1)).toBe(0);
  });

  itAtomically(
    'lists queries in the order in which they were left, and removes those that nobody joined',
    async () => {
      const names = ['c', 'a', 'b'].map((one) => `${one}.${name}`);
      const query: LeasedQuery = {
        ...{ requestId: name, jobId: name, startedAtMs: NOW, endsAtMs: msOf(30) },
        ...{ endpointId: 'e', resultDigest: 'd', parameters: {}, keyName: 'k' },
      };
      const left = async () =>
        (await store.queries(NOW)).filter((one) => one.query.requestId === query.requestId);
      for (const one of names) {
        const lease = await store.acquire(one, { owner: 'x', untilMs: msOf(10), query }, NOW);
        await lease?.write({ untilMs: 0, query });
      }
      const listed = await left();
      expect(listed.map((one) => [one.name, one.isHeld])).toEqual(names.map((one) => [one, false]));
      await store.acquire(names[0]!, { owner: 'y', untilMs: msOf(10), query }, NOW);
      const removed = await Promise.all(listed.map((one) => store.remove(one)));
      expect(removed).toEqual([false, true, true]);
      expect((await left()).map((one) => [one.name, one.isHeld])).toEqual([[names[0], true]]);
      expect(await store.remove(listed[1]!)).toBe(false);
    },
  );

  for (const [of, steps] of stepsBeside(import.meta.filename)) {
    if (document === undefined && of.startsWith('Firestore: ')) continue;
    const itHere = of.includes('(atomic)') ? itAtomically : it;
    itHere(of, async () => {
      const store = createStore();
      const name = randomUUID();
      const leases = new Map<string, Lease>();
      const stateOf = ({ until = -NOW / 1000, outcome, ...state }: Fields) => {
        const failure = { reason: 'QUERY_ENGINE_UNAVAILABLE', message: 'Try again.' } as const;
        const untilMs = msOf(until);
        return { ...state, untilMs, ...(outcome !== undefined && { outcome: failure }) };
      };
      const acts: Acts = {
        acquire: async (owner: string, { at, until, granted = true }: Fields) => {
          const lease = await store.acquire(name, { owner, untilMs: msOf(until) }, msOf(at));
          expect(lease !== undefined).toBe(granted);
          if (lease) leases.set(owner, lease);
        },
        /** Renews the lease of an owner, or releases it: without an end. */
        write: async (owner: string, { write: _, succeeds = true, ...state }: Fields) =>
          expect(await leases.get(owner)?.write(stateOf(state))).toBe(succeeds),
        read: async (expected: Fields | null) =>
          expect(await store.read(name)).toEqual(expected === null ? undefined : stateOf(expected)),
        /** Changes the document, or puts it there. */
        document: async (fields: Fields) => {
          const { until, ...others } = fields;
          const at = typeof until === 'number' ? Timestamp.fromMillis(msOf(until)) : until;
          await document?.(name).set(until === undefined ? fields : { ...others, until: at }, {
            merge: true,
          });
        },
      };
      await runSteps(acts, steps);
    });
  }
}

describe('LeaseStore: the fake', () => {
  describeContract(() => new FakeLeaseStore());
});

describeOnFirestores(({ kind, firestore }) => {
  const document = (name: string) => firestore().doc(`leases/${name}`);
  describeContract(() => createFirestoreLeaseStore(firestore()), kind !== 'in-process', document);
});
