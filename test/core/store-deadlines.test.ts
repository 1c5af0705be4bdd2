// Tests that every call of a store has a time limit.
import type { Lease, LeaseStore } from '../../functions/core/leases.ts';
import type { Entry, LiveEntry, ResultStore } from '../../functions/core/result-store.ts';
import { storeDeadlines } from '../../functions/core/store-deadlines.ts';
import { FakeClock } from '../support/fakes/fake-clock.ts';

const never = (): Promise<never> => new Promise(() => undefined);
const LEASE: Lease = { renew: never, release: never };
const LEASES: LeaseStore = { acquire: () => Promise.resolve(LEASE), read: never };
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

it.each<[string, number, () => Promise<unknown>]>([
  ['reading a key', 2000, () => inTime.keys({ get: never }).get('digest')],
  [
    'taking a lease',
    2000,
    () => inTime.leases({ ...LEASES, acquire: never }).acquire('', '', 0, 0),
  ],
  ['reading a lease', 2000, () => inTime.leases(LEASES).read('name')],
  ['renewing a lease', 2000, async () => (await lease()).renew(0)],
  ['releasing a lease', 2000, async () => (await lease()).release()],
  ['reading a result', 2000, () => results().get('key')],
  ['storing a result', 2000, () => results().set('key', {} as Entry)],
  ['recording a read', 2000, () => results().touch('key', 0, [])],
  ['refreshing a result', 2000, () => results().refresh({} as LiveEntry, {} as Entry)],
  ['confirming a result', 2000, () => results().confirm({} as LiveEntry, 0, 0)],
  ['listing a page', 30_000, () => Array.fromAsync(results().listLive(0))],
])('%s times out after %d ms', async (_name, ms, call) => {
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
