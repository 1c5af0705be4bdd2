// Contract tests of LeaseStore, on the fake and on Firestore.
import { randomUUID } from 'node:crypto';
import { Timestamp } from '@google-cloud/firestore';
import type { Lease, LeaseStore, LeasedQuery } from '../../functions/core/leases.ts';
import { createFirestoreLeaseStore } from '../../functions/firestore/lease-store.ts';
import { FakeLeaseStore } from '../support/fakes/fake-lease-store.ts';
import { describeOnFirestores } from '../support/service/firestore-emulators.ts';

const NOW = Date.parse('2026-11-20T10:00:00Z');
const LATER = Date.parse('2026-11-20T10:00:10Z');
const AFTER = Date.parse('2026-11-20T10:00:11Z');
const MUCH_LATER = Date.parse('2026-11-20T10:00:30Z');
const FAILURE = { reason: 'QUERY_ENGINE_UNAVAILABLE', message: 'Try again.' } as const;

async function acquired(
  store: LeaseStore,
  name: string,
  owner: string,
  nowMs: number,
  untilMs: number,
): Promise<Lease> {
  const lease = await store.acquire(name, { owner, untilMs }, nowMs);
  if (lease === undefined) throw new Error(`${owner} did not get the lease`);
  return lease;
}

function queryOf(requestId: string): LeasedQuery {
  const of = { endpointId: 'e', resultDigest: 'd', parameters: {}, keyName: 'k' };
  return { requestId, jobId: requestId, startedAtMs: NOW, endsAtMs: MUCH_LATER, ...of };
}

async function winnersOf(attempts: Promise<Lease | undefined>[]): Promise<number> {
  return (await Promise.all(attempts)).filter((lease) => lease !== undefined).length;
}

/** `isAtomic` is false where writes ignore their preconditions. */
function describeContract(createStore: () => LeaseStore, isAtomic = true): void {
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
      store.acquire(name, { owner: `owner-${owner}`, untilMs: LATER }, NOW),
    );
    expect(await winnersOf(attempts)).toBe(1);
  });

  it('does not grant a live lease to another owner, up to its last millisecond', async () => {
    await acquired(store, name, 'a', NOW, LATER);
    expect(
      await store.acquire(name, { owner: 'b', untilMs: MUCH_LATER }, LATER - 1),
    ).toBeUndefined();
    expect(await store.read(name)).toEqual({ owner: 'a', untilMs: LATER });
  });

  itAtomically('grants an expired lease to exactly one of ten concurrent requests', async () => {
    await acquired(store, name, 'dead', NOW, LATER);
    const attempts = Array.from({ length: 10 }, (_, owner) =>
      store.acquire(name, { owner: `owner-${owner}`, untilMs: MUCH_LATER }, AFTER),
    );
    expect(await winnersOf(attempts)).toBe(1);
  });

  it('renews an expired lease that was not taken over', async () => {
    const lease = await acquired(store, name, 'a', NOW, LATER);
    expect(await lease.write({ untilMs: MUCH_LATER })).toBe(true);
    expect(await store.acquire(name, { owner: 'b', untilMs: MUCH_LATER }, AFTER)).toBeUndefined();
  });

  it('grants an expired lease to the next owner, who can renew it', async () => {
    await acquired(store, name, 'dead', NOW, LATER);
    const lease = await acquired(store, name, 'b', LATER, AFTER);
    expect(await store.read(name)).toEqual({ owner: 'b', untilMs: AFTER });
    expect(await lease.write({ untilMs: MUCH_LATER })).toBe(true);
    expect(await store.read(name)).toEqual({ owner: 'b', untilMs: MUCH_LATER });
  });

  itAtomically('does not renew a lease that another owner has taken', async () => {
    const lost = await acquired(store, name, 'a', NOW, LATER);
    await acquired(store, name, 'b', AFTER, MUCH_LATER);
    expect(await lost.write({ untilMs: MUCH_LATER + 60_000 })).toBe(false);
    expect(await store.read(name)).toEqual({ owner: 'b', untilMs: MUCH_LATER });
  });

  itAtomically('does not release a lease that another owner has taken', async () => {
    const lost = await acquired(store, name, 'a', NOW, LATER);
    await acquired(store, name, 'b', AFTER, MUCH_LATER);
    await lost.write({ untilMs: 0 });
    await lost.write({ untilMs: 0, outcome: FAILURE });
    expect(await store.read(name)).toEqual({ owner: 'b', untilMs: MUCH_LATER });
  });

  itAtomically('does not renew a released lease', async () => {
    const lease = await acquired(store, name, 'a', NOW, LATER);
    await lease.write({ untilMs: 0 });
    expect(await lease.write({ untilMs: MUCH_LATER })).toBe(false);
    expect(await store.read(name)).toBeUndefined();
  });

  const debtOf = (jobId: string, bytes = 10, day = '2026-11-20') => {
    return { account: name, day, jobId: `${jobId}.${name}`, bytes, endsAtMs: LATER };
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
      const query = queryOf(name);
      const left = async () =>
        (await store.queries(NOW)).filter((one) => one.query.requestId === query.requestId);
      for (const one of names) {
        const lease = await store.acquire(one, { owner: 'x', untilMs: LATER, query }, NOW);
        await lease?.write({ untilMs: 0, query });
      }
      const listed = await left();
      expect(listed.map((one) => [one.name, one.isHeld])).toEqual(names.map((one) => [one, false]));
      await store.acquire(names[0]!, { owner: 'y', untilMs: LATER, query }, NOW);
      const removed = await Promise.all(listed.map((one) => store.remove(one)));
      expect(removed).toEqual([false, true, true]);
      expect((await left()).map((one) => [one.name, one.isHeld])).toEqual([[names[0], true]]);
      expect(await store.remove(listed[1]!)).toBe(false);
    },
  );

  it("keeps the holder's error for waiting requests, and frees the lease", async () => {
    const lease = await acquired(store, name, 'a', NOW, LATER);
    await lease.write({ untilMs: 0, outcome: FAILURE });
    expect(await store.read(name)).toEqual({ owner: 'a', untilMs: 0, outcome: FAILURE });
    expect(await store.acquire(name, { owner: 'b', untilMs: LATER }, NOW)).toBeDefined();
  });

  it("forgets the last holder's error once the lease is taken again", async () => {
    await (await acquired(store, name, 'a', NOW, LATER)).write({ untilMs: 0, outcome: FAILURE });
    const lease = await acquired(store, name, 'b', NOW, LATER);
    expect(await store.read(name)).toEqual({ owner: 'b', untilMs: LATER });
    await lease.write({ untilMs: MUCH_LATER });
    expect(await store.read(name)).toEqual({ owner: 'b', untilMs: MUCH_LATER });
  });
}

