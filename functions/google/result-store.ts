// Result documents in Firestore, collection `results`, one document per cache key.
import { type Firestore, Timestamp } from '@google-cloud/firestore';
import type { Entry, ResultStore } from '../core/ports.ts';

/** Past its freshness a document is kept this long, so that an outage does not end its warming. */
const KEPT_AFTER_EXPIRY_MS = 60 * 60 * 1000;

/** Calls reject as the client rejects; a repeat of any of them is safe. */
export function createFirestoreResultStore(firestore: Firestore): ResultStore {
  const results = firestore.collection('results');
  return {
    async get(cacheKey) {
      const snapshot = await results.doc(cacheKey).get();
      const data = snapshot.data();
      return data === undefined ? undefined : decodeEntry(data);
    },
    async set(cacheKey, entry) {
      await results.doc(cacheKey).set(encodeEntry(entry));
    },
    async touch(cacheKey, lastReadAtMs, keyName) {
      await results
        .doc(cacheKey)
        .update({ lastReadAt: Timestamp.fromMillis(lastReadAtMs), keyName });
    },
  };
}

function encodeEntry(entry: Entry): FirebaseFirestore.DocumentData {
  const { computedAtMs, freshUntilMs, lastReadAtMs, ...fields } = entry;
  return {
    ...fields,
    computedAt: Timestamp.fromMillis(computedAtMs),
    freshUntil: Timestamp.fromMillis(freshUntilMs),
    lastReadAt: Timestamp.fromMillis(lastReadAtMs),
    deleteAt: Timestamp.fromMillis(freshUntilMs + KEPT_AFTER_EXPIRY_MS),
  };
}

/** Undefined for a document of another shape: it is a miss, and the next run replaces it. */
function decodeEntry(data: FirebaseFirestore.DocumentData): Entry | undefined {
  const { computedAt, freshUntil, lastReadAt, deleteAt: _, ...fields } = data;
  const isEntry =
    computedAt instanceof Timestamp &&
    freshUntil instanceof Timestamp &&
    lastReadAt instanceof Timestamp &&
    fields.body instanceof Uint8Array &&
    typeof fields.endpoint === 'string' &&
    typeof fields.definitionDigest === 'string' &&
    typeof fields.parameters === 'object' &&
    typeof fields.bodyBytes === 'number' &&
    typeof fields.rowCount === 'number' &&
    typeof fields.etag === 'string' &&
    typeof fields.truncated === 'boolean';
  if (!isEntry) return undefined;
  return {
    ...(fields as Omit<Entry, 'computedAtMs' | 'freshUntilMs' | 'lastReadAtMs'>),
    computedAtMs: computedAt.toMillis(),
    freshUntilMs: freshUntil.toMillis(),
    lastReadAtMs: lastReadAt.toMillis(),
  };
}
