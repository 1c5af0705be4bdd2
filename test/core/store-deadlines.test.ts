// Tests that no call of a store is waited for longer than its time, whichever call it is.
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
  ['a key', 2000, () => inTime.keys({ get: never }).get('digest')],
  [
    'a lease to be had',
    2000,
    () => inTime.leases({ ...LEASES, acquire: never }).acquire('', '', 0, 0),
  ],
  ['a lease to be read', 2000, () => inTime.leases(LEASES).read('name')],
  ['a lease to be renewed', 2000, async () => (await lease()).renew(0)],
  ['a lease to be released', 2000, async () => (await lease()).release()],
  ['a result', 2000, () => results().get('key')],
  ['a result to be stored', 2000, () => results().set('key', {} as Entry)],
  ['a read to be recorded', 2000, () => results().touch('key', 0, [])],
  ['a result to be refreshed', 2000, () => results().refresh({} as LiveEntry, {} as Entry)],
  ['a result to be confirmed', 2000, () => results().confirm({} as LiveEntry, 0, 0)],
  ['a page of a listing', 30_000, () => Array.fromAsync(results().listLive(0))],
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
