// Serves an endpoint of `sql/` over HTTP, with all real parts: framework, clients, engine and cache.
import type { Test } from 'supertest';
import { loadCatalogue } from '../../../scripts/compile/inspect-catalogue.ts';
import { checkCatalogue } from '../../../scripts/check/check-endpoint.ts';
import { sampleLogs } from '../../../scripts/start/rows/sample-logs.ts';
import { type EndpointOnEngine, NOW, withLogs } from '../bigquery/batch-runs.ts';
import { ControlledClock } from '../fakes/controlled-clock.ts';
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
    engine,
    ask,
    /** The rows of an answer; fails where it is not 200. */
    rowsOf: async (parameters: Record<string, string>): Promise<unknown> => {
      const answer = await ask(parameters);
      expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
      return (answer.body as { result: unknown }).result;
    },
  };
}

/**
 * Fails if sample logs do not fit the schema of their table, if the query with the example of `project`
 * returns fewer rows than the days of the sample logs, or if the values that the form of the console
 * starts with give no rows.
 */
export async function expectSampleRows(
  on: EndpointOnEngine,
  table: 'function_relay_logs' | 'edge_logs',
  parameters: Record<string, string>,
): Promise<void> {
  const rows = sampleLogs({ nowMs: Date.parse(NOW) })[table];
  const declared = loadCatalogue('sql').resolve(on.name)?.parameters ?? {};
  const start = Object.entries(declared).map(([name, parameter]) => {
    const { required, example } = parameter;
    return [name, String(parameter.default ?? (required ? example : ''))];
  });
  await withLogs(on, { [table]: rows }, async ({ single }) => {
    const result = await single({ ...parameters, project: String(declared.project?.example) });
    expect(result.rowCount).toBeGreaterThan(7);
    const atStart = await single(Object.fromEntries(start) as Record<string, string>);
    expect(atStart.rowCount).toBeGreaterThan(0);
  });
}
