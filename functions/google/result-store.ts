// Result documents in Firestore, collection `results`, one document per cache key.
import { type Firestore, Timestamp } from '@google-cloud/firestore';
import type { Entry, LiveEntry, ResultStore } from '../core/ports.ts';

/** Past its freshness a document is kept this long, so that an outage does not end its warming. */
const KEPT_AFTER_EXPIRY_MS = 60 * 60 * 1000;

/** Not the body: listing ten thousand entries must stay small. */
const LIVE_FIELDS = [
  'endpointId',
  'endpoint',
  'definitionDigest',
  'parameters',
  'keyName',
  'computedAt',
  'freshUntil',
  'lastReadAt',
];

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
    async refresh(cacheKey, entry) {
      const { lastReadAt: _, keyName: __, ...fields } = encodeEntry(entry);
      await results.doc(cacheKey).update(fields);
    },
    async listLive(sinceMs, countMax) {
      const snapshot = await results
        .where('lastReadAt', '>=', Timestamp.fromMillis(sinceMs))
        .orderBy('lastReadAt', 'desc')
        .limit(countMax)
        .select(...LIVE_FIELDS)
        .get();
      return snapshot.docs.map((document) => decodeLiveEntry(document.id, document.data()));
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

function decodeLiveEntry(cacheKey: string, data: FirebaseFirestore.DocumentData): LiveEntry {
  const { computedAt, freshUntil, lastReadAt, ...fields } = data as Record<string, Timestamp>;
  return {
    ...(fields as unknown as Omit<
      LiveEntry,
      'cacheKey' | 'computedAtMs' | 'freshUntilMs' | 'lastReadAtMs'
    >),
    cacheKey,
    computedAtMs: computedAt?.toMillis() ?? 0,
    freshUntilMs: freshUntil?.toMillis() ?? 0,
    lastReadAtMs: lastReadAt?.toMillis() ?? 0,
  };
}
