// The store of demands to refresh in Firestore (`refreshes`, by endpoint id), of the last run of warming and of what it found.
import { type Firestore, Timestamp } from '@google-cloud/firestore';
import type { RefreshStore } from '../core/result-store.ts';
import { isObject } from '../core/json.ts';
import { isText } from './document-fields.ts';
import { unlessRaceLost } from './firestore-client.ts';
import { type Observe, unobserved } from './firestore-clock.ts';

const WRITE_ATTEMPTS_MAX = 5;

/** Calls reject with the client's errors; each can be repeated safely. `npm run warm` writes the demands and reads the run. */
export function createFirestoreRefreshStore(
  firestore: Firestore,
  observe: Observe = unobserved,
): RefreshStore {
  const refreshes = firestore.collection('refreshes');
  const sources = firestore.doc('runs/sources');
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
      for (let attempt = 1; attempt <= WRITE_ATTEMPTS_MAX; attempt += 1) {
        const [stored] = await firestore.getAll(ref, { fieldMask: ['computedAt'] });
        const { updateTime: lastUpdateTime } = stored ?? {};
        if (lastUpdateTime === undefined) return;
        if ((millisOf(stored?.get('computedAt')) ?? -Infinity) >= demandedMs) return;
        const fields = { computedAt: before, checkedAt: null, sources: null, freshUntil: before };
        const written = await unlessRaceLost(observe(() => ref.update(fields, { lastUpdateTime })));
        if (written !== undefined) return;
      }
      throw new Error('The document changes too often to be withdrawn.');
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

export function millisOf(value: unknown): number | undefined {
  return value instanceof Timestamp ? value.toMillis() : undefined;
}
