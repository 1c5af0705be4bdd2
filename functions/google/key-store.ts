// The API keys in Firestore: collection `apiKeys`, one document per SHA-256 of a key. `npm run keys` writes them.
import type { Firestore } from '@google-cloud/firestore';
import { fieldsOf, isObject, isText, isTexts, optional } from '../core/json.ts';
import { type ApiKey, KEY_BYTES_MAX, type KeyStore, isKeyLimit } from '../core/key-store.ts';
import { isTimestamp } from './firestore-client.ts';
import { unobserved } from './firestore-clock.ts';

const KEY = {
  name: isText,
  endpoints: isTexts,
  // Null is not taken for absent: that would allow everything.
  parameters: isTextsByName,
  requestsPerMinute: isOptionalLimit,
  missesPerMinute: isOptionalLimit,
  bytesPerDay: isOptionalBytes,
  createdAt: optional(isTimestamp),
  expiresAt: optional(isTimestamp),
  revokedAt: optional(isTimestamp),
};

export function createFirestoreKeyStore(firestore: Firestore, observe = unobserved): KeyStore {
  const apiKeys = firestore.collection('apiKeys');
  return {
    async get(digest) {
      const data = (await observe(() => apiKeys.doc(digest).get())).data();
      if (data === undefined) return undefined;
      const key = decodeKey(data);
      // An unreadable key gives no access.
      if (key === undefined) throw new Error('The document is not an API key.');
      return key;
    },
  };
}

/** Undefined for a document with another shape. */
export function decodeKey(data: unknown): ApiKey | undefined {
  const key = fieldsOf(data, KEY);
  if (key === undefined) return undefined;
  const { createdAt, expiresAt, revokedAt, ...rest } = key;
  return {
    ...rest,
    createdAtMs: createdAt?.toMillis(),
    expiresAtMs: expiresAt?.toMillis(),
    revokedAtMs: revokedAt?.toMillis(),
  };
}

function isTextsByName(value: unknown): value is Record<string, string[]> | undefined {
  return value === undefined || (isObject(value) && Object.values(value).every(isTexts));
}

function isOptionalBytes(value: unknown): value is number | undefined {
  return value === undefined || isKeyLimit(value, KEY_BYTES_MAX);
}

function isOptionalLimit(value: unknown): value is number | undefined {
  return value === undefined || isKeyLimit(value);
}
