// The API keys in Firestore as `npm run keys` writes and lists them; the functions only read them.
import { type Firestore, Timestamp } from '@google-cloud/firestore';
import type { ApiKey, KeyStore } from '../../functions/core/key-store.ts';
import { createFirestoreKeyStore, decodeKey } from '../../functions/google/key-store.ts';

export interface KeyRegister extends KeyStore {
  /** Replaces the whole key. */
  set(digest: string, key: ApiKey): Promise<void>;
  /** All keys, in no order; undefined in place of one that cannot be read. */
  list(): Promise<Map<string, ApiKey | undefined>>;
}

export function createKeyRegister(firestore: Firestore): KeyRegister {
  const apiKeys = firestore.collection('apiKeys');
  return {
    ...createFirestoreKeyStore(firestore),
    async set(digest, key) {
      await apiKeys.doc(digest).set(encodeKey(key));
    },
    async list() {
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
