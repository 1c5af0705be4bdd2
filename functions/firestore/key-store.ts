// The API keys in Firestore: collection `apiKeys`, one document per key, by its id. `npm run keys` writes them.
import type { Firestore } from '@google-cloud/firestore';
import { fieldsOf } from '../core/json.ts';
import {
  API_KEY,
  type ApiKey,
  BASE64URL_256,
  type KeyStore,
  signingKeyId,
} from '../core/key-store.ts';
import { decodeTimes } from './client.ts';

/** Firestore answers a read of such an id with an error, which its client retries; anybody can write one into a token. */
const RESERVED_ID = /^__.*__$/;

export function createFirestoreKeyStore(firestore: Firestore): KeyStore {
  const apiKeys = firestore.collection('apiKeys');
  return {
    async get(id) {
      if (RESERVED_ID.test(id)) return undefined;
      const data = (await apiKeys.doc(id).get()).data();
      if (data === undefined) return undefined;
      const key = decodeKey(id, data);
      // An unreadable key gives no access.
      if (key === undefined) throw new Error('The document is not an API key.');
      return key;
    },
  };
}

/** Undefined for a document with another shape, or of another key than its id says. */
export function decodeKey(id: string, data: unknown): ApiKey | undefined {
  const key = fieldsOf(decodeTimes(data), API_KEY);
  if (key === undefined) return undefined;
  const { publicKey } = key;
  const isOfId = publicKey === undefined ? !BASE64URL_256.test(id) : signingKeyId(publicKey) === id;
  return isOfId ? key : undefined;
}
