// Tests that every call of a store has a time limit.
import type { Lease, LeaseStore } from '../../functions/core/leases.ts';
import type { Entry, LiveEntry, ResultStore } from '../../functions/core/result-store.ts';
import { storeDeadlines } from '../../functions/core/store-deadlines.ts';
import { FakeClock } from '../support/clock.ts';

const never = (): Promise<never> => new Promise(() => undefined);
const MIB = 1024 * 1024;
const entryOf = (bytes: number) => ({ body: Buffer.alloc(bytes) }) as Entry;
const LEASE: Lease = {
  query: undefined,
  isJoined: false,
  write: never,
};
const LEASES: LeaseStore = {
  acquire: () => Promise.resolve(LEASE),
  read: never,
  queries: never,
  remove: never,
  bytesOf: never,
  reserve: never,
  settle: never,
  debts: never,
};
const RESULTS: ResultStore = {
  get: never,
  set: never,
  touch: never,
  refresh: never,
  confirm: never,
  listLive: () => ({ [Symbol.asyncIterator]: () => ({ next: never }) }),
};

let clock: FakeClock;
let inTime: ReturnType<typeof storeDeadlines>;

beforeEach(() => {
  clock = new FakeClock('2026-11-20T10:00:00Z');
  inTime = storeDeadlines(clock, 2000);
});

const results = (): ResultStore => inTime.results(RESULTS);
const lease = async (): Promise<Lease> => {
  const acquired = await inTime.leases(LEASES).acquire('name', { owner: 'owner', untilMs: 0 }, 0);
  return acquired as Lease;
};

it.each<[string, () => Promise<unknown>, ms?: number]>([
  ['reading a key', () => inTime.calls({ get: never }).get()],
  [
    'taking a lease',
    () => inTime.leases({ ...LEASES, acquire: never }).acquire('', { owner: '', untilMs: 0 }, 0),
  ],
  ['reading a lease', () => inTime.leases(LEASES).read('name')],
  ['writing a lease', async () => (await lease()).write({ untilMs: 0 })],
  ['listing queries', () => inTime.leases(LEASES).queries(0)],
  ['reading the bytes of a day', () => inTime.leases(LEASES).bytesOf('a', '2026-11-20')],
  ['reading a result', () => results().get('key')],
  ['storing a result', () => results().set('key', entryOf(900 * 1024))],
  ['recording a read', () => results().touch('key', 0, [])],
  ['refreshing a result', () => results().refresh({} as LiveEntry, entryOf(1))],
  ['storing a result of 8 MiB', () => results().set('key', entryOf(8 * MIB)), 6000],
  [
    'refreshing a result of 2 MiB',
    () => results().refresh({} as LiveEntry, entryOf(2 * MIB)),
    3000,
  ],
  ['confirming a result', () => results().confirm({} as LiveEntry, 0, 0)],
  ['listing a page', () => Array.fromAsync(results().listLive(0)), 30_000],
])('%s times out', async (_name, call, ms = 2000) => {
  let outcome = 'waits';
  const called = call().then(
    () => (outcome = 'answered'),
    (error: unknown) => (outcome = String(error)),
  );
  // A lease is acquired first.
  await new Promise(setImmediate);
  clock.advance(ms - 1);
  await new Promise(setImmediate);
  expect(outcome).toBe('waits');
  clock.advance(1);
  await called;
  expect(outcome).toBe('Error: timed out');
});

describe('large results', () => {
  let begun: (() => void)[];
  let outcomes: string[];
  let store: ResultStore;

  beforeEach(() => {
    [begun, outcomes] = [[], []];
    store = inTime.results({
      ...RESULTS,
      get: async (_, admit) => {
        await admit?.(8 * MIB);
        await new Promise<void>((resolve) => begun.push(resolve));
        return undefined;
      },
    });
  });

  async function read(count: number): Promise<void> {
    for (let number = 0; number < count; number += 1) {
      void store.get('key').then(
        () => outcomes.push('read'),
        (error: unknown) => outcomes.push(String(error)),
      );
    }
    await new Promise(setImmediate);
  }

  it('are read four at a time', async () => {
    await read(6);
    expect(begun).toHaveLength(4);
    begun[0]?.();
    await read(0);
    expect(begun).toHaveLength(5);
    expect(outcomes).toEqual(['read']);
  });

  it('time out after a share of time, also those that wait, and make room for others', async () => {
    await read(6);
    clock.advance(5999);
    await read(0);
    expect(outcomes).toEqual([]);
    clock.advance(1);
    await read(0);
    expect(outcomes).toEqual(Array(6).fill('Error: timed out'));
    expect(begun).toHaveLength(4);
    await read(5);
    expect(begun).toHaveLength(8);
  });
});

it('each page of a listing has its own timeout', async () => {
  const pages = [1, 2, 3].map((live) => ({ entries: [], unreadable: [String(live)] }));
  async function* slowly() {
    for (const page of pages) {
      await clock.wait(29_000);
      yield page;
    }
  }
  const listed = Array.fromAsync(inTime.results({ ...RESULTS, listLive: slowly }).listLive(0));
  for (const _ of pages) {
    await new Promise(setImmediate);
    clock.advance(29_000);
  }
  expect(await listed).toEqual(pages);
});
