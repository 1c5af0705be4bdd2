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

  it('knows nothing of a lease that nobody has taken', async () => {
    expect(await createStore().read(randomUUID())).toBeUndefined();
  });

  it('shows who holds a lease, and until when', async () => {
    await acquired(store, name, 'a', NOW, LATER);
    expect(await store.read(name)).toEqual({ owner: 'a', untilMs: LATER });
  });

  it('gives a free lease to exactly one of ten who ask at once', async () => {
    const attempts = Array.from({ length: 10 }, (_, owner) =>
      store.acquire(name, `owner-${owner}`, NOW, LATER),
    );
    expect(await winnersOf(attempts)).toBe(1);
  });

  it('does not give a live lease to anybody else, up to its last millisecond', async () => {
    await acquired(store, name, 'a', NOW, LATER);
    expect(await store.acquire(name, 'b', LATER - 1, MUCH_LATER)).toBeUndefined();
    expect(await store.read(name)).toEqual({ owner: 'a', untilMs: LATER });
  });

  it('gives leases of different names independently', async () => {
    await acquired(store, randomUUID(), 'a', NOW, LATER);
    expect(await store.acquire(randomUUID(), 'b', NOW, LATER)).toBeDefined();
  });

  it('gives a lease that has ended to the next who asks', async () => {
    await acquired(store, name, 'a', NOW, LATER);
    await acquired(store, name, 'b', LATER, MUCH_LATER);
    expect(await store.read(name)).toEqual({ owner: 'b', untilMs: MUCH_LATER });
  });

  itAtomically('gives a lease that has ended to exactly one of ten who ask at once', async () => {
    await acquired(store, name, 'dead', NOW, LATER);
    const attempts = Array.from({ length: 10 }, (_, owner) =>
      store.acquire(name, `owner-${owner}`, AFTER, MUCH_LATER),
    );
    expect(await winnersOf(attempts)).toBe(1);
  });

  it('prolongs a lease again and again', async () => {
    const lease = await acquired(store, name, 'a', NOW, LATER);
    expect(await lease.renew(AFTER)).toBe(true);
    expect(await lease.renew(MUCH_LATER)).toBe(true);
    expect(await store.read(name)).toEqual({ owner: 'a', untilMs: MUCH_LATER });
    expect(await store.acquire(name, 'b', AFTER, MUCH_LATER)).toBeUndefined();
  });

  it('prolongs a lease that has ended but that nobody has taken', async () => {
    const lease = await acquired(store, name, 'a', NOW, LATER);
    expect(await lease.renew(MUCH_LATER)).toBe(true);
    expect(await store.acquire(name, 'b', AFTER, MUCH_LATER)).toBeUndefined();
  });

  it('prolongs a lease that was taken over', async () => {
    await acquired(store, name, 'dead', NOW, LATER);
    const lease = await acquired(store, name, 'b', AFTER, AFTER + 1000);
    expect(await lease.renew(MUCH_LATER)).toBe(true);
    expect(await store.read(name)).toEqual({ owner: 'b', untilMs: MUCH_LATER });
  });

  itAtomically('does not prolong a lease that has gone to somebody else', async () => {
    const lost = await acquired(store, name, 'a', NOW, LATER);
    await acquired(store, name, 'b', AFTER, MUCH_LATER);
    expect(await lost.renew(MUCH_LATER + 60_000)).toBe(false);
    expect(await store.read(name)).toEqual({ owner: 'b', untilMs: MUCH_LATER });
  });

  itAtomically('does not release a lease that has gone to somebody else', async () => {
    const lost = await acquired(store, name, 'a', NOW, LATER);
    await acquired(store, name, 'b', AFTER, MUCH_LATER);
    await lost.release();
    await lost.release(FAILURE);
    expect(await store.read(name)).toEqual({ owner: 'b', untilMs: MUCH_LATER });
  });

  itAtomically('does not prolong a lease that was released', async () => {
    const lease = await acquired(store, name, 'a', NOW, LATER);
    await lease.release();
    expect(await lease.renew(MUCH_LATER)).toBe(false);
    expect(await store.read(name)).toBeUndefined();
  });

  it('leaves nothing of a lease that was released', async () => {
    const lease = await acquired(store, name, 'a', NOW, LATER);
    await lease.renew(MUCH_LATER);
    await lease.release();
    expect(await store.read(name)).toBeUndefined();
    expect(await store.acquire(name, 'b', NOW, LATER)).toBeDefined();
  });

  it('leaves the failure of a holder for those who wait, and the lease free', async () => {
    const lease = await acquired(store, name, 'a', NOW, LATER);
    await lease.release(FAILURE);
    expect(await store.read(name)).toEqual({ owner: 'a', untilMs: 0, outcome: FAILURE });
    expect(await store.acquire(name, 'b', NOW, LATER)).toBeDefined();
  });

  it('forgets the failure of the last holder as soon as somebody holds the lease again', async () => {
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

    it.each(['renewed', 'released'])(
      'is still held, and can be %s, after a renewal whose answer was lost',
      async (next) => {
        const store = createFirestoreLeaseStore(firestore());
        const name = randomUUID();
        const lease = await acquired(store, name, 'a', NOW, LATER);
        const until = Timestamp.fromMillis(AFTER);
        await firestore().doc(`leases/${name}`).update({ until });
        if (next === 'renewed') expect(await lease.renew(MUCH_LATER)).toBe(true);
        else await lease.release();
        const expected = next === 'renewed' ? { owner: 'a', untilMs: MUCH_LATER } : undefined;
        expect(await store.read(name)).toEqual(expected);
      },
    );

    it('is given again to its holder, whose first answer was lost', async () => {
      const [store, name] = [createFirestoreLeaseStore(firestore()), randomUUID()];
      await acquired(store, name, 'a', NOW, LATER);
      const again = await acquired(store, name, 'a', NOW, LATER);
      expect(await again.renew(MUCH_LATER)).toBe(true);
    });

    const itAtomically = kind === 'in-process' ? it.skip : it;
    itAtomically('is not brought back by a renewal that comes after its release', async () => {
      const store = createFirestoreLeaseStore(firestore());
      const name = randomUUID();
      const lease = await acquired(store, name, 'a', NOW, LATER);
      const outcome = { ...FAILURE };
      await firestore()
        .doc(`leases/${name}`)
        .update({ until: Timestamp.fromMillis(0), outcome });
      expect(await lease.renew(MUCH_LATER)).toBe(false);
      expect(await store.read(name)).toEqual({ owner: 'a', untilMs: 0, outcome: FAILURE });
    });

    it('takes a lease whose document has another shape', async () => {
      const store = createFirestoreLeaseStore(firestore());
      const name = randomUUID();
      await firestore().doc(`leases/${name}`).set({ owner: 7, until: 'tomorrow' });
      expect(await store.read(name)).toBeUndefined();
      await acquired(store, name, 'a', NOW, LATER);
      expect(await store.read(name)).toEqual({ owner: 'a', untilMs: LATER });
    });
  });
});

describeOnFirestores(({ kind, firestore }) => {
  const itTakesOver = kind === 'in-process' ? it.skip : it;

  // Nobody could release it: every miss of this key would wait until its deadline, for good.
  itTakesOver('a lease that ends later than any instance can have taken it is free', async () => {
    const name = randomUUID();
    const until = Timestamp.fromMillis(Date.parse('9999-01-01T00:00:00Z'));
    await firestore().collection('leases').doc(name).set({ owner: 'x', until });
    const store = createFirestoreLeaseStore(firestore());
    await acquired(store, name, 'a', NOW, LATER);
  });

  it.each([
    ['an unknown reason', { reason: 'NO_SUCH_REASON', message: 'x' }],
    ['no message', { reason: 'INTERNAL' }],
    ['another shape', 7],
  ])('an outcome with %s, as of another version, is none', async (_, outcome) => {
    const name = randomUUID();
    const until = Timestamp.fromMillis(LATER);
    await firestore().collection('leases').doc(name).set({ owner: 'x', until, outcome });
    const store = createFirestoreLeaseStore(firestore());
    expect(await store.read(name)).toEqual({ owner: 'x', untilMs: LATER });
  });
});
