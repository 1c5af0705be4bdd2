// The store of demands to refresh in Firestore (`refreshes`, by endpoint id), of the last run of warming and of what it found.
import { gunzipSync, gzipSync } from 'node:zlib';
import { type Firestore, Timestamp } from '@google-cloud/firestore';
import type { PartitionHistory, RefreshStore, TableHistory } from '../core/result-store.ts';
import { hasForm, isText } from '../core/json.ts';
import { createUpdate, millisOf } from './result-store.ts';

/** Calls reject with the client's errors; each can be repeated safely. `npm run warm` writes the demands and reads the run. */
export function createFirestoreRefreshStore(firestore: Firestore): RefreshStore {
  const refreshes = firestore.collection('refreshes');
  const sources = firestore.doc('runs/sources');
  const partitions = firestore.doc('runs/partitions');
  const update = createUpdate(firestore);
  return {
    async list() {
      const { docs } = await refreshes.get();
      return new Map(
        docs.flatMap((document) => {
          const demandedMs = millisOf(document.get('computedBefore'));
          return demandedMs === undefined ? [] : [[document.id, demandedMs]];
        }),
      );
    },
    async demandedMs(endpointId) {
      const document = await refreshes.doc(endpointId).get();
      return millisOf(document.get('computedBefore'));
    },
    async withdraw(cacheKey, demandedMs) {
      const ref = firestore.collection('results').doc(cacheKey);
      const before = Timestamp.fromMillis(demandedMs);
      const fields = { computedAt: before, checkedAt: null, sources: null, freshUntil: before };
      await update(
        ref,
        fields,
        undefined,
        ({ computedAtMs, fullAtMs = computedAtMs ?? -Infinity }) =>
          fullAtMs >= demandedMs ? 'superseded' : undefined,
      );
    },
    async recordRun({ demandedMs, ...run }) {
      const demands = [...demandedMs].map(([endpointId, beforeMs]) => {
        return { endpointId, computedBefore: Timestamp.fromMillis(beforeMs) };
      });
      await firestore.doc('runs/warm').set({ ...run, demands });
    },
    async sourceStates() {
      const document = await sources.get();
      const askedAtMs = millisOf(document.get('askedAt'));
      // Earlier versions wrote both into one list, `states`, which is not read.
      const [byTable, byView] = [document.get('tables'), document.get('views')].map(statesIn);
      if (askedAtMs === undefined || !byTable || !byView) return undefined;
      return { askedAtMs, byTable, byView };
    },
    async recordSourceStates({ askedAtMs, byTable, byView }) {
      const [tables, views] = [byTable, byView].map((states) =>
        [...states].map(([name, state]) => ({ name, state })),
      );
      const askedAt = Timestamp.fromMillis(askedAtMs);
      await sources.set({ askedAt, tables, views });
    },
    async partitionHistory() {
      const document = await partitions.get();
      return decodeHistory(document.get('history'));
    },
    async recordPartitionHistory({ byTable, ...history }) {
      const tables = [...byTable].map(([name, { partitions: known, ...table }]) => {
        return { name, ...table, partitions: [...known] };
      });
      // Compressed, because a table may have ten thousand partitions and a document one megabyte.
      const bytes = gzipSync(JSON.stringify({ ...history, tables }));
      await partitions.set({ history: bytes });
    },
  };
}

const isState = hasForm({ name: isText, state: isText });

/** By name; undefined if it is not a list. */
function statesIn(list: unknown): Map<string, string> | undefined {
  if (!Array.isArray(list)) return undefined;
  return new Map(list.filter(isState).map(({ name, state }) => [name, state]));
}

/** As `recordPartitionHistory` writes it; undefined for anything else. */
function decodeHistory(bytes: unknown): PartitionHistory | undefined {
  if (!(bytes instanceof Uint8Array)) return undefined;
  try {
    const { tables, ...history } = JSON.parse(gunzipSync(bytes).toString()) as StoredHistory;
    const byTable = tables.map(({ name, ...table }): [string, TableHistory] => [
      name,
      { ...table, partitions: new Map(table.partitions) },
    ]);
    return { ...history, byTable: new Map(byTable) };
  } catch {
    return undefined;
  }
}

interface StoredHistory extends Omit<PartitionHistory, 'byTable'> {
  tables: (Omit<TableHistory, 'partitions'> & {
    name: string;
    partitions: [string, { digest: string; changedAtMs: number }][];
  })[];
}
