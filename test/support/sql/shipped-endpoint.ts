// Serves an endpoint of `sql/` over HTTP, with all real parts: framework, clients, engine and cache.
import { readFileSync } from 'node:fs';
import type { Test } from 'supertest';
import { inspectCatalogue, loadCatalogue } from '../../../scripts/compile/inspect-catalogue.ts';
import { checkCatalogue, checkEndpoint } from '../../../scripts/check/check-endpoint.ts';
import type { BucketDefinition, Endpoint } from '../../../functions/endpoints/endpoint.ts';
import type { GoogleSql } from '../../../scripts/local-bigquery/analysis/google-sql.ts';
import { sampleLogs } from '../../../scripts/start/rows/sample-logs.ts';
import { formatWindows, scanWindows } from '../../../scripts/check/scan-windows.ts';
import { readSources } from '../../../scripts/sources/read-sources.ts';
import { type EndpointOnEngine, NOW, withLogs } from '../bigquery/batch-runs.ts';
import { ControlledClock } from '../fakes/controlled-clock.ts';
import { startLocalBigQuery, tablesOf } from '../bigquery/local-bigquery.ts';
import { tableUnder } from './readme-tables.ts';
import { API_KEY, createTestService, firestoreWithKey, storeKey } from '../service/service.ts';
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

/** What the specification says of one endpoint. */
interface Specified {
  parameters: string[];
  intervals: string[];
  aliases?: Record<string, string>;
  columns: string[];
  timestampType: string;
  bucket: Pick<BucketDefinition, 'missing' | 'window' | 'whole'> & {
    steps: Record<string, string>;
  };
  units: Record<string, string[]>;
  batchOver: string[];
  hasBucketArray: boolean;
}

/** Tests of the definition: by what the specification says of it, and of every endpoint. */
export function describeDefinition(endpoint: Endpoint, specified: Specified): void {
  describe('the definition', () => {
    it('has the id, limits, parameters, columns, buckets and batches of the specification', () => {
      const { steps: values, ...others } = specified.bucket;
      expect(endpoint).toMatchObject({
        id: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/) as string,
        queryLanguage: 'bigquery',
        maxRows: 1000,
        cachingSeconds: 900,
        cacheWarmingSeconds: 300,
        sandboxed: false,
        warming: {
          batchOver: specified.batchOver,
          maxKeys: 1000,
          incremental: { settleSeconds: 3600, fullEverySeconds: 21_600 },
        },
      });
      const step = { parameter: 'interval', values };
      expect(endpoint.bucket).toEqual({ column: 'timestamp', step, ...others });
      expect(Object.keys(endpoint.parameters)).toEqual(specified.parameters);
      expect(endpoint.parameters.interval?.enum).toEqual(specified.intervals);
      expect(endpoint.parameters.interval?.aliases).toEqual(specified.aliases);
      expect(Object.keys(endpoint.row)).toEqual(specified.columns);
      expect(endpoint.row.timestamp?.type).toBe(specified.timestampType);
      const units = Object.groupBy(specified.columns, (name) => endpoint.row[name]?.unit ?? 'none');
      expect(units).toEqual(specified.units);
      const text = 'CREATE TEMP FUNCTION timestamp_bucket_array(';
      expect(endpoint.sql.includes(text)).toBe(specified.hasBucketArray);
    });

    it('has its id, parameters and columns in its README', () => {
      const { name, id, parameters, row } = endpoint;
      const page = `sql/endpoints/${name}/README.md`;
      expect(readFileSync(page, 'utf8')).toContain(`\nId: \`${id}\`\n`);
      const needed = tableUnder(page, '## Parameters', 'parameter').map((cells) =>
        cells.slice(0, 2),
      );
      expect(needed).toEqual(
        Object.entries(parameters).map(([key, { required }]) => [key, required ? 'yes' : 'no']),
      );
      const columns = tableUnder(page, '## Columns', 'column').map(([column]) => column);
      expect(columns).toEqual(Object.keys(row));
    });
  });
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
    expect(result.rows.length).toBeGreaterThan(7);
    const atStart = await single(Object.fromEntries(start) as Record<string, string>);
    expect(atStart.rows).not.toEqual([]);
  });
}

/**
 * Checks the windows that `npm run check` prints at 2026-11-20T10:15:00Z for an endpoint that reads one table:
 * for each interval where the window begins, how long it is, and the number of partitions.
 */
export async function expectWindows(
  engine: GoogleSql,
  endpoint: Endpoint,
  table: string,
  windows: readonly (readonly [interval: string, from: string, window: string, count: string])[],
): Promise<void> {
  const nowMs = Date.parse('2026-11-20T10:15:00Z');
  const sources = await readSources('sql/sources');
  const inspected = inspectCatalogue('sql').endpoints.find(
    ({ folder }) => folder === endpoint.name,
  );
  if (inspected === undefined) throw new Error(`There is no folder of ${endpoint.name}.`);
  const { queries } = await checkEndpoint(engine, sources, inspected);
  const { shown: scanned } = await scanWindows(engine, endpoint, queries, nowMs);
  const [, ...lines] = formatWindows(scanned, nowMs).split('\n');
  expect(lines.map((line) => line.split(/ {2,}/))).toEqual(
    windows.flatMap(([interval, ...window]) =>
      ['query.sql', 'warm.sql'].map((file) => [
        `${endpoint.name}/${file} interval=${interval}`,
        table,
        ...window,
      ]),
    ),
  );
}
