// Bounds the time of each call of a store, so that no caller waits for an unresponsive store, and the memory that large bodies take.
import { type Clock, withDeadline } from './clock.ts';
import type { LeaseStore } from './leases.ts';
import { createMemoryBudget } from './memory-budget.ts';
import { DOCUMENT_BODY_BYTES_MAX, type LivePage, type ResultStore } from './result-store.ts';

const PAGE_MS = 30_000;
/** A body in several documents has the time of one more call for each 4 MiB: 6 s for 8 MiB by default. */
const BYTES_PER_CALL = 4 * 1024 * 1024;
/** Of such bodies that are read or written at the same time, four of 8 MiB: each takes memory in the messages too. */
const LARGE_BYTES_MAX = 32 * 1024 * 1024;

/** The same stores, whose calls reject once `ms` milliseconds have passed. */
export function storeDeadlines(clock: Clock, ms: number) {
  const inTime = <T>(call: Promise<T>): Promise<T> => withDeadline(clock, ms, call);

  return {
    calls: callsInTime,
    leases: (store: LeaseStore): LeaseStore =>
      callsInTime(store, {
        async acquire(...terms) {
          const lease = await inTime(store.acquire(...terms));
          return lease && callsInTime(lease);
        },
      }),
    results: resultsInTime,
  };

  /** With a time limit for each method but those that bound their time themselves. */
  function callsInTime<Store extends object>(store: Store, bounded: Partial<Store> = {}): Store {
    return new Proxy(store, {
      get(_, name) {
        if (name in bounded) return Reflect.get(bounded, name);
        const member: unknown = Reflect.get(store, name);
        if (typeof member !== 'function') return member;
        return (...call: unknown[]) => inTime(member.apply(store, call) as Promise<unknown>);
      },
    });
  }

  function resultsInTime(store: ResultStore): ResultStore {
    const openLarge = createMemoryBudget(LARGE_BYTES_MAX, clock);
    return callsInTime(store, {
      async get(cacheKey) {
        const [large, admitted] = [Promise.withResolvers<number>(), Promise.withResolvers<void>()];
        const read = store.get(cacheKey, (bytes) => {
          large.resolve(bytes);
          return admitted.promise;
        });
        const bytes = await inTime(Promise.race([read.then(() => 0), large.promise]));
        if (bytes === 0) return read;
        return sized(bytes, () => {
          admitted.resolve();
          return read;
        });
      },
      set: (cacheKey, entry) => sized(entry.body.length, () => store.set(cacheKey, entry)),
      refresh: (live, entry) => sized(entry.body.length, () => store.refresh(live, entry)),
      listLive: (sinceMs) => pagesInTime(store.listLive(sinceMs)),
    });

    /** Large ones wait for memory; that time counts, and the memory is free again when their time is over. */
    function sized<T>(bytes: number, call: () => Promise<T>): Promise<T> {
      if (bytes <= DOCUMENT_BODY_BYTES_MAX) return inTime(call());
      const over = new AbortController();
      const callMs = ms * (1 + bytes / BYTES_PER_CALL);
      const untilMs = clock.nowMs() + callMs;
      const inTurn = openLarge(over.signal)
        .take(bytes)
        .then(() => (clock.nowMs() < untilMs ? call() : Promise.reject(new Error('timed out'))));
      return withDeadline(clock, callMs, inTurn).finally(() => over.abort());
    }
  }

  async function* pagesInTime(listing: AsyncIterable<LivePage>): AsyncGenerator<LivePage> {
    const pages = listing[Symbol.asyncIterator]();
    const nextPage = () => withDeadline(clock, PAGE_MS, pages.next());
    try {
      for (let page = await nextPage(); !page.done; page = await nextPage()) yield page.value;
    } finally {
      // Nothing more is read of a listing that was cut; its query ends with the deadline of the client.
      void pages.return?.();
    }
  }
}
