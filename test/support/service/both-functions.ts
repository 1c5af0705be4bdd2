// Runs `query` and `warm` as deployed, on one Firestore project and one BigQuery stub.
import type { Firestore } from '@google-cloud/firestore';
import { startBigQueryStub } from '../bigquery/bigquery-stub-process.ts';
import { INSTANCE_HEAP } from './instance-heap.ts';
import { type RunningFunction, runFunction } from './running-function.ts';
import { API_KEY, firestoreWithKey } from './service.ts';

/** A call of `query` that runs, with the header that it needs. */
export const STATS = '/api/endpoints/query/tasks.run-stats?project=a&interval=1day';
export const KEY = `X-API-KEY: ${API_KEY}`;

export interface BothFunctions {
  query: RunningFunction;
  warm: RunningFunction;
  /** For `runFunction`: what both use. */
  backends: { firestore: Firestore; bigQueryUrl: string };
}

/** `API_KEY` opens every endpoint. Both end with the file of tests. */
export async function runBothFunctions(): Promise<BothFunctions> {
  const stub = await startBigQueryStub();
  const backends = { firestore: await firestoreWithKey(), bigQueryUrl: stub.url };
  const env = { NODE_OPTIONS: INSTANCE_HEAP };
  const query = await runFunction({ target: 'query', ...backends, env });
  const warm = await runFunction({ target: 'warm', ...backends, env });
  return { query, warm, backends };
}
