// The store of API keys in Firestore: collection `apiKeys`, one document per SHA-256 of a key.
import { type Firestore, Timestamp } from '@google-cloud/firestore';
import { isObject } from '../core/is-object.ts';
import type { ApiKey, KeyStore } from '../core/key-store.ts';
import { type Observe, unobserved } from './firestore-clock.ts';

export function createFirestoreKeyStore(
  firestore: Firestore,
  observe: Observe = unobserved,
): KeyStore {
  const apiKeys = firestore.collection('apiKeys');
  return {
    async get(digest) {
      const data = (await observe(() => apiKeys.doc(digest).get())).data();
      return data === undefined ? undefined : decodeKey(data);
    },
    async set(digest, key) {
      await apiKeys.doc(digest).set(encodeKey(key));
    },
    async list() {
      const { docs } = await apiKeys.get();
      return new Map(docs.map((document) => [document.id, decodeIfKey(document.data())]));
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

/** Throws for a document with another shape: an unreadable key gives no access. */
function decodeKey(data: Readonly<Record<string, unknown>>): ApiKey {
  const { name, endpoints, parameters, createdAt, expiresAt, revokedAt } = data;
  const isKey =
    typeof name === 'string' &&
    isStrings(endpoints) &&
    (parameters === undefined || isStringsByName(parameters)) &&
    isOptionalTimestamp(createdAt) &&
    isOptionalTimestamp(expiresAt) &&
    isOptionalTimestamp(revokedAt);
  if (!isKey) throw new Error('The document is not an API key.');
  return {
    name,
    endpoints,
    ...(parameters === undefined ? {} : { parameters }),
    ...(createdAt ? { createdAtMs: createdAt.toMillis() } : {}),
    ...(expiresAt ? { expiresAtMs: expiresAt.toMillis() } : {}),
    ...(revokedAt ? { revokedAtMs: revokedAt.toMillis() } : {}),
  };
}

/** Undefined for a document with another shape. */
function decodeIfKey(data: Readonly<Record<string, unknown>>): ApiKey | undefined {
  try {
    return decodeKey(data);
  } catch {
    return undefined;
  }
}

function isStrings(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function isStringsByName(value: unknown): value is Record<string, string[]> {
  return isObject(value) && Object.values(value).every(isStrings);
}

function isOptionalTimestamp(value: unknown): value is Timestamp | null | undefined {
  return value === undefined || value === null || value instanceof Timestamp;
}
