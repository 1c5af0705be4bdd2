// Both functions on Firestore's emulator and the local BigQuery, and what the queries of all stored results give by themselves.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { type Endpoint, columnsOf, typesOf } from '../../functions/endpoints/endpoint.ts';
import { createFirestoreResultStore } from '../../functions/firestore/result-store.ts';
import type { WarmReport } from '../../functions/warming/terms.ts';
import { checkCatalogue } from '../../scripts/check/check-endpoint.ts';
import { ControlledClock } from '../support/clock.ts';
import { type TestServiceOptions, createTestWarm, startService } from '../support/world.ts';
import { FakeSqlTree } from '../support/sql/fake-sql-tree.ts';
import definition from './sales/endpoint.json' with { type: 'json' };
import {
  collectRows,
  createLocalQueryRunner,
  encodeRows,
  tablesOf,
} from '../support/bigquery/local-bigquery.ts';
import { sharedEngine } from '../support/bigquery/shared-engine.ts';

const read = (file: string): string => readFileSync(`test/warming/sales/${file}`, 'utf8').trim();

/** The last 30 days by day, for each shop and kind: an endpoint as a team has it. */
export const SALES = { definition, query: read('query.sql'), warm: read('warm.sql') };

/** The text with another part, which it must have. */
export function withPart(text: string, part: string, other: string): string {
  if (!text.includes(part)) throw new Error(`The query does not have ${part}`);
  return text.replace(part, () => other);
}

export const SALE = 'sales.by-day?shop=a&kind=x';

/** A row of the table `sales`, which `SALE` counts. */
export const sale = (at: string, amount: number) => {
  return { at, shop: 'a', kind: 'x', amount, text: null };
};

export type KeptRows = Awaited<ReturnType<typeof startKeptRows>>;

const known = new Map<string, ReturnType<typeof readDefinitions>>();

/** Its SQL, fields of its definition, and in `deployed` how its table is partitioned, if not as table.json says. */
type ChangedSales = Partial<Record<'query' | 'warm', string>> & Record<string, unknown>;

/** `SALES` and perhaps the shipped endpoints, which take a second, on tables with partitions of this length; read once. */
async function readDefinitions(
  partition: 'DAY' | 'HOUR',
  withShipped: boolean,
  sales: ChangedSales,
) {
  // Without warm.sql, so that the batch is derived, unless a test has its own.
  const { query = SALES.query, warm, deployed, ...changed } = sales;
  const tree = withShipped ? new FakeSqlTree('sql') : new FakeSqlTree();
  for (const table of withShipped ? ['edge_logs', 'function_relay_logs'] : []) {
    const path = `sources/${table}/table.json`;
    tree.write(path, tree.read(path).replace(/"type": "\w+"/, `"type": "${partition}"`));
  }
  const columns = 'at TIMESTAMP, shop STRING, kind STRING, amount INT64, text STRING';
  tree.source('sales', columns, {
    partitioning: { type: partition, field: 'at' },
    requirePartitionFilter: true,
  });
  tree.endpoint({ ...SALES.definition, ...changed }, query, warm);
  const catalogue = await checkCatalogue(await sharedEngine(), tree.directory);
  if (deployed) tree.source('sales', `${columns}, sent TIMESTAMP`, { partitioning: deployed });
  return { catalogue, tables: await tablesOf(tree.directory) };
}

