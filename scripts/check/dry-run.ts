// Dry-runs the saved queries in BigQuery: bytes that they would scan, and whether their filters prune.
import { isScalarType, textsOf } from '../../functions/core/parameter-type.ts';
import type { BoundQuery } from '../../functions/core/query-runner.ts';
import { type Endpoint, typesOf } from '../../functions/endpoints/endpoint.ts';
import { batchFields, sharedParameters } from '../../functions/endpoints/parameters.ts';
import type { CanonicalParameters } from '../../functions/endpoints/parameters.ts';
import { fixClock } from '../local-bigquery/index.ts';

/** Bytes that BigQuery would process, from a dry run. */
export type Estimate = (query: BoundQuery) => Promise<number>;

export interface Scan {
  endpoint: string;
  fileName: 'query.sql' | 'warm.sql';
  parameters: CanonicalParameters;
  bytes: number;
  /** Bytes of the same query over all days. */
  wholeBytes: number;
  /** Completes "<query> …". */
  faults: string[];
}

/** Before all logs: `timestamp >= …` then selects every partition. */
const BEFORE_MS = Date.parse('1980-01-01T00:00:00Z');
/** After all logs: it then selects none. */
export const AFTER_MS = Date.parse('2200-01-01T00:00:00Z');
/** The least that BigQuery bills for a table; smaller tables cannot show whether a filter prunes. */
const TELLING_BYTES = 10 * 1024 * 1024;
/** Allowance for rows in the streaming buffer, which are in no partition yet and are always read. */
const UNPRUNED_SHARE_MAX = 0.1;

/** Every combination of listed values, with the example of each other parameter. */
export function parameterSets({ parameters, rules }: Endpoint): CanonicalParameters[] {
  return [...rules].reduce<CanonicalParameters[]>(
    (sets, [name, rule]) => {
      const { enum: listed = [], example = '' } = parameters[name] ?? {};
      const given = isScalarType(rule.type) && listed.length > 0 ? listed : [example];
      const values = given.map((texts) => rule.read([texts].flat()).value);
      return sets.flatMap((set) => values.map((value) => ({ ...set, [name]: value })));
    },
    [{}],
  );
}

/**
 * BigQuery itself shows whether a filter prunes: the same query is dry-run with another clock.
 * With a day long before the first log it must scan everything; with a day long after the last one,
 * nothing. A filter that BigQuery cannot prune on scans the same bytes both times, whatever the age and size
 * of the table. Nothing is judged of the queries in `apartFromClock`, which the clock does not bound.
 */
export async function dryRun(
  estimate: Estimate,
  endpoint: Endpoint,
  bytesMax: number,
  apartFromClock: readonly string[] = [],
): Promise<Scan[]> {
  const scans: Scan[] = [];
  for (const { fileName, shown, ...query } of boundQueries(endpoint)) {
    const asOf = (ms: number): Promise<number> =>
      estimate({ ...query, sql: fixClock(query.sql, ms) });
    const bytes = await estimate(query);
    const wholeBytes = await asOf(BEFORE_MS);
    const faults: string[] = [];
    if (bytes > bytesMax)
      faults.push(`scans ${formatBytes(bytes)}, which is more than ${formatBytes(bytesMax)}`);
    const name = nameOf({ endpoint: endpoint.name, fileName, parameters: shown });
    if (wholeBytes >= TELLING_BYTES && !apartFromClock.includes(name)) {
      const emptyBytes = await asOf(AFTER_MS);
      if (emptyBytes > wholeBytes * UNPRUNED_SHARE_MAX) {
        faults.push(
          `does not prune: it scans ${formatBytes(emptyBytes)} for days that have no logs`,
        );
      }
    }
    scans.push({ endpoint: endpoint.name, fileName, parameters: shown, bytes, wholeBytes, faults });
  }
  return scans;
}

/** `1.5 GiB`. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
  const power = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  return `${Number((bytes / 1024 ** power).toFixed(1))} ${units[power]}`;
}

/** `tasks.run-stats/query.sql interval=1hr` */
export function nameOf({
  endpoint,
  fileName,
  parameters,
}: Omit<Scan, 'bytes' | 'wholeBytes' | 'faults'>): string {
  const set = Object.entries(parameters).map(
    ([name, value]) => ` ${name}=${textsOf(value).join(',')}`,
  );
  return `${endpoint}/${fileName}${set.join('')}`;
}

/** The queries of an endpoint for every choice of its listed parameters, which are in `shown`. */
export function boundQueries(
  endpoint: Endpoint,
): (BoundQuery & Pick<Scan, 'fileName'> & { shown: Scan['parameters'] })[] {
  const { sql, warming, parameters } = endpoint;
  const isListed = (name: string): boolean => parameters[name]?.enum !== undefined;
  return parameterSets(endpoint).flatMap((set) => {
    const shown = Object.fromEntries(Object.entries(set).filter(([name]) => isListed(name)));
    const types = typesOf(endpoint);
    const query = { fileName: 'query.sql' as const, shown, sql, parameters: set, types };
    if (warming === undefined) return [query];
    const warm = {
      fileName: 'warm.sql' as const,
      shown,
      sql: warming.sql,
      parameters: sharedParameters(warming, set),
      types,
      keys: [{ key: '0', ...batchFields(warming, set) }],
    };
    return [query, warm];
  });
}
