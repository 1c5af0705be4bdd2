// Contract tests of LeaseStore, on the fake and on Firestore.
import { randomUUID } from 'node:crypto';
import { Timestamp } from '@google-cloud/firestore';
import type { Lease, LeaseStore } from '../../functions/core/leases.ts';
import { createFirestoreLeaseStore } from '../../functions/google/lease-store.ts';
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
  const lease = await store.acquire(name, owner, nowMs, untilMs);
  if (lease === undefined) throw new Error(`${owner} did not get the lease`);
  return lease;
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
      store.acquire(name, `owner-${owner}`, NOW, LATER),
    );
    expect(await winnersOf(attempts)).toBe(1);
  });

  it('does not grant a live lease to another owner, up to its last millisecond', async () => {
    await acquired(store, name, 'a', NOW, LATER);
    expect(await store.acquire(name, 'b', LATER - 1, MUCH_LATER)).toBeUndefined();
    expect(await store.read(name)).toEqual({ owner: 'a', untilMs: LATER });
  });

  itAtomically('grants an expired lease to exactly one of ten concurrent requests', async () => {
    await acquired(store, name, 'dead', NOW, LATER);
    const attempts = Array.from({ length: 10 }, (_, owner) =>
      store.acquire(name, `owner-${owner}`, AFTER, MUCH_LATER),
    );
    expect(await winnersOf(attempts)).toBe(1);
  });

  it('renews an expired lease that was not taken over', async () => {
    const lease = await acquired(store, name, 'a', NOW, LATER);
    expect(await lease.renew(MUCH_LATER)).toBe(true);
    expect(await store.acquire(name, 'b', AFTER, MUCH_LATER)).toBeUndefined();
  });

  it('grants an expired lease to the next owner, who can renew it', async () => {
    await acquired(store, name, 'dead', NOW, LATER);
    const lease = await acquired(store, name, 'b', LATER, AFTER);
    expect(await store.read(name)).toEqual({ owner: 'b', untilMs: AFTER });
    expect(await lease.renew(MUCH_LATER)).toBe(true);
    expect(await store.read(name)).toEqual({ owner: 'b', untilMs: MUCH_LATER });
  });

  itAtomically('does not renew a lease that another owner has taken', async () => {
    const lost = await acquired(store, name, 'a', NOW, LATER);
    await acquired(store, name, 'b', AFTER, MUCH_LATER);
    expect(await lost.renew(MUCH_LATER + 60_000)).toBe(false);
    expect(await store.read(name)).toEqual({ owner: 'b', untilMs: MUCH_LATER });
  });

  itAtomically('does not release a lease that another owner has taken', async () => {
    const lost = await acquired(store, name, 'a', NOW, LATER);
    await acquired(store, name, 'b', AFTER, MUCH_LATER);
    await lost.release();
    await lost.release(FAILURE);
    expect(await store.read(name)).toEqual({ owner: 'b', untilMs: MUCH_LATER });
  });

  itAtomically('does not renew a released lease', async () => {
    const lease = await acquired(store, name, 'a', NOW, LATER);
    await lease.release();
    expect(await lease.renew(MUCH_LATER)).toBe(false);
    expect(await store.read(name)).toBeUndefined();
  });

  it('counts charges by account and day, with the release of a lease and without', async () => {
    const charge = { account: name, day: '2026-11-20', bytes: 10 };
    const freed = await acquired(store, name, 'a', NOW, LATER);
    await freed.release(undefined, false, charge);
    expect(await store.read(name)).toBeUndefined();
    const failed = await acquired(store, name, 'b', NOW, LATER);
    await failed.release(FAILURE, false, { ...charge, bytes: 5 });
    expect(await store.read(name)).toEqual({ owner: 'b', untilMs: 0, outcome: FAILURE });
    await Promise.all([1, 2, 3].map((bytes) => store.addBytes({ ...charge, bytes })));
    const days = ['2026-11-20', '2026-11-21'];
    expect(await Promise.all(days.map((day) => store.bytesOf(name, day)))).toEqual([21, 0]);
    expect(await store.bytesOf('other', '2026-11-20')).toBe(0);
  });

  itAtomically('counts the charge of a lease that was lost, and leaves the lease', async () => {
    const lost = await acquired(store, name, 'a', NOW, LATER);
    await acquired(store, name, 'b', AFTER, MUCH_LATER);
    await lost.release(undefined, false, { account: name, day: '2026-11-20', bytes: 7 });
    expect(await store.bytesOf(name, '2026-11-20')).toBe(7);
    expect(await store.read(name)).toEqual({ owner: 'b', untilMs: MUCH_LATER });
  });

  it("keeps the holder's error for waiting requests, and frees the lease", async () => {
    const lease = await acquired(store, name, 'a', NOW, LATER);
    await lease.release(FAILURE);
    expect(await store.read(name)).toEqual({ owner: 'a', untilMs: 0, outcome: FAILURE });
    expect(await store.acquire(name, 'b', NOW, LATER)).toBeDefined();
  });

  it("forgets the last holder's error once the lease is taken again", async () => {
    await (await acquired(store, name, 'a', NOW, LATER)).release(FAILURE);
    const lease = await acquired(store, name, 'b', NOW, LATER);
    expect(await store.read(name)).toEqual({ owner: 'b', untilMs: LATER });
    await lease.renew(MUCH_LATER);
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
        if (next === 'renewed') expect(await lease.renew(MUCH_LATER)).toBe(true);
        else await lease.release();
        const expected = next === 'renewed' ? { owner: 'a', untilMs: MUCH_LATER } : undefined;
        expect(await store.read(name)).toEqual(expected);
      },
    );

    it('adds bytes that could not be written to the next ones', async () => {
      const charge = { account: name, day: '2026-11-20', bytes: 10 };
      let fails = true;
      const failing = new Proxy(firestore(), {
        get(target, member) {
          const down = () => Promise.reject(new Error('Down.'));
          if (member === 'batch' && fails) return () => ({ set: () => undefined, commit: down });
          const value: unknown = Reflect.get(target, member);
          return typeof value === 'function' ? (value.bind(target) as unknown) : value;
        },
      });
      const own = createFirestoreLeaseStore(failing);
      await expect(own.addBytes(charge)).rejects.toThrow('Down.');
      expect(await own.bytesOf(name, '2026-11-20')).toBe(10);
      expect(await store.bytesOf(name, '2026-11-20')).toBe(0);
      fails = false;
      await own.addBytes({ ...charge, bytes: 5 });
      expect(await store.bytesOf(name, '2026-11-20')).toBe(15);
      expect(await own.bytesOf(name, '2026-11-20')).toBe(15);
    });

    it('is granted again to its holder if the first response was lost', async () => {
      await acquired(store, name, 'a', NOW, LATER);
      const again = await acquired(store, name, 'a', NOW, LATER);
      expect(await again.renew(MUCH_LATER)).toBe(true);
    });

    const itAtomically = kind === 'in-process' ? it.skip : it;
    itAtomically('is not restored by a renewal after its release', async () => {
      const lease = await acquired(store, name, 'a', NOW, LATER);
      const outcome = { ...FAILURE };
      await firestore()
        .doc(`leases/${name}`)
        .update({ until: Timestamp.fromMillis(0), outcome });
      expect(await lease.renew(MUCH_LATER)).toBe(false);
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
