// Contract tests of ResultStore, on the fake and on Firestore.
import { randomBytes, randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { Timestamp } from '@google-cloud/firestore';
import type {
  Entry,
  LiveEntry,
  ResultStore,
  WriteOutcome,
} from '../../functions/core/result-store.ts';
import { createFirestoreRefreshStore } from '../../functions/firestore/refresh-store.ts';
import { createFirestoreResultStore, update } from '../../functions/firestore/result-store.ts';
import { casesBeside } from '../support/cases.ts';
import { type Acts, type Fields, runSteps, stepsBeside } from '../support/steps.ts';
import { FakeResultStore } from '../support/fakes/fake-result-store.ts';
import { describeOnFirestores } from '../support/service/firestore-emulators.ts';
import { BAD_PARAMETERS, ENTRY, OLDER, ROWS, listed, storeLive } from './stored-entries.ts';

/** A check of these rows. */
const CHECKED_MS = Date.parse('2026-11-20T10:10:00.001Z');
const END_MS = Date.parse('2026-11-20T10:25:00.001Z');

/** Of which no batch can be made. */
const TABLES_OF_CASES = new Set(['parameters', 'documents']);

/** Versions differ with every write. */
function withoutVersions(store: ResultStore): ResultStore {
  return {
    async get(...terms) {
      const entry = await store.get(...terms);
      delete entry?.version;
      return entry;
    },
    set: (...terms) => store.set(...terms),
    touch: (...terms) => store.touch(...terms),
    refresh: (...terms) => store.refresh(...terms),
    confirm: (...terms) => store.confirm(...terms),
    listLive: (...terms) => store.listLive(...terms),
  };
}

/** `isConditional` is false where writes ignore their preconditions. */
function describeContract(createStore: () => ResultStore, isConditional = true): void {
  const reason = isConditional ? '' : ' (skipped: this emulator ignores preconditions of writes)';
  const itConditionally = (name: string, test: () => Promise<void>): void =>
    (isConditional ? it : it.skip)(`${name}${reason}`, test);

  let store: ResultStore;
  let cacheKey: string;

  let versioned: ResultStore;

  beforeEach(() => {
    [versioned, cacheKey] = [createStore(), randomUUID()];
    store = withoutVersions(versioned);
  });

  it('returns every field as it was written, the body byte for byte', async () => {
    await store.set(cacheKey, ENTRY);
    const entry = await store.get(cacheKey);
    expect(entry).toEqual(ENTRY);
    // Not a view into the message, which would stay in memory with it.
    expect(entry?.body.buffer.byteLength).toBe(ENTRY.body.length);
  });

  it.each([900 * 1024 - 100, 900 * 1024, 2_000_000])('keeps a body of %i bytes', async (bytes) => {
    const plain = randomBytes(bytes);
    const body = gzipSync(plain, { level: 0 });
    await store.set(cacheKey, { ...ENTRY, body, bodyBytes: plain.length });
    expect((await store.get(cacheKey))?.body.equals(body)).toBe(true);
  });

  it('replaces the whole entry, and returns an expired one: the reader checks the expiry', async () => {
    await store.set(cacheKey, ENTRY);
    const [parameters, freshUntilMs] = [{ project: 'other' }, Date.parse('2001-01-01T00:00:00Z')];
    const newer = { ...ENTRY, ...ROWS.newer, parameters, truncated: false, freshUntilMs };
    expect(await store.set(cacheKey, newer)).toBe('written');
    expect(await store.get(cacheKey)).toEqual(newer);
  });

  // Steps on one entry; what is got is expected to be all that the steps before have written.
  for (const [name, steps] of stepsBeside(import.meta.filename)) {
    if (TABLES_OF_CASES.has(name)) continue;
    const itHere = name.includes('(atomic)') ? itConditionally : it;
    itHere(name, async () => {
      const store = versioned;
      let live: Pick<LiveEntry, 'cacheKey' | 'computedAtMs' | 'version' | 'lastReadAtMs'> = {
        ...{ cacheKey: randomUUID(), computedAtMs: 0, lastReadAtMs: ENTRY.lastReadAtMs },
        version: undefined,
      };
      let seen: unknown;
      let written = ENTRY;
      const entryOf = (rows: string): Entry => ({ ...ENTRY, ...ROWS[rows] });
      const expectOutcome = (
        outcome: WriteOutcome,
        { is = 'written' }: Fields,
        next: Entry,
      ): void => {
        expect(outcome).toBe(is);
        if (outcome === 'written') written = next;
      };
      const acts: Acts = {
        set: async (rows: string, step: Fields) => {
          const entry = entryOf(rows);
          expectOutcome(await store.set(live.cacheKey, entry), step, entry);
        },
        /** Stores it and lists it, as warming does. */
        list: async (rows: string) => {
          live = await storeLive(store, ROWS[rows]);
          written = { ...entryOf(rows), lastReadAtMs: live.lastReadAtMs };
        },
        refresh: async (rows: string, step: Fields) => {
          const { lastReadAtMs, readers } = written;
          const entry = entryOf(rows);
          const outcome = await store.refresh(live, { ...entry, readers: [] });
          expectOutcome(outcome, step, { ...entry, lastReadAtMs, readers });
        },
        /** A check of the rows, so many milliseconds after the usual time. */
        confirm: async (ms: number, step: Fields) => {
          const [checkedAtMs, freshUntilMs] = [CHECKED_MS + ms, END_MS + ms];
          const outcome = await store.confirm(live, checkedAtMs, freshUntilMs);
          expectOutcome(outcome, step, { ...written, checkedAtMs, freshUntilMs });
        },
        /** So many milliseconds after the last read, perhaps of the version that was seen. */
        touch: async (ms: number, { ofSeen, is }: Fields) => {
          const lastReadAtMs = live.lastReadAtMs + ms;
          const readers = [{ keyName: 'other', readAtMs: lastReadAtMs }];
          const version = ofSeen === true ? seen : undefined;
          const touched = store.touch(live.cacheKey, lastReadAtMs, readers, version);
          if (is === 'rejected') return expect(touched).rejects.toThrow();
          await touched;
          if (is !== 'ignored') written = { ...written, lastReadAtMs, readers };
        },
        see: async () => void (seen = (await store.get(live.cacheKey))?.version),
        get: async (isThere: boolean) =>
          expect(await withoutVersions(store).get(live.cacheKey)).toEqual(
            isThere ? written : undefined,
          ),
      };
      await runSteps(acts, steps);
    });
  }

  itConditionally('keeps the newest of five concurrent writes', async () => {
    const outcomes = await Promise.allSettled(
      [4, 1, 9, 7, 3].map((offsetMs) => {
        const computedAtMs = ENTRY.computedAtMs + offsetMs;
        return store.set(cacheKey, { ...ENTRY, computedAtMs, etag: `${offsetMs}` });
      }),
    );
    expect(outcomes.map(({ status }) => status)).toEqual(Array(5).fill('fulfilled'));
    expect((await store.get(cacheKey))?.etag).toBe('9');
  });
}

describe('ResultStore', () => {
  describe('the fake', () => {
    describeContract(() => new FakeResultStore());
  });

  describeOnFirestores(({ kind, firestore }) => {
    describeContract(() => createFirestoreResultStore(firestore()), kind !== 'in-process');

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
      const stored = await withoutVersions(store).get(cacheKey);
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
});
