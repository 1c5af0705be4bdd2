// Tests of results that take several documents: whole or not there, whatever happens between two documents, and nothing left over.
import { randomBytes, randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { type DocumentReference, Timestamp, WriteBatch } from '@google-cloud/firestore';
import type { Entry, LiveEntry, ResultStore } from '../../functions/core/result-store.ts';
import { createFirestoreResultStore } from '../../functions/firestore/result-store.ts';
import { SEED, createRandom, pickOf } from '../support/random.ts';
import { describeOnFirestores, testFirestore } from '../support/service/firestore-emulators.ts';
import { startFirestoreProxy } from '../support/service/firestore-proxy.ts';
import { STATS, liveEntry } from '../support/world.ts';

const NOW_MS = Date.parse('2026-11-20T10:00:00Z');

/** An entry whose body has this size, also after gzip. */
function rowsOf(kib: number): Entry {
  const plain = randomBytes(kib * 1024);
  const rows = { body: gzipSync(plain, { level: 0 }), bodyBytes: plain.length };
  const entry = liveEntry(STATS, { project: 'a' }, 'k', NOW_MS);
  return { ...entry, ...rows, etag: randomUUID(), computedAtMs: NOW_MS };
}

const [SMALL, TWO_PARTS, THREE_PARTS, DEAD] = [10, 1000, 2000, 1000].map(rowsOf) as [
  ...[Entry, Entry, Entry, Entry],
];
type Observe = (call: () => Promise<unknown>) => Promise<unknown>;

/** A client that passes its calls for documents to `observe`. */
function observing<T extends object>(client: T, observe: Observe): T {
  return new Proxy(client, {
    get(target, member) {
      const value: unknown = Reflect.get(target, member);
      if (typeof value !== 'function') return value;
      const isCall = ['get', 'set', 'update', 'create', 'commit'].includes(String(member));
      const isOpened = ['collection', 'doc', 'batch'].includes(String(member));
      return (...args: unknown[]): unknown => {
        const call = () => value.apply(target, args) as Promise<unknown>;
        if (isOpened) return observing(call(), observe);
        return isCall && (member === 'commit' || !(target instanceof WriteBatch))
          ? observe(call)
          : call();
      };
    },
  });
}

const at = (entry: Entry, ms: number): Entry => ({ ...entry, computedAtMs: NOW_MS + ms });

describeOnFirestores(({ kind, firestore }) => {
  let store: ResultStore;
  let ref: DocumentReference;

  beforeEach(() => {
    store = createFirestoreResultStore(firestore());
    ref = firestore().collection('results').doc(randomUUID());
  });

  const observed = (observe: Observe) =>
    createFirestoreResultStore(observing(firestore(), observe));
  const partsOf = async () => (await ref.collection('parts').get()).docs;

  /** `toEqual` takes a second for a megabyte. */
  async function isStored({ body, etag, computedAtMs }: Entry): Promise<boolean> {
    const found = await store.get(ref.id);
    expect(found).toMatchObject({ etag, computedAtMs });
    return found?.body.equals(body) ?? false;
  }

  async function listed(): Promise<LiveEntry> {
    for await (const { entries } of store.listLive(0)) {
      const live = entries.find(({ cacheKey }) => cacheKey === ref.id);
      if (live) return live;
    }
    throw new Error('It is not listed.');
  }

  it('a large result has its parts alone, whether it was small, grew, shrank, or is refreshed', async () => {
    const seen: number[] = [];
    for (const [ms, entry] of [SMALL, THREE_PARTS, TWO_PARTS, SMALL, TWO_PARTS].entries()) {
      expect(await store.set(ref.id, at(entry, ms))).toBe('written');
      expect(await isStored(at(entry, ms))).toBe(true);
      seen.push((await partsOf()).length);
    }
    for (const [ms, entry] of [THREE_PARTS, SMALL, TWO_PARTS].entries()) {
      const next = at(entry, 100 + ms);
      expect(await store.refresh(await listed(), next)).toBe('written');
      expect(await isStored(next)).toBe(true);
      seen.push((await partsOf()).length);
    }
    expect(seen).toEqual([0, 3, 2, 0, 2, 3, 0, 2]);
  });

  it('a large result has its parts read only after there is memory for all of them, for which a reader waits once', async () => {
    await store.set(ref.id, TWO_PARTS);
    const seen: string[] = [];
    const ofRef = observed((call) => (seen.push('read'), call()));
    const admit = (bytes: number) => Promise.resolve(void seen.push(`room for ${bytes}`));
    const get = () => ofRef.get(ref.id, admit);
    await get();
    const once = ['read', `room for ${TWO_PARTS.body.length}`, 'read', 'read'];
    expect(seen.splice(0)).toEqual(once);
    await ref
      .collection('parts')
      .doc((await partsOf())[0]?.id ?? '')
      .delete();
    await get();
    expect(seen).toEqual([...once, ...Array<string>(6).fill('read')]);
  });

  it('a large result leaves nothing if newer rows, or no entry, are there', async () => {
    const live = { cacheKey: ref.id, computedAtMs: 0, version: undefined };
    expect(await store.refresh(live, TWO_PARTS)).toBe('gone');
    expect(await partsOf()).toHaveLength(0);
    await store.set(ref.id, TWO_PARTS);
    expect(await store.set(ref.id, at(THREE_PARTS, -1))).toBe('superseded');
    expect(await store.refresh(live, at(THREE_PARTS, -1))).toBe('superseded');
    const { updateTime } = await ref.get();
    // The same write, repeated.
    expect(await store.set(ref.id, TWO_PARTS)).toBe('written');
    expect((await ref.get()).updateTime).toEqual(updateTime);
    expect(await isStored(TWO_PARTS)).toBe(true);
    expect(await partsOf()).toHaveLength(2);
  });

  it('a large result has parts that last longer than the document, also after a day of checks', async () => {
    await store.set(ref.id, { ...TWO_PARTS, freshUntilMs: NOW_MS + 900_000 });
    const dayMs = NOW_MS + 86_400_000;
    expect(await store.confirm(await listed(), dayMs, dayMs + 900_000)).toBe('written');
    expect((await ref.get()).get('deleteAt')).toEqual(Timestamp.fromMillis(dayMs + 4_500_000));
    const ends = (await partsOf()).map((part) => part.get('deleteAt') as Timestamp);
    expect(ends).toEqual(Array(2).fill(Timestamp.fromMillis(dayMs + 8_100_000)));
    expect(await isStored(TWO_PARTS)).toBe(true);
  });

  it.each<[string, (part: DocumentReference, bytes: Buffer) => Promise<unknown>]>([
    ['missing', (part) => part.delete()],
    ['cut off', (part, bytes) => part.update({ body: bytes.subarray(1) })],
    ['longer', (part, bytes) => part.update({ body: Buffer.concat([bytes, Buffer.of(0)]) })],
    ['foreign', (part, bytes) => part.update({ body: randomBytes(bytes.length) })],
    ['no bytes', (part) => part.update({ body: 'text' })],
  ])(
    'a large result with a part that is %s is a miss, until the next rows',
    async (_name, spoil) => {
      await store.set(ref.id, THREE_PARTS);
      const part = (await partsOf())[1];
      if (part) await spoil(part.ref, part.get('body') as Buffer);
      expect(await store.get(ref.id)).toBeUndefined();
      await store.set(ref.id, at(THREE_PARTS, 1));
      expect(await isStored(at(THREE_PARTS, 1))).toBe(true);
    },
  );

  it.each([
    ['an id that is a path', { 'parts.id': '../../results' }],
    ['a size that is too large', { 'parts.bytes': 2 ** 50 }],
    ['a size that is too small', { 'parts.bytes': 1 }],
    ['no digest', { 'parts.digest': null }],
    ['no parts', { parts: null }],
  ])('a large result whose document has %s is a miss', async (_name, fault) => {
    await store.set(ref.id, TWO_PARTS);
    await ref.update(fault);
    expect(await store.get(ref.id)).toBeUndefined();
  });

  it('a large result is replaced by an earlier version, which leaves the names of its parts', async () => {
    await store.set(ref.id, TWO_PARTS);
    await ref.update({ body: SMALL.body, bodyBytes: SMALL.bodyBytes, etag: SMALL.etag });
    expect(await isStored(SMALL)).toBe(true);
    await store.set(ref.id, at(SMALL, 1));
    expect(await partsOf()).toHaveLength(0);
  });

  it.each([
    [1, true],
    [2, true],
    [3, false],
  ])(
    'a large result is read again if it was replaced in between, %i times',
    async (times, isFound) => {
      await store.set(ref.id, TWO_PARTS);
      let calls = 0;
      let replaced = 0;
      const reader = observed(async (call) => {
        calls += 1;
        // Each reading is of the document and of two parts.
        if (calls % 3 === 2 && replaced < times) {
          await store.set(ref.id, at(TWO_PARTS, (replaced += 1)));
        }
        return call();
      });
      const found = await reader.get(ref.id);
      expect(found?.body.equals(TWO_PARTS.body) ?? false).toBe(isFound);
      expect(calls).toBe(3 * Math.min(3, times + 1));
    },
  );

  // Writers of other and of the same rows, one of them killed at some call, and readers; each call of them in any order.
  it.each(Array.from({ length: 5 }, (_, index) => 5 * SEED + index))(
    'a large result is always whole, and of one writer, in any order of calls (seed %i)',
    async (seed) => {
      const isConditional = kind !== 'in-process';
      const random = createRandom(seed);
      const waiting: (() => void)[] = [];
      let openCount = 0;
      // After what the end of a call lets go on: a loop that looks again and again would keep the emulator waiting.
      const letGo = (): unknown =>
        setImmediate(() => {
          if (openCount > 0 || waiting.length === 0) return;
          waiting.splice(Math.floor(random() * waiting.length), 1)[0]?.();
        });
      const takingTurns = (callsMax = Infinity): ResultStore => {
        let calls = 0;
        return observed(async (call) => {
          calls += 1;
          await new Promise<void>((go) => calls <= callsMax && waiting.push(go) && letGo());
          openCount += 1;
          return call().finally(() => {
            openCount -= 1;
            letGo();
          });
        });
      };
      await store.set(ref.id, THREE_PARTS);
      const live = await listed();
      const [newer, newest] = [at(TWO_PARTS, 1), at(pickOf([SMALL, THREE_PARTS], random), 2)];
      const others = [newer, newest, newest].map((entry) => {
        const writer = takingTurns();
        return random() < 0.5 ? writer.set(ref.id, entry) : writer.refresh(live, entry);
      });
      // At the latest before it removes the parts that its document replaces.
      void takingTurns(Math.floor(random() * 5)).set(ref.id, at(DEAD, 3));
      const reads = [1, 2, 3].map(() => takingTurns().get(ref.id));
      await Promise.all([...others, ...reads]);

      const last = await store.get(ref.id);
      for (const found of [...(await Promise.all(reads)), last]) {
        const all = [SMALL, TWO_PARTS, THREE_PARTS, DEAD];
        const written = all.find(({ etag }) => etag === found?.etag);
        // Parts are removed twice at most, and a reader tries three times.
        if (found !== undefined || isConditional) expect(written).toBeDefined();
        if (written !== undefined) expect(found?.body.equals(written.body)).toBe(true);
      }
      const parts = await partsOf();
      expect(parts.map((part) => part.get('deleteAt') instanceof Timestamp)).not.toContain(false);
      if (!isConditional) return;
      expect([NOW_MS + 2, NOW_MS + 3]).toContain(last?.computedAtMs);
      const named = (await ref.get()).get('parts.id') as string | undefined;
      const left = parts.filter(({ id }) => !id.startsWith(`${named}-`));
      const ids = new Set(left.map(({ id }) => id.slice(0, -2)));
      // Those of the writer that is dead, or those that it has replaced.
      expect(ids.size).toBeLessThanOrEqual(1);
    },
  );
});

it('a large result takes a call for each part more, and a small one not one more', async () => {
  const proxy = await startFirestoreProxy();
  const store = createFirestoreResultStore(testFirestore(proxy.host));
  const key = randomUUID();
  const methodsOf = async (work: () => Promise<unknown>): Promise<string> => {
    proxy.calls.length = 0;
    await work();
    return proxy.calls.map(({ method }) => method.replace('BatchGetDocuments', 'Get')).join();
  };
  const methods: string[] = [];
  for (const [ms, entry] of [SMALL, SMALL, TWO_PARTS, TWO_PARTS, SMALL].entries()) {
    methods.push(await methodsOf(() => store.set(key, at(entry, ms))));
    methods.push(await methodsOf(() => store.get(key)));
  }
  expect(methods).toEqual([
    ...['Commit', 'Get', 'Commit,Get,Commit', 'Get'],
    ...['Commit,Commit,Commit,Get,Commit', 'Get,Get,Get'],
    ...['Commit,Commit,Commit,Get,Commit,Commit', 'Get,Get,Get'],
    ...['Commit,Get,Commit,Commit', 'Get'],
  ]);
  const [page] = await Array.fromAsync(store.listLive(0));
  const refresh = () => store.refresh(page?.entries[0] as LiveEntry, at(SMALL, 10));
  expect(await methodsOf(refresh)).toBe('Commit');
});
