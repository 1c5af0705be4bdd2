// Contract tests of KeyStore, and of the register that writes it, on the fake and on Firestore.
import { randomUUID } from 'node:crypto';
import { Timestamp } from '@google-cloud/firestore';
import { type ApiKey, digestOf, signingKeyId } from '../../functions/core/key-store.ts';
import { type KeyRegister, createKeyRegister } from '../../scripts/keys/key-register.ts';
import { FakeKeyStore } from '../support/fakes/fake-key-store.ts';
import { createSigner } from '../support/service/sign-token.ts';
import { describeOnFirestores } from '../support/service/firestore-emulators.ts';
import { casesBeside } from '../support/cases.ts';

const cases = casesBeside(import.meta.filename);

const MINIMAL: ApiKey = { name: 'dashboard', endpoints: ['*'] };
const COMPLETE: ApiKey = {
  name: 'one project',
  endpoints: ['tasks.run-stats', 'web.visit-counts'],
  parameters: { project: ['abc', 'def'], interval: [] },
  requestsPerMinute: 1_000_000,
  missesPerMinute: 1,
  createdAtMs: Date.parse('2026-11-20T10:00:00.001Z'),
  expiresAtMs: Date.parse('2027-11-20T10:00:00.002Z'),
  revokedAtMs: Date.parse('2026-12-01T00:00:00.003Z'),
};

/** `setReplaces` is false where a write keeps the fields that it does not name. */
function describeContract(
  createStore: () => Pick<KeyRegister, 'get' | 'set'>,
  setReplaces = true,
): void {
  it('returns undefined for an unknown digest', async () => {
    expect(await createStore().get(randomUUID())).toBeUndefined();
  });

  it.each([
    ['a key with only a name and endpoints', MINIMAL],
    ['a key with every field', COMPLETE],
    ['a key that may use no endpoint', { name: 'none', endpoints: [] }],
    ['a key from the first millisecond of the epoch', { ...MINIMAL, revokedAtMs: 0 }],
  ])('returns %s as it was written', async (_name, key) => {
    const [store, digest] = [createStore(), randomUUID()];
    await store.set(digest, key);
    expect(await store.get(digest)).toEqual(key);
  });

  const reason = setReplaces ? '' : ' (skipped: a write on this emulator keeps other fields)';
  const itReplacing = setReplaces ? it : it.skip;
  itReplacing(`replaces the whole key${reason}`, async () => {
    const [store, digest] = [createStore(), randomUUID()];
    await store.set(digest, COMPLETE);
    await store.set(digest, MINIMAL);
    expect(await store.get(digest)).toEqual(MINIMAL);
  });
}

it('a key that signs has the thumbprint of RFC 8037, A.3 as its id', () => {
  expect(signingKeyId('11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo')).toBe(
    'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
  );
});

describe('KeyStore: the fake', () => {
  describeContract(() => new FakeKeyStore());
});

describeOnFirestores(({ kind, firestore }) => {
  describeContract(() => createKeyRegister(firestore()), kind !== 'in-process');

  it('lists every key with its digest, as it was written', async () => {
    const store = createKeyRegister(firestore());
    const [minimal, complete] = [randomUUID(), randomUUID()];
    await store.set(minimal, MINIMAL);
    await store.set(complete, COMPLETE);
    const listed = await store.list();
    expect([listed.get(minimal)?.key, listed.get(complete)?.key]).toEqual([MINIMAL, COMPLETE]);
  });

  it('ends keys, all or none: not if one was changed since it was listed', async () => {
    const store = createKeyRegister(firestore());
    const ids = [randomUUID(), randomUUID()];
    for (const id of ids) await store.set(id, COMPLETE);
    const listed = await store.list();
    const ends = ids.flatMap((storedAs) => {
      const seen = listed.get(storedAs)?.seen;
      return seen ? [{ storedAs, seen, field: 'revokedAt' as const, atMs: 1 }] : [];
    });
    const revoked = async () => [(await store.get(ids[0] ?? ''))?.revokedAtMs, ends.length];
    // The emulator in process does not compare times.
    if (kind !== 'in-process') {
      const stale = ends.map((end, index) => {
        return index === 0 ? end : { ...end, seen: Timestamp.fromMillis(0) };
      });
      await expect(store.end(stale)).rejects.toThrow('Another command has changed these keys');
      expect(await revoked()).toEqual([COMPLETE.revokedAtMs, 2]);
    }
    await store.end(ends);
    expect(await revoked()).toEqual([1, 2]);
  });

  it('has a key that signs by the thumbprint of its public key alone', async () => {
    const [store, signer] = [createKeyRegister(firestore()), createSigner()];
    await store.set(signer.id, signer.stored());
    expect(await store.get(signer.id)).toEqual(signer.stored());
    expect((await store.list()).get(signer.id)?.key).toEqual(signer.stored());
    for (const [id, key] of [
      [digestOf(signer.id), signer.stored()],
      [createSigner().id, signer.stored()],
      [createSigner().id, MINIMAL],
    ] as const) {
      await store.set(id, key);
      await expect(store.get(id)).rejects.toThrow('The document is not an API key.');
    }
  });

  const write = async (document: object): Promise<string> => {
    const digest = randomUUID();
    await firestore().doc(`apiKeys/${digest}`).set(document);
    return digest;
  };

  // A key that cannot be read must open nothing; above all, no restriction may be lost.
  it.each(cases<[string, object]>('invalid documents'))(
    'rejects a document %s',
    async (_name, document) => {
      const digest = await write(document);
      await expect(createKeyRegister(firestore()).get(digest)).rejects.toThrow('not an API key');
    },
  );

  it('lists an invalid document as an unreadable key', async () => {
    const digest = await write({ name: 'a', endpoints: '*' });
    const listed = await createKeyRegister(firestore()).list();
    expect([listed.has(digest), listed.get(digest)?.key]).toEqual([true, undefined]);
  });

  it("gives Firestore's time", async () => {
    const startedMs = Date.now();
    const nowMs = await createKeyRegister(firestore()).nowMs();
    expect(nowMs).toBeGreaterThanOrEqual(startedMs);
    expect(nowMs).toBeLessThanOrEqual(Date.now());
  });

  it('reads null times of a key as absent', async () => {
    const digest = await write({ ...MINIMAL, expiresAt: null, revokedAt: null });
    expect(await createKeyRegister(firestore()).get(digest)).toEqual(MINIMAL);
  });
});