describe('LeaseStore', () => {
  describe('the fake', () => {
    describeContract(() => new FakeLeaseStore());
  });

  describeOnFirestores(({ kind, firestore }) => {
    describeContract(() => createFirestoreLeaseStore(firestore()), kind !== 'in-process');

    let store: LeaseStore;
    let name: string;

    beforeEach(() => {
      [store, name] = [createFirestoreLeaseStore(firestore()), randomUUID()];
    });

    it.each(['renewed', 'released'])(
      'is still held, and can be %s, after a renewal whose response was lost',
      async (next) => {
        const lease = await acquired(store, name, 'a', NOW, LATER);
        const until = Timestamp.fromMillis(AFTER);
        await firestore().doc(`leases/${name}`).update({ until });
        if (next === 'renewed') expect(await lease.write({ untilMs: MUCH_LATER })).toBe(true);
        else await lease.write({ untilMs: 0 });
        const expected = next === 'renewed' ? { owner: 'a', untilMs: MUCH_LATER } : undefined;
        expect(await store.read(name)).toEqual(expected);
      },
    );

    it('is granted again to its holder if the first response was lost', async () => {
      await acquired(store, name, 'a', NOW, LATER);
      const again = await acquired(store, name, 'a', NOW, LATER);
      expect(await again.write({ untilMs: MUCH_LATER })).toBe(true);
    });

    const itAtomically = kind === 'in-process' ? it.skip : it;
    itAtomically('is not restored by a renewal after its release', async () => {
      const lease = await acquired(store, name, 'a', NOW, LATER);
      const outcome = { ...FAILURE };
      await firestore()
        .doc(`leases/${name}`)
        .update({ until: Timestamp.fromMillis(0), outcome });
      expect(await lease.write({ untilMs: MUCH_LATER })).toBe(false);
      expect(await store.read(name)).toEqual({ owner: 'a', untilMs: 0, outcome: FAILURE });
    });

    it('replaces a lease whose document is invalid', async () => {
      await firestore().doc(`leases/${name}`).set({ owner: 7, until: 'tomorrow' });
      expect(await store.read(name)).toBeUndefined();
      await acquired(store, name, 'a', NOW, LATER);
      expect(await store.read(name)).toEqual({ owner: 'a', untilMs: LATER });
    });

    // Nobody could release it: every miss of this key would wait until its deadline, for good.
    itAtomically('a lease is free if its end is later than any instance can have set', async () => {
      const until = Timestamp.fromMillis(Date.parse('9999-01-01T00:00:00Z'));
      await firestore().doc(`leases/${name}`).set({ owner: 'x', until });
      await acquired(store, name, 'a', NOW, LATER);
    });

    it.each([
      ['an unknown reason', { reason: 'NO_SUCH_REASON', message: 'x' }],
      ['no message', { reason: 'INTERNAL' }],
      ['another shape', 7],
    ])('ignores an outcome with %s, which another version may have written', async (_, outcome) => {
      const until = Timestamp.fromMillis(LATER);
      await firestore().doc(`leases/${name}`).set({ owner: 'x', until, outcome });
      expect(await store.read(name)).toEqual({ owner: 'x', untilMs: LATER });
    });
  });
});
