// The store of demands to refresh in Firestore (`refreshes`, by endpoint id), of the last run of warming and of what it found.
import { deserialize, serialize } from 'node:v8';
import { gunzipSync, gzipSync } from 'node:zlib';
import { type Firestore, Timestamp } from '@google-cloud/firestore';
import type { Found, RefreshStore } from '../core/result-store.ts';
import { timeIn, update } from './result-store.ts';

/** Calls reject with the client's errors; each can be repeated safely. `npm run warm` writes the demands and reads the run. */
export function createFirestoreRefreshStore(firestore: Firestore): RefreshStore {
  const refreshes = firestore.collection('refreshes');
  return {
    async list() {
      const { docs } = await refreshes.get();
      return new Map(
        docs.flatMap((document) => {
          const demandedMs = timeIn(document, 'computedBefore');
          return demandedMs === undefined ? [] : [[document.id, demandedMs]];
        }),
      );
    },
    async demandedMs(endpointId) {
      return timeIn(await refreshes.doc(endpointId).get(), 'computedBefore');
    },
    async withdraw(cacheKey, demandedMs) {
      const ref = firestore.collection('results').doc(cacheKey);
      const before = Timestamp.fromMillis(demandedMs);
      const fields = { computedAt: before, checkedAt: null, sources: null, freshUntil: before };
      await update(ref, fields, undefined, (stored) => {
        const fullAtMs = timeIn(stored, 'sources.fullAt') ?? timeIn(stored, 'computedAt');
        return (fullAtMs ?? -Infinity) >= demandedMs ? 'superseded' : undefined;
      });
    },
    async recordRun(run) {
      const demands = [...run.demands].map(([endpointId, beforeMs]) => {
        return { endpointId, computedBefore: Timestamp.fromMillis(beforeMs) };
      });
      await firestore.doc('runs/warm').set({ ...run, demands });
    },
    async found(name) {
      const document = await firestore.doc(`runs/${name}`).get();
      try {
        return deserialize(gunzipSync(document.get('packed') as Buffer)) as Found[typeof name];
      } catch {
        // There is none, or it has the form of an earlier version.
        return undefined;
      }
    },
    async recordFound(name, found) {
      // Compressed, because a table may have ten thousand partitions and a document one megabyte.
      await firestore.doc(`runs/${name}`).set({ packed: gzipSync(serialize(found)) });
    },
  };
}
