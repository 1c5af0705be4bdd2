// Serves an endpoint of `sql/` over HTTP, with all real parts: framework, clients, engine and cache.
import type { Test } from 'supertest';
import { checkCatalogue } from '../../../scripts/check/check-endpoint.ts';
import { NOW } from '../bigquery/batch-runs.ts';
import { ControlledClock } from '../clock.ts';
import { startLocalBigQuery, tablesOf } from '../bigquery/local-bigquery.ts';
import { API_KEY, createTestService, firestoreWithKey, storeKey } from '../world.ts';
import { sharedEngine } from '../bigquery/shared-engine.ts';

export type ShippedEndpoint = Awaited<ReturnType<typeof serveShippedEndpoint>>;

/** `rows` by table; now is `NOW`. */
export async function serveShippedEndpoint(
  name: string,
  rows: Record<string, object[]>,
  sqlDirectory = 'sql',
) {
  const clock = new ControlledClock(NOW);
  const engine = await sharedEngine();
  const tables = await tablesOf(sqlDirectory, rows);
  const bigquery = await startLocalBigQuery({ tables, clock });
  const firestore = await firestoreWithKey();
  await storeKey(firestore, API_KEY, { endpoints: ['*', name] });
  const catalogue = await checkCatalogue(engine, sqlDirectory);
  const options = { clock, firestore, bigQueryUrl: bigquery.url, catalogue };
  const service = createTestService(options);
  /** The answer to a query string, or to parameters that are encoded as one. */
  const ask = (query: string | Record<string, string>): Test => service.ask(name).query(query);
  return {
    ask,
    /** The rows of an answer; fails where it is not 200. */
    rowsOf: async (parameters: Record<string, string>): Promise<unknown> => {
      const answer = await ask(parameters);
      expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
      return (answer.body as { result: unknown }).result;
    },
  };
}
