// The API keys in Firestore: collection `apiKeys`, one document per key, by its id. `npm run keys` writes them.
import type { Firestore } from '@google-cloud/firestore';
import { fieldsOf, isObject, isText, isTexts, optional } from '../core/json.ts';
import {
  type ApiKey,
  BASE64URL_256,
  KEY_BYTES_MAX,
  KEY_LIMIT_MAX,
  type KeyStore,
  TOKEN_SECONDS_MAX,
  isKeyLimit,
  signingKeyId,
} from '../core/key-store.ts';
import { decodeTimes, isTimestamp } from './firestore-client.ts';

/** The fields of a document, with their checks. */
const KEY_FORM = {
  name: isText,
  endpoints: isTexts,
  // Null is not taken for absent: that would allow everything.
  parameters: isTextsByName,
  requestsPerMinute: atMost(KEY_LIMIT_MAX),
  missesPerMinute: atMost(KEY_LIMIT_MAX),
  bytesPerDay: atMost(KEY_BYTES_MAX),
  publicKey: isOptionalPublicKey,
  tokenSeconds: atMost(TOKEN_SECONDS_MAX),
  createdAt: optional(isTimestamp),
  expiresAt: optional(isTimestamp),
  revokedAt: optional(isTimestamp),
};

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
  const key = fieldsOf(data, KEY_FORM);
  if (key === undefined) return undefined;
  const { publicKey } = key;
  const isOfId = publicKey === undefined ? !BASE64URL_256.test(id) : signingKeyId(publicKey) === id;
  return isOfId ? decodeTimes(key) : undefined;
}

function isTextsByName(value: unknown): value is Record<string, string[]> | undefined {
  return value === undefined || (isObject(value) && Object.values(value).every(isTexts));
}

function isOptionalPublicKey(value: unknown): value is string | undefined {
  return value === undefined || (isText(value) && BASE64URL_256.test(value));
}

function atMost(max: number) {
  return (value: unknown): value is number | undefined =>
    value === undefined || isKeyLimit(value, max);
}
