// The Firestore documents that commands share with the functions: demands to refresh, and the last warming run.
import { FieldValue, type Firestore } from '@google-cloud/firestore';
import { eachLimit } from '../../functions/core/each-limit.ts';
import type { WarmRun } from '../../functions/core/result-store.ts';
import { fieldsOf, isText } from '../../functions/core/json.ts';
import { isTimestamp } from '../../functions/firestore/client.ts';
import { createFirestoreRefreshStore } from '../../functions/firestore/refresh-store.ts';
import { timeIn } from '../../functions/firestore/result-store.ts';

export interface RecordedRun extends WarmRun {
  endedAtMs: number;
}

export type OperatorStore = ReturnType<typeof createOperatorStore>;

const AT_ONCE = 32;

const RUN = {
  catalogueDigest: isText,
  demands: (value: unknown): value is unknown[] => Array.isArray(value),
};
const DEMAND = { endpointId: isText, computedBefore: isTimestamp };

export function createOperatorStore(firestore: Firestore) {
  const refreshStore = createFirestoreRefreshStore(firestore);
  return {
    /** The last run, if there was one, and Firestore's time. */
    async lastRun(): Promise<{ run?: RecordedRun; nowMs: number }> {
      const document = await firestore.doc('runs/warm').get();
      const nowMs = document.readTime.toMillis();
      const fields = fieldsOf(document.data(), RUN);
      if (fields === undefined || document.updateTime === undefined) return { nowMs };
      const demands = fields.demands.flatMap((demand) => fieldsOf(demand, DEMAND) ?? []);
      const run = {
        catalogueDigest: fields.catalogueDigest,
        demands: new Map(
          demands.map(({ endpointId, computedBefore }) => [endpointId, computedBefore.toMillis()]),
        ),
        counts: document.get('counts') as WarmRun['counts'],
        endedAtMs: document.updateTime.toMillis(),
      };
      return { run, nowMs };
    },
    /** Demands rows computed from now on; returns the time of the demand. */
    async demand(endpointId: string): Promise<number> {
      const ref = firestore.collection('refreshes').doc(endpointId);
      await ref.set({ computedBefore: FieldValue.serverTimestamp() });
      return timeIn(await ref.get(), 'computedBefore') ?? -Infinity;
    },
    /** Expires all older results of the endpoint; returns how many were fresh. */
    async withdrawAll(endpointId: string, demandedMs: number): Promise<number> {
      const { docs, readTime } = await firestore
        .collection('results')
        .where('endpointId', '==', endpointId)
        .select('computedAt', 'freshUntil', 'sources.fullAt')
        .get();
      const older = docs.filter((document) => {
        // Rows that were kept are as old as this.
        const fullAtMs = timeIn(document, 'sources.fullAt') ?? timeIn(document, 'computedAt');
        return (fullAtMs ?? -Infinity) < demandedMs;
      });
      await eachLimit(older, AT_ONCE, ({ id }) => refreshStore.withdraw(id, demandedMs));
      const nowMs = readTime.toMillis();
      return older.filter((one) => (timeIn(one, 'freshUntil') ?? -Infinity) > nowMs).length;
    },
  };
}
