// Bounds the time of each call of a store, so that no caller waits for an unresponsive store.
import { type Clock, withDeadline } from './clock.ts';
import type { KeyStore } from './key-store.ts';
import type { Lease, LeaseStore } from './leases.ts';
import type { LivePage, RefreshStore, ResultStore } from './result-store.ts';

/** For one page of a listing. */
const PAGE_MS = 30_000;

/** The same stores, whose calls reject once `ms` milliseconds have passed. */
export function storeDeadlines(clock: Clock, ms: number) {
  const inTime = <T>(call: Promise<T>): Promise<T> => withDeadline(clock, ms, call);

  return {
    keys: (store: KeyStore): KeyStore => ({
      get: (digest) => inTime(store.get(digest)),
    }),
    leases: (store: LeaseStore): LeaseStore => ({
      async acquire(name, owner, nowMs, untilMs) {
        const lease = await inTime(store.acquire(name, owner, nowMs, untilMs));
        return lease && leaseInTime(lease);
      },
      read: (name) => inTime(store.read(name)),
    }),
    refreshes: (store: RefreshStore): RefreshStore => ({
      list: () => inTime(store.list()),
      demandedMs: (endpointId) => inTime(store.demandedMs(endpointId)),
      withdraw: (cacheKey, demandedMs) => inTime(store.withdraw(cacheKey, demandedMs)),
      recordRun: (run) => inTime(store.recordRun(run)),
      sourceStates: () => inTime(store.sourceStates()),
      recordSourceStates: (states) => inTime(store.recordSourceStates(states)),
    }),
    results: (store: ResultStore): ResultStore => ({
      get: (cacheKey) => inTime(store.get(cacheKey)),
      set: (cacheKey, entry) => inTime(store.set(cacheKey, entry)),
      touch: (cacheKey, readAtMs, readers) => inTime(store.touch(cacheKey, readAtMs, readers)),
      refresh: (live, entry) => inTime(store.refresh(live, entry)),
      confirm: (live, checkedAtMs, freshUntilMs) =>
        inTime(store.confirm(live, checkedAtMs, freshUntilMs)),
      listLive: (sinceMs) => pagesInTime(store.listLive(sinceMs)),
    }),
  };

  function leaseInTime(lease: Lease): Lease {
    return {
      renew: (untilMs) => inTime(lease.renew(untilMs)),
      release: (outcome) => inTime(lease.release(outcome)),
    };
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
