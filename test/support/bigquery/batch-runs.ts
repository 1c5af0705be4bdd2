// Runs the single queries and the batches of an endpoint on known logs, with the real engine and client.
import { join } from 'node:path';
import fc from 'fast-check';
import { loadCatalogue } from '../../../scripts/compile/inspect-catalogue.ts';
import { encodeRows } from './encode-rows.ts';
import { type Endpoint, columnsOf } from '../../../functions/endpoints/endpoint.ts';
import { batchFields, sharedParameters } from '../../../functions/endpoints/parameters.ts';
import { SCAN_TYPES, scanParameters } from '../../../functions/results/compute-entry.ts';
import { scanFor } from '../../../functions/results/incremental.ts';
import { type QueryResult, collectRows } from './collect-rows.ts';
import {
  KEY_COLUMN,
  type KeyPart,
  createKeySplitter,
} from '../../../functions/results/split-batch.ts';
import { createLocalBigQuery } from '../../../scripts/local-bigquery/rest/server.ts';
import type { GoogleSql } from '../../../scripts/local-bigquery/analysis/google-sql.ts';
import { readSources } from '../../../scripts/sources/read-sources.ts';
import { ControlledClock } from '../fakes/controlled-clock.ts';
import { createLocalQueryRunner } from './local-query-runner.ts';

/** What a query takes for now, unless a test says otherwise. */
export const NOW = '2026-11-20T10:07:30.500Z';

/** Rows by table. */
export type Logs = Record<string, object[]>;
export type Parameters = Record<string, string>;

export interface Log {
  /** The result of `query.sql`. */
  single: (parameters: Parameters, rowCountMax?: number) => Promise<QueryResult>;
  /** The results of `warm.sql` in the order of the keys, to which `shared` are added. */
  batch: (shared: Parameters, keys: Parameters[], rowCountMax?: number) => Promise<KeyPart[]>;
}

/** The endpoint of a directory of saved queries, and the engine that it runs on. */
export interface EndpointOnEngine {
  sqlDirectory: string;
  name: string;
  engine: GoogleSql;
  /** What its queries take for now; `NOW` by default. */
  now?: string;
}

/** Runs `use` with a BigQuery of its own that holds the logs. */
export async function withLogs(
  { sqlDirectory, name, engine, now = NOW }: EndpointOnEngine,
  rows: Logs,
  use: (log: Log) => Promise<void>,
): Promise<void> {
  const clock = new ControlledClock(now);
  const read = definitions.get(sqlDirectory) ?? readDefinitions(sqlDirectory);
  definitions.set(sqlDirectory, read);
  const { catalogue, sources } = await read;
  const endpoint = catalogue.resolve(name) as Endpoint;
  const tables = sources.map((source) => ({ ...source, rows: rows[source.name] ?? [] }));
  const bigquery = await createLocalBigQuery({ engine, tables, clock });
  const runner = createLocalQueryRunner(bigquery.url, clock);
  const common = { endpoint: name, cause: 'warm' as const, deadlineMs: clock.nowMs() + 60_000 };
  try {
    await use({
      single: (parameters, rowCountMax = endpoint.maxRows) =>
        collectRows(runner, {
          ...common,
          sql: endpoint.sql,
          parameters,
          columns: columnsOf(endpoint),
          rowCountMax,
        }),
      batch: async (parameters, given, rowCountMax = endpoint.maxRows) => {
        const { warming } = endpoint;
        const { batchOver = [] } = warming ?? {};
        const sets = given.map((key) => ({ ...parameters, ...key }));
        const keys = sets.map((set, index) => {
          return { key: `k${index}`, ...batchFields({ batchOver }, set) };
        });
        const nowMs = clock.nowMs();
        const scan = warming?.incremental && {
          ...scanFor(
            endpoint,
            sets.map((set) => ({ parameters: set })),
            nowMs,
          ),
        };
        const splitter = createKeySplitter(
          keys.map(({ key }) => key),
          rowCountMax,
        );
        const byKey = new Map<string, KeyPart>();
        const take = (part: KeyPart): void => {
          const before = byKey.get(part.key);
          const truncated = part.truncated || before?.truncated === true;
          byKey.set(part.key, {
            ...part,
            rows: [...(before?.rows ?? []), ...part.rows],
            truncated,
          });
        };
        await runner.run({
          ...common,
          sql: warming?.sql ?? '',
          parameters: {
            ...sharedParameters({ batchOver }, parameters),
            ...(scan && scanParameters(endpoint, scan, nowMs)),
          },
          types: SCAN_TYPES,
          keys,
          columns: [KEY_COLUMN, ...columnsOf(endpoint)],
          rowCountMax: Number.MAX_SAFE_INTEGER,
          onPage: ({ schema, rows }) => {
            splitter.push(schema, rows).forEach(take);
            return Promise.resolve();
          },
        });
        splitter.finish().forEach(take);
        expect(byKey.size).toBe(keys.length);
        return keys.map(({ key }) => byKey.get(key) as KeyPart);
      },
    });
  } finally {
    await bigquery.close();
  }
}

