// Dry-runs the saved queries in BigQuery: bytes that they would scan, and whether their filters prune.
import { isNumberType, isScalarType, textsOf } from '../../functions/core/parameter-type.ts';
import type { ParameterValue } from '../../functions/core/parameter-type.ts';
import type { BoundQuery } from '../../functions/core/query-runner.ts';
import { type Endpoint, typesOf } from '../../functions/endpoints/endpoint.ts';
import { batchFields, sharedParameters } from '../../functions/endpoints/parameters.ts';
import type { CanonicalParameters } from '../../functions/endpoints/parameters.ts';
import { MIN_BYTES_BILLED } from '../../functions/core/query-runner.ts';
import { SCAN_TYPES, scanParameters } from '../../functions/warming/compute-batch.ts';
import { scanFor } from '../../functions/warming/incremental.ts';
import type {
  ParameterDefinition,
  ParameterRule,
} from '../../functions/endpoints/parameter-rule.ts';
import { fixClock } from '../local-bigquery/index.ts';

/** Bytes that BigQuery would process, from a dry run. */
export type Estimate = (query: BoundQuery) => Promise<number>;

/** Whether a call has only required values (a date or number as its `example`) or reads the most; undefined without a choice. */
type Extent = 'default' | 'example' | 'most';

/** An endpoint to serve, with what its check has found of its batch. */
export interface NamedEndpoint {
  endpoint: Endpoint;
  batch?: { isDerived: boolean } | undefined;
}

export interface Scan extends QueryName {
  bytes: number;
  wholeBytes: number;
  /** Completes "<query> …". */
  faults: string[];
}

interface QueryName {
  /** `shop.sales/query.sql by default`, `shop.sales/query.sql at most: days=365`, `tasks.run-stats/batch interval=1hr` */
  name: string;
  /** The same with the listed parameters alone. */
  plain: string;
  extent?: Extent | undefined;
}

/** Before all logs: `timestamp >= …` then selects every partition. */
const BEFORE_MS = Date.parse('1980-01-01T00:00:00Z');
/** After all logs: it then selects none. */
export const AFTER_MS = Date.parse('2200-01-01T00:00:00Z');
/** Allowance for rows in the streaming buffer, which are in no partition yet and are always read. */
const UNPRUNED_SHARE_MAX = 0.1;

/** Every combination of listed values, with the example of each other parameter. */
function parameterSets({ parameters, rules }: Endpoint): CanonicalParameters[] {
  const named = [...rules].map(([name, rule]): [string, ParameterValue[]] => {
    const { enum: listed = [], example = '' } = parameters[name] ?? {};
    const given = isScalarType(rule.type) && listed.length > 0 ? listed : [example];
    return [name, given.map((texts) => rule.read([texts].flat()).value)];
  });
  return named.reduce(withEach, [{}]);
}

function withEach(sets: CanonicalParameters[], [name, values]: [string, ParameterValue[]]) {
  return sets.flatMap((set) => values.map((value) => ({ ...set, [name]: value })));
}

interface ScanSet {
  parameters: CanonicalParameters;
  shown: CanonicalParameters;
  extent?: Extent;
}

/** The ends of more parameters are not combined. */
const COMBINED_MAX = 4;

/**
 * For each combination of listed values, what a call with only the required parameters reads, and what calls
 * with the ends of dates and numbers read: one of them reads the most.
 */
export function scanSets(endpoint: Endpoint): ScanSet[] {
  const { parameters, rules } = endpoint;
  const isListed = (name: string): boolean => parameters[name]?.enum !== undefined;
  const ends = [...rules]
    .map(([name, rule]): [string, ParameterValue[]] => [name, endsOf(parameters[name], rule)])
    .filter(([, values]) => values.length > 0)
    .slice(0, COMBINED_MAX);
  const extremes = ends.reduce(withEach, [{}]);
  return parameterSets(endpoint).flatMap((set): ScanSet[] => {
    const shown = Object.fromEntries(Object.entries(set).filter(([name]) => isListed(name)));
    const own = { ...set };
    for (const [name, rule] of rules) {
      if (!isListed(name) && !parameters[name]?.required) own[name] = rule.read(undefined).value;
    }
    if (ends.length === 0) return [{ parameters: own, shown }];
    const most = extremes.map((extreme) => ({
      parameters: { ...own, ...extreme },
      shown: { ...shown, ...extreme },
      extent: 'most' as const,
    }));
    const given = ends.filter(([name]) => parameters[name]?.required);
    const examples = Object.fromEntries(given.map(([name]) => [name, own[name] ?? null]));
    const extent = given.length > 0 ? 'example' : 'default';
    return [{ parameters: own, shown: { ...shown, ...examples }, extent }, ...most];
  });
}

/** The minimum and maximum of a date or a number that is not listed; unbounded numbers go to ten thousand. */
function endsOf(
  { enum: listed, minimum = -10_000, maximum = 10_000 }: Partial<ParameterDefinition> = {},
  rule: ParameterRule,
): ParameterValue[] {
  if (listed !== undefined || !isScalarType(rule.type)) return [];
  const texts = isNumberType(rule.type)
    ? [String(minimum), String(maximum)]
    : (new Map(Object.entries(TIME_ENDS)).get(rule.type) ?? []);
  return texts.flatMap((text) => {
    const { value, fault } = rule.read([text]);
    return fault === undefined && rule.check(value) === undefined ? [value] : [];
  });
}

/** The first and the last. */
const TIME_ENDS = {
  DATE: ['0001-01-01', '9999-12-31'],
  DATETIME: ['0001-01-01T00:00:00', '9999-12-31T23:59:59'],
  TIMESTAMP: ['0001-01-01T00:00:00Z', '9999-12-31T23:59:59Z'],
};

