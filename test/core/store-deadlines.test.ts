// Tests that every call of a store has a time limit.
import type { Lease, LeaseStore, LeasedQuery } from '../../functions/core/leases.ts';
import type { Entry, LiveEntry, ResultStore } from '../../functions/core/result-store.ts';
import { storeDeadlines } from '../../functions/core/store-deadlines.ts';
import { FakeClock } from '../support/fakes/fake-clock.ts';

const never = (): Promise<never> => new Promise(() => undefined);
const LEASE: Lease = {
  query: undefined,
  isJoined: false,
  renew: never,
  record: never,
  release: never,
};
const LEASES: LeaseStore = {
  acquire: () => Promise.resolve(LEASE),
  read: never,
  queries: never,
  countLeft: never,
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
  const acquired = await inTime.leases(LEASES).acquire('name', 'owner', 0, 0);
  return acquired as Lease;
};

it.each<[string, () => Promise<unknown>, ms?: number]>([
  ['reading a key', () => inTime.keys({ get: never }).get('digest')],
  ['taking a lease', () => inTime.leases({ ...LEASES, acquire: never }).acquire('', '', 0, 0)],
  ['reading a lease', () => inTime.leases(LEASES).read('name')],
  ['renewing a lease', async () => (await lease()).renew(0)],
  ['recording a query', async () => (await lease()).record({} as LeasedQuery, 0)],
  ['listing queries', () => inTime.leases(LEASES).queries(0)],
  ['counting queries', () => inTime.leases(LEASES).countLeft('key', 0)],
  ['releasing a lease', async () => (await lease()).release()],
  ['reading a result', () => results().get('key')],
  ['storing a result', () => results().set('key', {} as Entry)],
  ['recording a read', () => results().touch('key', 0, [])],
  ['refreshing a result', () => results().refresh({} as LiveEntry, {} as Entry)],
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
