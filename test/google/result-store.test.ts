// The contract of ResultStore, on the fake and on Firestore.
import { randomUUID } from 'node:crypto';
import { Timestamp } from '@google-cloud/firestore';
import type { Entry, ResultStore } from '../../functions/core/ports.ts';
import { createFirestoreResultStore } from '../../functions/google/result-store.ts';
import { FakeResultStore } from '../support/fake-result-store.ts';
import { describeOnFirestores } from '../support/firestore-emulators.ts';

const ENTRY: Entry = {
  endpointId: '6b924071-67ae-4837-8153-c2033e7004a7',
  endpoint: 'functions.invocation-stats',
  definitionDigest: 'd'.repeat(64),
  parameters: { project: 'abc', function_id: '', interval: '1day' },
  // Bytes that are no UTF-8, with zeros at both ends.
  body: Buffer.from([0x00, 0x1f, 0x8b, 0xff, 0xfe, 0xc3, 0x28, 0x80, 0x00]),
  bodyBytes: 4711,
  etag: 'o5Hn2LmTqR8vXw3yZ1aBcD',
  rowCount: 24,
  truncated: true,
  computedAtMs: Date.parse('2026-11-20T10:00:00.123Z'),
  freshUntilMs: Date.parse('2026-11-20T10:15:00.123Z'),
  lastReadAtMs: Date.parse('2026-11-20T10:00:01.456Z'),
  keyName: 'dashboard',
  jobId: 'project:US.job_1',
  bytesProcessed: 9_007_199_254_740_991,
};

function describeContract(createStore: () => ResultStore): void {
  it('answers undefined for a key that nobody has written', async () => {
    expect(await createStore().get(randomUUID())).toBeUndefined();
  });

  it('gives back every field as it was written, the body byte for byte', async () => {
    const store = createStore();
    const cacheKey = randomUUID();
    await store.set(cacheKey, ENTRY);
    const entry = await store.get(cacheKey);
    expect({ ...entry, body: undefined }).toEqual({ ...ENTRY, body: undefined });
    expect(entry?.body.toString('hex')).toBe('001f8bfffec3288000');
  });

  it('keeps a body of 900 KiB', async () => {
    const store = createStore();
    const cacheKey = randomUUID();
    const body = Buffer.alloc(900 * 1024, 0xa5);
    await store.set(cacheKey, { ...ENTRY, body });
    expect((await store.get(cacheKey))?.body.equals(body)).toBe(true);
  });

  it('replaces the whole entry', async () => {
    const store = createStore();
    const cacheKey = randomUUID();
    await store.set(cacheKey, ENTRY);
    const parameters = { project: 'other' };
    await store.set(cacheKey, { ...ENTRY, parameters, etag: 'new', truncated: false });
    expect(await store.get(cacheKey)).toMatchObject({ etag: 'new', truncated: false });
    expect((await store.get(cacheKey))?.parameters).toEqual({ project: 'other' });
  });

  it('keeps the entries of different keys apart', async () => {
    const store = createStore();
    const [one, other] = [randomUUID(), randomUUID()];
    await store.set(one, { ...ENTRY, etag: 'one' });
    await store.set(other, { ...ENTRY, etag: 'other' });
    expect((await store.get(one))?.etag).toBe('one');
  });

  it('returns an expired entry: expiry is for the reader to check', async () => {
    const store = createStore();
    const cacheKey = randomUUID();
    const freshUntilMs = Date.parse('2001-01-01T00:00:00Z');
    await store.set(cacheKey, { ...ENTRY, freshUntilMs });
    expect((await store.get(cacheKey))?.freshUntilMs).toBe(978_307_200_000);
  });

  it('changes lastReadAtMs and keyName with a touch, and nothing else', async () => {
    const store = createStore();
    const cacheKey = randomUUID();
    await store.set(cacheKey, ENTRY);
    await store.touch(cacheKey, Date.parse('2026-11-20T10:05:00.789Z'), 'other');
    const entry = await store.get(cacheKey);
    expect({ ...entry, body: entry?.body.toString('hex') }).toEqual({
      ...ENTRY,
      body: '001f8bfffec3288000',
      lastReadAtMs: Date.parse('2026-11-20T10:05:00.789Z'),
      keyName: 'other',
    });
  });

  it('rejects a touch of an entry that is not there, and does not make one', async () => {
    const store = createStore();
    const cacheKey = randomUUID();
    await expect(store.touch(cacheKey, 1, 'dashboard')).rejects.toThrow();
    expect(await store.get(cacheKey)).toBeUndefined();
  });
}

describe('ResultStore', () => {
  describe('the fake', () => {
    describeContract(() => new FakeResultStore());
  });

  describeOnFirestores(({ firestore }) => {
    describeContract(() => createFirestoreResultStore(firestore()));

    it.each([
      ['without a body', { body: null }],
      ['whose body is a string', { body: 'text' }],
      ['without an etag', { etag: null }],
      ['whose freshUntil is a number', { freshUntil: 1_800_000_000_000 }],
      ['without computedAt', { computedAt: null }],
      ['without lastReadAt', { lastReadAt: null }],
      ['whose bodyBytes is a string', { bodyBytes: '4711' }],
      ['that says nothing of truncation', { truncated: null }],
    ])('takes a document %s for a miss, and replaces it', async (_name, fault) => {
      const store = createFirestoreResultStore(firestore());
      const cacheKey = randomUUID();
      await store.set(cacheKey, ENTRY);
      await firestore().doc(`results/${cacheKey}`).update(fault);
      expect(await store.get(cacheKey)).toBeUndefined();
      await store.set(cacheKey, ENTRY);
      expect((await store.get(cacheKey))?.etag).toBe('o5Hn2LmTqR8vXw3yZ1aBcD');
    });

    it('tells Firestore to delete a document an hour after its freshness has ended', async () => {
      const cacheKey = randomUUID();
      await createFirestoreResultStore(firestore()).set(cacheKey, ENTRY);
      const data = (await firestore().doc(`results/${cacheKey}`).get()).data();
      expect(data?.deleteAt).toEqual(Timestamp.fromDate(new Date('2026-11-20T11:15:00.123Z')));
    });
  });
});
