// Bounds the time of each call of a store, so that no caller waits for an unresponsive store, and the memory that large bodies take.
import { type Clock, withDeadline } from './clock.ts';
import type { KeyStore } from './key-store.ts';
import type { LeaseStore } from './leases.ts';
import { DOCUMENT_BODY_BYTES_MAX } from './result-store.ts';
import type { LivePage, RefreshStore, ResultStore } from './result-store.ts';

const PAGE_MS = 30_000;
/** A body in several documents has the time of one more call for each 4 MiB: 6 s for 8 MiB by default. */
const BYTES_PER_CALL = 4 * 1024 * 1024;
/** How many such bodies are read or written at the same time: each takes memory in the messages too. */
const LARGE_AT_ONCE = 4;

/** The same stores, whose calls reject once `ms` milliseconds have passed. */
export function storeDeadlines(clock: Clock, ms: number) {
  const inTime = <T>(call: Promise<T>): Promise<T> => withDeadline(clock, ms, call);

  return {
    keys: (store: KeyStore): KeyStore => callsInTime(store, 'get'),
    leases: (store: LeaseStore): LeaseStore => ({
      ...callsInTime(store, 'read', 'queries', 'remove'),
      ...callsInTime(store, 'bytesOf', 'reserve', 'settle', 'debts'),
      async acquire(...terms) {
        const lease = await inTime(store.acquire(...terms));
        return lease && { ...lease, ...callsInTime(lease, 'renew', 'record', 'release') };
      },
    }),
    refreshes: (store: RefreshStore): RefreshStore => ({
      ...callsInTime(store, 'list', 'demandedMs', 'withdraw'),
      ...callsInTime(store, 'recordRun', 'sourceStates', 'recordSourceStates'),
      ...callsInTime(store, 'partitionHistory', 'recordPartitionHistory'),
    }),
    results: resultsInTime,
  };

  function resultsInTime(store: ResultStore): ResultStore {
    let placesLeft = LARGE_AT_ONCE;
    const waiting: (() => void)[] = [];
    return {
      ...callsInTime(store, 'touch', 'confirm'),
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
    };

    /** Large ones wait for a place; that time counts, and a place is free again when its time is over. */
    function sized<T>(bytes: number, call: () => Promise<T>): Promise<T> {
      if (bytes <= DOCUMENT_BODY_BYTES_MAX) return inTime(call());
      const untilMs = clock.nowMs() + ms * (1 + bytes / BYTES_PER_CALL);
      const before = <U>(work: Promise<U>) => withDeadline(clock, untilMs - clock.nowMs(), work);
      return before(inTurn());

      async function inTurn(): Promise<T> {
        if (placesLeft === 0) await new Promise<void>((go) => waiting.push(go));
        else placesLeft -= 1;
        try {
          if (clock.nowMs() >= untilMs) throw new Error('timed out');
          return await before(call());
        } finally {
          const next = waiting.shift() ?? (() => (placesLeft += 1));
          next();
        }
      }
    }
  }

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
