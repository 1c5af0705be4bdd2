// Serves an endpoint of `sql/` over HTTP, with all real parts: framework, clients, engine and cache.
import type { Test } from 'supertest';
import { checkCatalogue } from '../../../scripts/check/check-endpoint.ts';
import { NOW } from '../bigquery/batch-runs.ts';
import { ControlledClock } from '../clock.ts';
import { tablesOf } from '../bigquery/local-bigquery.ts';
import { API_KEY, startService, storeKey } from '../world.ts';
import { sharedEngine } from '../bigquery/shared-engine.ts';

export type ShippedEndpoint = Awaited<ReturnType<typeof serveShippedEndpoint>>;

/** `rows` by table; now is `NOW`. */
export async function serveShippedEndpoint(
  name: string,
  rows: Record<string, object[]>,
  sqlDirectory = 'sql',
) {
  const service = await startService({
    clock: new ControlledClock(NOW),
    tables: await tablesOf(sqlDirectory, rows),
    catalogue: await checkCatalogue(await sharedEngine(), sqlDirectory),
  });
  await storeKey(service.firestore, API_KEY, { endpoints: ['*', name] });
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
