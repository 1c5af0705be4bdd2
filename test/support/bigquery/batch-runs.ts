// Runs the single queries and the batches of a shipped endpoint on known logs, with the real engine and client.
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import type { Entry } from '../../../functions/core/result-store.ts';
import type { Endpoint } from '../../../functions/endpoints/endpoint.ts';
import { computeEntries } from '../../../functions/warming/compute-batch.ts';
import { loadCatalogue } from '../../../scripts/compile/inspect-catalogue.ts';
import { createLocalBigQuery } from '../../../scripts/local-bigquery/rest/server.ts';
import { readSources } from '../../../scripts/sources/read-sources.ts';
import { ControlledClock } from '../clock.ts';
import { liveEntry } from '../world.ts';
import { createLocalQueryRunner } from './local-bigquery.ts';
import { sharedEngine } from './shared-engine.ts';

/** What a query takes for now, unless a test says otherwise. */
export const NOW = '2026-11-20T10:07:30.500Z';

/** Rows by table. */
export type Logs = Record<string, object[]>;
export type Parameters = Record<string, string | null>;

export interface Log {
  /** The result of `query.sql`. */
  single: (parameters: Parameters, maxRows?: number) => Promise<Result>;
  /** The results of `warm.sql` in the order of the keys, to which `shared` are added. */
  batch: (shared: Parameters, keys: Parameters[], maxRows?: number) => Promise<Result[]>;
}

type Result = Pick<Entry, 'rowCount' | 'truncated'> & { body: string };

/** Runs `use` with a BigQuery of its own that holds the logs; `now` is what the queries take for it. Shipped endpoints, or those given. */
export async function withLogs(
  name: string,
  rows: Logs,
  use: (log: Log) => Promise<void>,
  now = NOW,
  given?: Awaited<ReturnType<typeof readDefinitions>>,
): Promise<void> {
  const clock = new ControlledClock(now);
  const { catalogue, sources } = given ?? (await (definitions ??= readDefinitions()));
  const endpoint = catalogue.resolve(name) as Endpoint;
  const tables = sources.map((source) => ({ ...source, rows: rows[source.name] ?? [] }));
  const bigquery = await createLocalBigQuery({ engine: await sharedEngine(), tables, clock });
  const queryRunner = createLocalQueryRunner(bigquery.url, clock);
  /** By the code of a run of warming: one result by `query.sql`, several by `warm.sql`. */
  async function compute(sets: Parameters[], maxRows = endpoint.maxRows): Promise<Result[]> {
    const results = new Map<string, Result>();
    const nowMs = clock.nowMs();
    await computeEntries({
      ...{ queryRunner, clock, cause: 'warm', maxResultMib: 16, deadlineMs: nowMs + 60_000 },
      endpoint: { ...endpoint, maxRows },
      entries: sets.map((parameters, index) => ({
        ...liveEntry(endpoint, parameters, 'k', nowMs),
        ...{ cacheKey: String(index), version: undefined },
      })),
      onBytes: () => undefined,
      onEntry: ({ cacheKey }, { body, truncated, rowCount }) => {
        results.set(cacheKey, { body: gunzipSync(body).toString(), truncated, rowCount });
        return Promise.resolve();
      },
    });
    return sets.map((_, index) => results.get(String(index)) as Result);
  }
  try {
    await use({
      single: async (set, maxRows) => (await compute([set], maxRows))[0] as Result,
      batch: async (shared, keys, maxRows) => {
        const all = keys.map((key) => ({ ...shared, ...key }));
        // At least two, so that they are a batch.
        return (await compute([...all, ...all.slice(0, 1)], maxRows)).slice(0, all.length);
      },
    });
  } finally {
    await bigquery.close();
  }
}

/** Read once, because that takes longer than a query. */
let definitions: ReturnType<typeof readDefinitions> | undefined;

async function readDefinitions() {
  return { catalogue: loadCatalogue('sql'), sources: await readSources('sql/sources') };
}

/** What the bodies of results say. */
export const answersOf = (results: readonly Result[]): unknown[] =>
  results.map(({ body }) => JSON.parse(body) as unknown);

/** The contract: whatever rows the table has, every key of a batch has the body of the single query, byte for byte. */
export async function expectSameAnswers(
  name: string,
  table: string,
  row: fc.Arbitrary<object>,
  interval: string,
  keySets: fc.Arbitrary<Parameters[]>,
): Promise<void> {
  const logs = fc.array(row, { maxLength: 60, size: 'max' });
  const check = (rows: object[], keys: Parameters[], rowCountMax: number): Promise<void> =>
    withLogs(name, { [table]: rows }, async ({ single, batch }) => {
      const singles = keys.map((key) => single({ interval, ...key }, rowCountMax));
      expect(await batch({ interval }, keys, rowCountMax)).toEqual(await Promise.all(singles));
    });
  const limits = fc.constantFrom(1, 2, 3, 1000);
  await fc.assert(fc.asyncProperty(logs, keySets, limits, check), { numRuns: 1 });
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
