// Tests that every call of a store has a time limit.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Lease, LeaseStore } from '../../functions/core/leases.ts';
import type { Entry, LiveEntry, ResultStore } from '../../functions/core/result-store.ts';
import { storeDeadlines } from '../../functions/core/store-deadlines.ts';
import { FakeClock } from '../support/clock.ts';

const MIB = 1024 * 1024;
const entryOf = (bytes: number) => ({ body: Buffer.alloc(bytes) }) as Entry;

function start() {
  const clock = new FakeClock('2026-11-20T10:00:00Z');
  return { clock, inTime: storeDeadlines(clock, 2000) };
}

interface Stores {
  keys: { get: () => Promise<unknown> };
  leases: LeaseStore;
  lease: () => Promise<Lease | undefined>;
  results: ResultStore;
}

it.each<[string, (stores: Stores) => Promise<unknown>, ms?: number]>([
  ['reading a key', ({ keys }) => keys.get()],
  ['taking a lease', ({ leases }) => leases.acquire('', { owner: '', untilMs: 0 }, 0)],
  ['reading a lease', ({ leases }) => leases.read('name')],
  ['writing a lease', async ({ lease }) => (await lease())?.write({ untilMs: 0 })],
  ['listing queries', ({ leases }) => leases.queries(0)],
  ['reading the bytes of a day', ({ leases }) => leases.bytesOf('a', '2026-11-20')],
  ['reading a result', ({ results }) => results.get('key')],
  ['storing a result', ({ results }) => results.set('key', entryOf(900 * 1024))],
  ['recording a read', ({ results }) => results.touch('key', 0, [])],
  ['refreshing a result', ({ results }) => results.refresh({} as LiveEntry, entryOf(1))],
  ['storing a result of 8 MiB', ({ results }) => results.set('key', entryOf(8 * MIB)), 6000],
  [
    'refreshing a result of 2 MiB',
    ({ results }) => results.refresh({} as LiveEntry, entryOf(2 * MIB)),
    3000,
  ],
  ['confirming a result', ({ results }) => results.confirm({} as LiveEntry, 0, 0)],
  ['listing a page', ({ results }) => Array.fromAsync(results.listLive(0)), 30_000],
])('%s times out', async (_name, call, ms = 2000) => {
  const never = (): Promise<never> => new Promise(() => undefined);
  const { clock, inTime } = start();
  const leases: LeaseStore = {
    ...{ acquire: never, read: never, queries: never, remove: never },
    ...{ bytesOf: never, reserve: never, settle: never, debts: never },
  };
  const granted: Lease = { query: undefined, isJoined: false, write: never };
  const granting = { ...leases, acquire: () => Promise.resolve(granted) };
  const stores: Stores = {
    keys: inTime.calls({ get: never }),
    leases: inTime.leases(leases),
    lease: () => inTime.leases(granting).acquire('name', { owner: 'owner', untilMs: 0 }, 0),
    results: inTime.results({
      ...{ get: never, set: never, touch: never, refresh: never, confirm: never },
      listLive: () => ({ [Symbol.asyncIterator]: () => ({ next: never }) }),
    }),
  };
  let outcome = 'waits';
  const called = call(stores).then(
    () => (outcome = 'answered'),
    (error: unknown) => (outcome = String(error)),
  );
  // A lease is acquired first.
  await nextTurn();
  clock.advance(ms - 1);
  await nextTurn();
  expect(outcome).toBe('waits');
  clock.advance(1);
  await called;
  expect(outcome).toBe('Error: timed out');
});

function startLarge() {
  const { clock, inTime } = start();
  const begun: (() => void)[] = [];
  const outcomes: string[] = [];
  const store = inTime.results({
    async get(_, admit) {
      await admit?.(8 * MIB);
      await new Promise<void>((resolve) => begun.push(resolve));
    },
  } as ResultStore);
  /** Begins to read so many results of 8 MiB. */
  async function read(count: number): Promise<void> {
    for (let number = 0; number < count; number += 1) {
      void store.get('key').then(
        () => outcomes.push('read'),
        (error: unknown) => outcomes.push(String(error)),
      );
    }
    await nextTurn();
  }
  return { clock, begun, outcomes, read };
}

it('large results are read four at a time', async () => {
  const { begun, outcomes, read } = startLarge();
  await read(6);
  expect(begun).toHaveLength(4);
  begun[0]?.();
  await nextTurn();
  expect(begun).toHaveLength(5);
  expect(outcomes).toEqual(['read']);
});

it('large results time out after a share of time, also those that wait, and make room for others', async () => {
  const { clock, begun, outcomes, read } = startLarge();
  await read(6);
  clock.advance(5999);
  await nextTurn();
  expect(outcomes).toEqual([]);
  clock.advance(1);
  await nextTurn();
  expect(outcomes).toEqual(Array(6).fill('Error: timed out'));
  expect(begun).toHaveLength(4);
  await read(5);
  expect(begun).toHaveLength(8);
});

it('each page of a listing has its own timeout', async () => {
  const { clock, inTime } = start();
  const pages = [1, 2, 3].map((live) => ({ entries: [], unreadable: [String(live)] }));
  async function* listLive() {
    for (const page of pages) {
      await clock.wait(29_000);
      yield page;
    }
  }
  const listed = Array.fromAsync(
    inTime.results({ listLive } as Partial<ResultStore> as ResultStore).listLive(0),
  );
  for (const _ of pages) {
    await nextTurn();
    clock.advance(29_000);
  }
  expect(await listed).toEqual(pages);
});