/** Of the calls with the extent `most`, only the largest for each query and table; all other calls. */
export function withLargest<Item extends Pick<Scan, 'extent'>>(
  items: readonly Item[],
  queryOf: (item: Item) => string,
  sizeOf: (item: Item) => number,
): Item[] {
  const largest = new Map<string, Item>();
  for (const item of items) {
    const query = item.extent === 'most' ? queryOf(item) : '';
    const known = largest.get(query);
    if (query !== '' && (!known || sizeOf(known) < sizeOf(item))) largest.set(query, item);
  }
  return items.filter((item) => item.extent !== 'most' || largest.get(queryOf(item)) === item);
}

/**
 * BigQuery itself shows whether a filter prunes: the same query is dry-run with another clock.
 * With a day long before the first log it must scan everything; with a day long after the last one,
 * nothing. A filter that BigQuery cannot prune on scans the same bytes both times, whatever the age and size
 * of the table. Queries in `apartFromClock` are not judged, because the clock does not bound them.
 */
export async function dryRun(
  estimate: Estimate,
  named: NamedEndpoint,
  bytesMax: number,
  apartFromClock: readonly string[] = [],
): Promise<Scan[]> {
  const scans: Scan[] = [];
  for (const { name, plain, extent, timesAt, fileName: _, ...query } of boundQueries(
    named,
    scanSets(named.endpoint),
  )) {
    const asOf = (ms: number): Promise<number> => {
      const parameters = { ...query.parameters, ...timesAt(ms) };
      return estimate({ ...query, parameters, sql: fixClock(query.sql, ms) });
    };
    const bytes = await estimate(query);
    // What it reads by default shows whether it prunes.
    const wholeBytes = extent === 'most' ? 0 : await asOf(BEFORE_MS);
    const faults: string[] = [];
    if (bytes > bytesMax)
      faults.push(`scans ${formatBytes(bytes)}, which is more than ${formatBytes(bytesMax)}`);
    // Smaller tables cannot show whether a filter prunes.
    if (wholeBytes >= MIN_BYTES_BILLED && !apartFromClock.includes(plain)) {
      const emptyBytes = await asOf(AFTER_MS);
      const isUnpruned = emptyBytes > wholeBytes * UNPRUNED_SHARE_MAX;
      const reason = `it scans ${formatBytes(emptyBytes)} for days that have no logs`;
      if (isUnpruned) faults.push(`does not prune: ${reason}`);
    }
    const scan = { name, plain, extent, bytes, faults };
    scans.push({ ...scan, wholeBytes: wholeBytes || (scans.at(-1)?.wholeBytes ?? 0) });
  }
  return withLargest(
    scans,
    ({ plain }) => plain,
    ({ bytes }) => bytes,
  );
}

/** `1.5 GiB`. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
  const power = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  return `${Number((bytes / 1024 ** power).toFixed(1))} ${units[power]}`;
}

function nameOf(
  { endpoint, batch }: NamedEndpoint,
  fileName: BoundScan['fileName'],
  { shown, extent }: Omit<ScanSet, 'parameters'>,
): QueryName {
  // A derived batch has no file.
  const file = fileName === 'warm.sql' && batch?.isDerived ? 'batch' : fileName;
  const before = { most: ' at most:', example: ' for example:', default: '' }[extent ?? 'default'];
  const after = extent === 'default' ? ' by default' : '';
  const start = `${endpoint.name}/${file}`;
  const name = `${start}${before}${setText(Object.entries(shown))}${after}`;
  return { name, plain: start + listedText(endpoint, shown), extent };
}

function setText(set: [string, ParameterValue][]): string {
  return set.map(([name, value]) => ` ${name}=${textsOf(value).join(',')}`).join('');
}

export function listedText({ parameters }: Endpoint, set: CanonicalParameters): string {
  return setText(Object.entries(set).filter(([name]) => parameters[name]?.enum !== undefined));
}

interface BoundScan extends BoundQuery, QueryName {
  fileName: 'query.sql' | 'warm.sql';
  /** What an incremental `warm.sql` is given, at another time than now, to read all rows; nothing for another query. */
  timesAt: (nowMs: number) => Record<string, string>;
}

/** The queries of an endpoint for each of its sets: by default every choice of its listed parameters, with examples. */
export function boundQueries(
  named: NamedEndpoint,
  sets: readonly ScanSet[] = parameterSets(named.endpoint).map((set) => ({
    parameters: set,
    shown: {},
  })),
): BoundScan[] {
  const { endpoint } = named;
  const { sql, warming } = endpoint;
  const types = typesOf(endpoint);
  return sets.flatMap(({ parameters: set, ...shown }): BoundScan[] => {
    const query = {
      ...nameOf(named, 'query.sql', shown),
      ...{ fileName: 'query.sql' as const, sql, parameters: set, types, timesAt: () => ({}) },
    };
    if (warming === undefined) return [query];
    const timesAt = (ms: number): Record<string, string> =>
      warming.incremental
        ? scanParameters(endpoint, scanFor(endpoint, [{ parameters: set }], ms), ms)
        : {};
    const batch = {
      ...nameOf(named, 'warm.sql', shown),
      fileName: 'warm.sql' as const,
      sql: warming.sql,
      parameters: { ...sharedParameters(warming, set), ...timesAt(Date.now()) },
      types: warming.incremental ? { ...types, ...SCAN_TYPES } : types,
      keys: [{ key: '0', ...batchFields(warming, set) }],
      timesAt,
    };
    return [query, batch];
  });
}