/** By directory: read once, because that takes longer than a query. */
const definitions = new Map<string, ReturnType<typeof readDefinitions>>();

async function readDefinitions(sqlDirectory: string) {
  const sources = await readSources(join(sqlDirectory, 'sources'));
  return { catalogue: loadCatalogue(sqlDirectory), sources };
}

/** What the bodies of results say. */
export const answersOf = (results: readonly Pick<KeyPart, 'schema' | 'rows'>[]): unknown[] =>
  results.map(({ schema, rows }) => JSON.parse(encodeRows(schema, rows)) as unknown);

/** What ends up in an entry. */
function stored({ schema, rows, truncated }: Pick<KeyPart, 'schema' | 'rows' | 'truncated'>) {
  return { body: encodeRows(schema, rows), truncated };
}

/** The contract: whatever rows the table has, every key of a batch has the body of the single query, byte for byte. */
export async function expectSameAnswers(
  on: EndpointOnEngine,
  table: string,
  row: fc.Arbitrary<object>,
  interval: string,
  keySets: fc.Arbitrary<Parameters[]>,
): Promise<void> {
  const logs = fc.array(row, { maxLength: 60, size: 'max' });
  const check = (rows: object[], keys: Parameters[], rowCountMax: number): Promise<void> =>
    withLogs(on, { [table]: rows }, async ({ single, batch }) => {
      const singles = keys.map((key) => single({ interval, ...key }, rowCountMax));
      const expected = (await Promise.all(singles)).map(stored);
      expect((await batch({ interval }, keys, rowCountMax)).map(stored)).toEqual(expected);
    });
  const limits = fc.constantFrom(1, 2, 3, 1000);
  await fc.assert(fc.asyncProperty(logs, keySets, limits, check), { numRuns: 2 });
}

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** Instants around now, around the edges of a step that ends or begins there, and in the future. */
export function instant(spanMs: number, stepMs: number, now = NOW): fc.Arbitrary<string> {
  const nowMs = Date.parse(now);
  const edge = fc
    .tuple(
      fc.integer({ min: -Math.min(spanMs / stepMs + 1, 400), max: 1 }),
      fc.constantFrom(-1, 0, 1),
    )
    .map(([steps, offMs]) => Math.floor(nowMs / stepMs) * stepMs + steps * stepMs + offMs);
  const start = fc.constantFrom(-1, 0, 1).map((offMs) => nowMs - spanMs + offMs);
  const any = fc.integer({ min: -spanMs - 2 * stepMs, max: 2 * stepMs }).map((ms) => nowMs + ms);
  return fc
    .oneof(
      { weight: 4, arbitrary: edge },
      { weight: 1, arbitrary: start },
      { weight: 3, arbitrary: any },
    )
    .map((ms) => new Date(ms).toISOString());
}
