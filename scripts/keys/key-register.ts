// The API keys in Firestore as `npm run keys` writes and lists them; the functions only read them.
import { type Firestore, Timestamp } from '@google-cloud/firestore';
import type { ApiKey } from '../../functions/core/key-store.ts';
import { createFirestoreKeyStore, decodeKey } from '../../functions/google/key-store.ts';

export type KeyRegister = ReturnType<typeof createKeyRegister>;

export function createKeyRegister(firestore: Firestore) {
  const apiKeys = firestore.collection('apiKeys');
  return {
    ...createFirestoreKeyStore(firestore),
    /** Replaces the whole key. */
    async set(digest: string, key: ApiKey): Promise<void> {
      await apiKeys.doc(digest).set(encodeKey(key));
    },
    /** All keys, in no order; undefined in place of one that cannot be read. */
    async list(): Promise<Map<string, ApiKey | undefined>> {
      const { docs } = await apiKeys.get();
      return new Map(docs.map((document) => [document.id, decodeKey(document.data())]));
    },
  };
}

function encodeKey(key: ApiKey): FirebaseFirestore.DocumentData {
  const { createdAtMs, expiresAtMs, revokedAtMs, ...fields } = key;
  return {
    ...fields,
    ...(createdAtMs === undefined ? {} : { createdAt: Timestamp.fromMillis(createdAtMs) }),
    ...(expiresAtMs === undefined ? {} : { expiresAt: Timestamp.fromMillis(expiresAtMs) }),
    ...(revokedAtMs === undefined ? {} : { revokedAt: Timestamp.fromMillis(revokedAtMs) }),
  };
}
