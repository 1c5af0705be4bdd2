// The API keys in Firestore: collection `apiKeys`, one document per SHA-256 of a key. `npm run keys` writes them.
import type { Firestore, Timestamp } from '@google-cloud/firestore';
import { fieldsOf, isObject, isText, isTexts } from '../core/json.ts';
import { type ApiKey, type KeyStore, isKeyLimit } from '../core/key-store.ts';
import { isTimestamp } from './firestore-client.ts';
import { unobserved } from './firestore-clock.ts';

const KEY = {
  name: isText,
  endpoints: isTexts,
  parameters: isTextsByName,
  requestsPerMinute: isOptionalLimit,
  missesPerMinute: isOptionalLimit,
  createdAt: isOptionalTime,
  expiresAt: isOptionalTime,
  revokedAt: isOptionalTime,
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
  const { name, endpoints, parameters, requestsPerMinute, missesPerMinute } = key;
  const { createdAt, expiresAt, revokedAt } = key;
  return {
    name,
    endpoints,
    ...(parameters === undefined ? {} : { parameters }),
    ...(requestsPerMinute === undefined ? {} : { requestsPerMinute }),
    ...(missesPerMinute === undefined ? {} : { missesPerMinute }),
    ...(createdAt ? { createdAtMs: createdAt.toMillis() } : {}),
    ...(expiresAt ? { expiresAtMs: expiresAt.toMillis() } : {}),
    ...(revokedAt ? { revokedAtMs: revokedAt.toMillis() } : {}),
  };
}

function isTextsByName(value: unknown): value is Record<string, string[]> | undefined {
  return value === undefined || (isObject(value) && Object.values(value).every(isTexts));
}

function isOptionalLimit(value: unknown): value is number | undefined {
  return value === undefined || isKeyLimit(value);
}

function isOptionalTime(value: unknown): value is Timestamp | null | undefined {
  return value === undefined || value === null || isTimestamp(value);
}
