// Contract tests of how warming lists the results that were read recently, on the fake and on Firestore.
import { randomUUID } from 'node:crypto';
import { Timestamp } from '@google-cloud/firestore';
import type { LiveEntry, LivePage, ResultStore } from '../../functions/core/result-store.ts';
import { createFirestoreResultStore } from '../../functions/firestore/result-store.ts';
import { FakeResultStore } from '../support/fakes/fake-result-store.ts';
import { describeOnFirestores } from '../support/service/firestore-emulators.ts';
import {
  BAD_PARAMETERS,
  DESCRIPTION,
  ENTRY,
  listed,
  nextReadMs,
  pagesOf,
  storeLive,
} from './stored-entries.ts';

function describeContract(createStore: () => ResultStore): void {
  it('contains the entries read since an instant, the latest first, without their rows', async () => {
    const store = createStore();
    const early = await storeLive(store);
    const late = await storeLive(store);
    const { entries, unreadable } = await listed(store, early.lastReadAtMs);
    expect(unreadable).toEqual([]);
    expect(entries.map(({ cacheKey }) => cacheKey)).toEqual([late.cacheKey, early.cacheKey]);
    const { version: _, ...live } = entries[1] as LiveEntry;
    const { cacheKey, lastReadAtMs } = early;
    expect(live).toEqual({ ...DESCRIPTION, cacheKey, lastReadAtMs });
  });

  it('omits entries that were last read earlier', async () => {
    const store = createStore();
    const live = await storeLive(store);
    expect((await listed(store, live.lastReadAtMs + 1)).entries).toEqual([]);
  });
}

describe('a listing', () => {
  describe('of the fake', () => describeContract(() => new FakeResultStore()));

  describeOnFirestores(({ kind, firestore }) => {
    const createStore = (): ResultStore => createFirestoreResultStore(firestore());
    describeContract(createStore);

    it.each<[string, object]>([
      ...BAD_PARAMETERS,
      ['whose computedAt is a text', { computedAt: '2026-11-20' }],
      ['whose readers are a map', { readers: { dashboard: 1 } }],
    ])('lists a document %s by its id only, and all others', async (_name, fault) => {
      const store = createStore();
      const bad = await storeLive(store);
      const good = await storeLive(store);
      await firestore().doc(`results/${bad.cacheKey}`).update(fault);
      const { entries, unreadable } = await listed(store, bad.lastReadAtMs);
      expect(unreadable).toEqual([bad.cacheKey]);
      expect(entries.map(({ cacheKey }) => cacheKey)).toEqual([good.cacheKey]);
    });

    it('lists in pages, each document once, even if many were read at the same instant', async () => {
      // The in-process emulator has no cursors, so at most a page can be of one instant.
      const hasTies = kind !== 'in-process';
      const store = createStore();
      const readMs = nextReadMs();
      // Of many documents the in-process emulator takes seconds.
      const keys = Array.from({ length: hasTies ? 1100 : 600 }, () => randomUUID());
      const results = firestore().collection('results');
      await store.set(keys[0] ?? '', ENTRY);
      const document = (await results.doc(keys[0] ?? '').get()).data();
      // At once, because to store each would take seconds.
      const batch = firestore().batch();
      keys.forEach((cacheKey, position) => {
        const ms = readMs + (hasTies ? Math.floor(position / 700) : position);
        batch.set(results.doc(cacheKey), { ...document, lastReadAt: Timestamp.fromMillis(ms) });
      });
      await batch.commit();
      const pages = await pagesOf(store, readMs);
      expect(pages).toHaveLength(hasTies ? 3 : 2);
      expect(Math.max(...pages.map(({ entries }) => entries.length))).toBeLessThanOrEqual(500);
      const found = pages.flatMap(({ entries }) => entries.map(({ cacheKey }) => cacheKey));
      expect(found.sort()).toEqual([...keys].sort());
    });

    const itConsistently = kind === 'in-process' ? it.skip : it;
    itConsistently('includes entries that are read again during the listing', async () => {
      const store = createStore();
      const readMs = nextReadMs();
      const keys = Array.from({ length: 501 }, () => randomUUID());
      await Promise.all(
        keys.map((cacheKey, index) =>
          store.set(cacheKey, { ...ENTRY, lastReadAtMs: readMs + index }),
        ),
      );
      const pages = store.listLive(readMs)[Symbol.asyncIterator]();
      await pages.next();
      // The oldest moves to the front.
      await store.touch(keys[0] ?? '', readMs + 600, []);
      const second = (await pages.next()).value as LivePage | undefined;
      expect(second?.entries.map(({ cacheKey }) => cacheKey)).toEqual([keys[0]]);
    });
  });
});
