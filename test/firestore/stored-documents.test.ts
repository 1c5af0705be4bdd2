// Tests of the documents of stored results, on Firestore: damaged ones, ones of a later time, and what is written beside the rows.
import { randomUUID } from 'node:crypto';
import { Timestamp } from '@google-cloud/firestore';
import type { ResultStore } from '../../functions/core/result-store.ts';
import { createFirestoreRefreshStore } from '../../functions/firestore/refresh-store.ts';
import { createFirestoreResultStore, update } from '../../functions/firestore/result-store.ts';
import { casesBeside } from '../support/cases.ts';
import { describeOnFirestores } from '../support/service/firestore-emulators.ts';
import { BAD_PARAMETERS, ENTRY, OLDER, listed } from './stored-entries.ts';

describeOnFirestores(({ kind, firestore }) => {
  let store: ResultStore;
  let cacheKey: string;

  beforeEach(() => {
    [store, cacheKey] = [createFirestoreResultStore(firestore()), randomUUID()];
  });

  it.each<[string, object]>([
    ...casesBeside(import.meta.filename)<[string, object]>('documents'),
    ...BAD_PARAMETERS,
    ['with a reader without a name', { readers: [{ readAt: Timestamp.fromMillis(0) }] }],
    ['whose sources have no digest', { sources: { askedAt: Timestamp.fromMillis(0) } }],
    ['whose body is not gzip', { body: Buffer.from('{"result":[]}') }],
    ['whose body is cut off', { body: ENTRY.body.subarray(0, -4) }],
  ])('treats a document %s as a miss, and replaces it', async (_name, fault) => {
    await store.set(cacheKey, ENTRY);
    await firestore().doc(`results/${cacheKey}`).update(fault);
    expect(await store.get(cacheKey)).toBeUndefined();
    // Also by rows that are no newer.
    expect(await store.set(cacheKey, { ...ENTRY, ...OLDER })).toBe('written');
    expect((await store.get(cacheKey))?.etag).toBe('older');
  });

  it('removes the known state of the tables when it withdraws rows', async () => {
    await store.set(cacheKey, ENTRY);
    const atMs = ENTRY.computedAtMs + 1;
    await createFirestoreRefreshStore(firestore()).withdraw(cacheKey, atMs);
    const times = { computedAtMs: atMs, checkedAtMs: undefined, freshUntilMs: atMs };
    const stored = { ...(await store.get(cacheKey)), version: undefined };
    expect(stored).toEqual({ ...ENTRY, ...times, sources: undefined });
  });

  it('passes on the states of tables that a run recorded', async () => {
    const refreshes = createFirestoreRefreshStore(firestore());
    // The name of a table may have dots and a colon.
    const byTable = new Map([['example.com:p.logs.events_*', 'a'.repeat(64)]]);
    const byView = new Map([['p.logs.events', 'b'.repeat(64)]]);
    const states = { askedAtMs: 1_763_632_800_123, byTable, byView };
    await refreshes.recordFound('sources', states);
    expect(await refreshes.found('sources')).toEqual(states);
  });

  it.each(['computedAt', 'checkedAt', 'lastReadAt', 'readers'])(
    'treats a document whose %s is in the future as a miss, lists it as such, and replaces it',
    async (field) => {
      const nowMs = Date.parse('2026-11-20T10:00:02Z');
      store = createFirestoreResultStore(firestore(), () => nowMs);
      await store.set(cacheKey, ENTRY);
      const update = async (aheadMs: number): Promise<void> => {
        const at = Timestamp.fromMillis(nowMs + aheadMs);
        const value = field === 'readers' ? [{ keyName: 'dashboard', readAt: at }] : at;
        await firestore()
          .doc(`results/${cacheKey}`)
          .update({ [field]: value, freshUntil: Timestamp.fromMillis(nowMs + aheadMs) });
      };
      await update(10_000);
      expect(await store.get(cacheKey)).toBeDefined();
      await update(86_400_000);
      expect(await store.get(cacheKey)).toBeUndefined();
      expect((await listed(store, ENTRY.lastReadAtMs)).unreadable).toContain(cacheKey);
      expect(await store.set(cacheKey, { ...ENTRY, ...OLDER })).toBe('written');
      expect((await store.get(cacheKey))?.etag).toBe('older');
    },
  );

  it('sets the deletion of a document to one hour after its freshness ends', async () => {
    await store.set(cacheKey, ENTRY);
    const data = (await firestore().doc(`results/${cacheKey}`).get()).data();
    expect(data?.deleteAt).toEqual(Timestamp.fromDate(new Date('2026-11-20T11:15:01.223Z')));
  });

  const itConsistently = kind === 'in-process' ? it.skip : it;
  itConsistently(
    'gives up a write after five attempts between which the document has changed',
    async () => {
      await store.set(cacheKey, ENTRY);
      const document = firestore().doc(`results/${cacheKey}`);
      let attempts = 0;
      const changed = async (): Promise<undefined> => {
        attempts += 1;
        await document.update({ etag: `other-${attempts}` });
      };
      await expect(update(document, { rowCount: 1 }, undefined, changed)).rejects.toThrow(
        'The document changes too often to be written.',
      );
      expect(attempts).toBe(5);
    },
  );
});
