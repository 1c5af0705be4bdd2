// Estimates what a call of an endpoint and a day of warming read in BigQuery, and what both cost.
import { isDeepStrictEqual } from 'node:util';
import { floorTo, spanOf } from '../../../functions/endpoints/bucket-span.ts';
import { sharedParameters } from '../../../functions/endpoints/parameters.ts';
import { costUsd } from '../../../functions/core/query-runner.ts';
import { queryParameters } from '../../../functions/bigquery/query-configuration.ts';
import { scanParameters } from '../../../functions/warming/compute-batch.ts';
import { scanFor } from '../../../functions/warming/incremental.ts';
import * as local from '../../local-bigquery/index.ts';
import type { ServedEndpoint } from '../check-endpoint.ts';
import { boundQueries, scanSets } from '../dry-run.ts';
import type { ScanWindow } from '../scan-windows.ts';
import { bytesRead, partitionType } from './bytes-read.ts';

export interface Cost {
  bytes: number;
  usd: number;
}

export interface Prices {
  /** GB (10⁹ bytes) that a day adds to a table whose table.json states nothing. */
  gbPerDay: number;
  /** US$ */
  pricePerTib: number;
}

export interface EndpointCost {
  name: string;
  /** Of the call that reads most, if all partitions were full. */
  call: Cost;
  /** Of a day, with the number of its jobs. */
  warming: Cost & { jobs: number };
  /** `maxBytesBilled` of endpoint.json, if it has one. */
  maxBytes?: number | undefined;
}

/** Of the schedule of `warm` (infra/defaults.json). */
const RUN_MS = 300_000;
const DAY_MS = 86_400_000;
const HALF_PAST_NOON_MS = 12.5 * 3_600_000;
/** `reads` are those of all calls at `nowMs`. Undefined if GoogleSQL cannot analyse a query. */
export async function endpointCost(
  engine: local.GoogleSql,
  { endpoint, queries }: ServedEndpoint,
  { reads, nowMs }: { reads: readonly ScanWindow[]; nowMs: number },
  prices: Prices,
): Promise<EndpointCost | undefined> {
  const analysed = [...queries.values()];
  if (analysed.some((one) => one instanceof local.GoogleSqlError)) return undefined;
  const ofQuery = reads.filter(({ fileName }) => fileName === 'query.sql');
  const calls = [...Map.groupBy(ofQuery, ({ name }) => name).values()].map((one) =>
    costOf(bytesRead(one, nowMs, prices.gbPerDay, { asFull: true }), prices),
  );
  const [call = costOf([], prices)] = calls.sort((a, b) => b.bytes - a.bytes);
  const warming = await warmingCost({ engine, endpoint, queries }, nowMs, prices);
  const { name, maxBytesBilled: maxBytes } = endpoint;
  return { name, call, warming, maxBytes };
}

/**
 * If all tables get rows all the time, with one live result for each choice of the listed parameters; by what runs read half an
 * hour after noon of the UTC day that contains `dayMs`, when about half of the newest partition is there.
 */
async function warmingCost(
  {
    engine,
    endpoint,
    queries,
  }: Pick<ServedEndpoint, 'endpoint' | 'queries'> & { engine: local.GoogleSql },
  dayMs: number,
  prices: Prices,
): Promise<EndpointCost['warming']> {
  const { warming, cacheWarmingSeconds, incremental } = endpoint;
  const { settleSeconds = 0, fullEverySeconds = 0 } = warming?.incremental ?? {};
  const fileName = warming ? 'warm.sql' : 'query.sql';
  const analysed = queries.get(fileName);
  const references = analysed && 'references' in analysed ? analysed.references : [];
  const partitioned = references.find(({ table }) =>
    isDeepStrictEqual(local.queriedTable(table.source), incremental?.partitioned),
  );
  const type = partitioned && partitionType(partitioned.table.source);
  // A run refreshes a result that is half as old as its interval.
  const everyMs = RUN_MS * Math.ceil((cacheWarmingSeconds * 1000) / 2 / RUN_MS);
  const total = { bytes: 0, usd: 0, jobs: 0 };
  if (everyMs === 0) return total;
  const full = type
    ? Math.min(DAY_MS / everyMs, DAY_MS / (fullEverySeconds * 1000))
    : DAY_MS / everyMs;
  const sets = scanSets(endpoint).filter(({ extent }) => extent !== 'most');
  const groups = Map.groupBy(sets, ({ parameters }) =>
    JSON.stringify(warming ? sharedParameters(warming, parameters) : parameters),
  );
  const nowMs = floorTo(dayMs, DAY_MS) + HALF_PAST_NOON_MS;
  const askedMs = nowMs - everyMs;
  const changedMs = type ? startMs(type, askedMs) : -Infinity;
  const sinceMs = Math.min(changedMs, askedMs - settleSeconds * 1000);
  const keptUntilMs = ({ parameters }: (typeof sets)[number]): number =>
    floorTo(sinceMs, spanOf(endpoint, parameters)?.stepMs ?? 1);
  for (const group of groups.values()) {
    const query = boundQueries({ endpoint }, group).find((one) => one.fileName === fileName);
    for (const [runs, kept] of [[full], [DAY_MS / everyMs - full, keptUntilMs]] as const) {
      if (runs === 0 || query === undefined) continue;
      const jobs = runs * Math.ceil(group.length / (warming?.maxKeys ?? 1));
      const scan = warming?.incremental && scanFor(endpoint, group, nowMs, kept);
      const times = scan && scanParameters(endpoint, scan, nowMs);
      const bound = queryParameters({ ...query, parameters: { ...query.parameters, ...times } });
      const parameters = local.engineParameters(bound, local.EMPTY_ARRAY);
      const reads = await local.tableReads(engine, references, parameters, nowMs);
      const { bytes, usd } = costOf(bytesRead(reads, nowMs, prices.gbPerDay), prices);
      total.bytes += bytes * jobs;
      total.usd += usd * jobs;
      total.jobs += jobs;
    }
  }
  return total;
}

/** Of the partition that gets the rows of a time. */
function startMs(type: local.Partitioning['type'], ms: number): number {
  return Number(local.startOf(type, local.periodOf(type, BigInt(ms) * 1000n)) / 1000n);
}

function costOf(tables: readonly number[], { pricePerTib }: Prices): Cost {
  const bytes = tables.reduce((sum, one) => sum + one, 0);
  return { bytes, usd: costUsd(tables, pricePerTib) };
}
