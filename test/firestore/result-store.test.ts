// Contract tests of ResultStore, on the fake and on Firestore.
import { randomBytes, randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type {
  Entry,
  LiveEntry,
  ResultStore,
  WriteOutcome,
} from '../../functions/core/result-store.ts';
import { createFirestoreResultStore } from '../../functions/firestore/result-store.ts';
import { type Acts, type Fields, runSteps, stepsBeside } from '../support/steps.ts';
import { FakeResultStore } from '../support/fakes/fake-result-store.ts';
import { describeOnFirestores } from '../support/service/firestore-emulators.ts';
import { ENTRY, ROWS, storeLive } from './stored-entries.ts';

/** A check of these rows. */
const CHECKED_MS = Date.parse('2026-11-20T10:10:00.001Z');
const END_MS = Date.parse('2026-11-20T10:25:00.001Z');

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
  });
});
