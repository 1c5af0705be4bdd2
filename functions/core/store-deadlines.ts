// Bounds the time of each call of a store, so that no caller waits for an unresponsive store.
import { type Clock, withDeadline } from './clock.ts';
import type { KeyStore } from './key-store.ts';
import type { LeaseStore } from './leases.ts';
import type { LivePage, RefreshStore, ResultStore } from './result-store.ts';

/** For one page of a listing. */
const PAGE_MS = 30_000;

/** The same stores, whose calls reject once `ms` milliseconds have passed. */
export function storeDeadlines(clock: Clock, ms: number) {
  const inTime = <T>(call: Promise<T>): Promise<T> => withDeadline(clock, ms, call);

  return {
    keys: (store: KeyStore): KeyStore => callsInTime(store, 'get'),
    leases: (store: LeaseStore): LeaseStore => ({
      ...callsInTime(store, 'read', 'queries', 'countLeft'),
      async acquire(...terms) {
        const lease = await inTime(store.acquire(...terms));
        return lease && { ...lease, ...callsInTime(lease, 'renew', 'record', 'release') };
      },
    }),
    refreshes: (store: RefreshStore): RefreshStore => ({
      ...callsInTime(store, 'list', 'demandedMs', 'withdraw'),
      ...callsInTime(store, 'recordRun', 'sourceStates', 'recordSourceStates'),
    }),
    results: (store: ResultStore): ResultStore => ({
      ...callsInTime(store, 'get', 'set', 'touch', 'refresh', 'confirm'),
      listLive: (sinceMs) => pagesInTime(store.listLive(sinceMs)),
    }),
  };

  /** The named methods of a store, with the time limit. */
  function callsInTime<
    Name extends string,
    Store extends Record<Name, (...call: never[]) => Promise<unknown>>,
  >(store: Store, ...names: Name[]): Pick<Store, Name> {
    const calls = names.map((name) => [name, (...call: never[]) => inTime(store[name](...call))]);
    return Object.fromEntries(calls) as Pick<Store, Name>;
  }

  async function* pagesInTime(listing: AsyncIterable<LivePage>): AsyncGenerator<LivePage> {
    const pages = listing[Symbol.asyncIterator]();
    for (;;) {
      const next: Promise<IteratorResult<LivePage, unknown>> = pages.next();
      const page = await withDeadline(clock, PAGE_MS, next);
      if (page.done) return;
      yield page.value;
    }
  }
}
