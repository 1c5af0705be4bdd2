// The store of demands to refresh in Firestore (`refreshes`, by endpoint id), of the last run of warming and of what it found.
import { type Firestore, Timestamp } from '@google-cloud/firestore';
import type { RefreshStore } from '../core/result-store.ts';
import { isObject } from '../core/json.ts';
import { isText } from './document-fields.ts';
import { type Observe, unobserved } from './firestore-clock.ts';
import { createUpdate, millisOf } from './result-store.ts';

/** Calls reject with the client's errors; each can be repeated safely. `npm run warm` writes the demands and reads the run. */
export function createFirestoreRefreshStore(
  firestore: Firestore,
  observe: Observe = unobserved,
): RefreshStore {
  const refreshes = firestore.collection('refreshes');
  const sources = firestore.doc('runs/sources');
  const update = createUpdate(firestore, observe);
  return {
    async list() {
      const { docs } = await observe(() => refreshes.get());
      return new Map(
        docs.flatMap((document) => {
          const demandedMs = millisOf(document.get('computedBefore'));
          return demandedMs === undefined ? [] : [[document.id, demandedMs]];
        }),
      );
    },
    async demandedMs(endpointId) {
      const document = await observe(() => refreshes.doc(endpointId).get());
      return millisOf(document.get('computedBefore'));
    },
    async withdraw(cacheKey, demandedMs) {
      const ref = firestore.collection('results').doc(cacheKey);
      const before = Timestamp.fromMillis(demandedMs);
      const fields = { computedAt: before, checkedAt: null, sources: null, freshUntil: before };
      await update(ref, fields, undefined, ({ computedAtMs = -Infinity }) =>
        computedAtMs >= demandedMs ? 'superseded' : undefined,
      );
    },
    async recordRun({ demandedMs, ...run }) {
      const demands = [...demandedMs].map(([endpointId, beforeMs]) => {
        return { endpointId, computedBefore: Timestamp.fromMillis(beforeMs) };
      });
      await observe(() => firestore.doc('runs/warm').set({ ...run, demands }));
    },
    async sourceStates() {
      const document = await observe(() => sources.get());
      const askedAtMs = millisOf(document.get('askedAt'));
      const states: unknown = document.get('states');
      if (askedAtMs === undefined || !Array.isArray(states)) return undefined;
      const pairs = states.flatMap((one: unknown): [string, string][] =>
        isObject(one) && isText(one.table) && isText(one.state) ? [[one.table, one.state]] : [],
      );
      return { askedAtMs, byTable: new Map(pairs) };
    },
    async recordSourceStates({ askedAtMs, byTable }) {
      const states = [...byTable].map(([table, state]) => ({ table, state }));
      await observe(() => sources.set({ askedAt: Timestamp.fromMillis(askedAtMs), states }));
    },
  };
}