export async function startKeptRows(
  from: string,
  changed: ChangedSales = {},
  given: Partial<TestServiceOptions> & {
    partition?: 'DAY' | 'HOUR';
    /** Also the shipped endpoints and their tables. */
    withShipped?: boolean;
    /** Of BigQuery: called before a job reads rows. */
    beforeRun?: () => Promise<void>;
  } = {},
) {
  const { partition = 'HOUR', withShipped = false, beforeRun, ...settings } = given;
  const key = JSON.stringify([partition, withShipped, changed]);
  const reading = known.get(key) ?? readDefinitions(partition, withShipped, changed);
  known.set(key, reading);
  const { catalogue, tables } = await reading;
  const clock = new ControlledClock(from);
  /** The time that queries take for now while a result is compared. */
  let fixedMs: number | undefined;
  const service = await startService({
    ...{ tables, beforeRun, clock, catalogue, project: 'test-project', memoryCacheSeconds: 0 },
    bigQueryClock: { nowMs: () => fixedMs ?? clock.nowMs() },
    ...settings,
  });
  const { bigquery, firestore, options } = service;
  const results = createFirestoreResultStore(firestore);
  const runner = createLocalQueryRunner(bigquery.url, clock);

  /** What `query.sql` gives for a stored result at the time of its rows. */
  async function fullOf(endpoint: Endpoint, parameters: Record<string, never>, atMs: number) {
    fixedMs = atMs;
    try {
      const { schema, rows, truncated } = await collectRows(runner, {
        endpoint: endpoint.name,
        sql: endpoint.sql,
        parameters,
        types: typesOf(endpoint),
        columns: columnsOf(endpoint),
        rowCountMax: endpoint.maxRows,
        deadlineMs: clock.nowMs() + 60_000,
      });
      return { body: encodeRows(schema, rows), truncated };
    } finally {
      fixedMs = undefined;
    }
  }

  /** A run of warming by an instance of its own, with other settings if there are any. */
  const run = (changed: Partial<TestServiceOptions> = {}): Promise<WarmReport> =>
    createTestWarm({ ...options, ...changed }).run();

  /** Asks for results, so that they are kept warm; each call is `endpoint?parameters`. */
  async function ask(calls: readonly string[]): Promise<void> {
    for (const call of calls) {
      const response = await service.ask(call);
      if (response.status !== 200) throw new Error(`${call}: ${response.text}`);
    }
  }

  return {
    ...{ bigquery, clock, firestore, service, catalogue, run, ask },
    ago: (ms: number): string => new Date(clock.nowMs() - ms).toISOString(),
    /** A run some minutes after somebody has looked at results. */
    look: async (calls: readonly string[] = [SALE], minutes = 5): Promise<WarmReport> => {
      await ask(calls);
      clock.advance(minutes * 60_000);
      return run();
    },
    /** The rows of `SALE`. */
    totals: async (): Promise<Record<string, number>> => {
      const { result } = (await service.ask(SALE)).body as {
        result: { day: string; total: number }[];
      };
      return Object.fromEntries(result.map(({ day, total }) => [day, total]));
    },
    /** Each result that is fresh and differs from what its query gives; empty if all rows are right. */
    differences: async (): Promise<object[]> => {
      const found: object[] = [];
      const { docs } = await firestore.collection('results').get();
      for (const { id } of docs) {
        const entry = await results.get(id);
        const endpoint = entry && catalogue.resolve(entry.endpointId);
        if (!entry || !endpoint || entry.freshUntilMs <= clock.nowMs()) continue;
        const stored = { body: gunzipSync(entry.body).toString(), truncated: entry.truncated };
        const parameters = entry.parameters as Record<string, never>;
        const full = await fullOf(endpoint, parameters, entry.computedAtMs);
        if (stored.body === full.body && stored.truncated === full.truncated) continue;
        const at = new Date(entry.computedAtMs).toISOString();
        found.push({ endpoint: endpoint.name, parameters, at, stored, full });
      }
      return found;
    },
  };
}

/** What `startSold` sells until noon of the 20th of November 2026. */
export const SOLD = { '2026-11-10': 1, '2026-11-18': 2, '2026-11-20': 3 };

/** Sales of three days, which a run has computed, and another has read in part. */
export async function startSold(from: string, changed: ChangedSales = {}): Promise<KeptRows> {
  const service = await startKeptRows(from, changed);
  const hours = [240, 48, 1];
  const rows = hours.map((count, index) => sale(service.ago(count * 3_600_000), index + 1));
  await service.bigquery.appendRows('sales', rows);
  await service.look();
  const second = await service.look();
  expect(second).toMatchObject({ refreshed: 1, incremental: 1, jobs: 1 });
  return service;
}

export const CALLS = {
  functions: ['5min', '15min', '1hr', '1day', '7day'].flatMap((interval) => [
    `functions.invocation-stats?project=a&interval=${interval}`,
    `functions.invocation-stats?project=a&function_id=f&interval=${interval}`,
  ]),
  usage: ['hourly', 'daily', 'minutely', '1day'].flatMap((interval) => [
    `usage.api-counts?project=a&interval=${interval}`,
    `usage.api-counts?project=b.*c&interval=${interval}`,
  ]),
  sales: ['a&kind=x', 'a&kind=y', 'b&kind=x'].map((values) => `sales.by-day?shop=${values}`),
};
