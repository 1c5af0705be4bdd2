// The time ranges in which saved queries read their tables: as a table of `npm run check`, and compared with each other.
import { isDeepStrictEqual } from 'node:util';
import { sharedParameters } from '../../functions/endpoints/parameters.ts';
import type { CanonicalParameters } from '../../functions/endpoints/parameters.ts';
import { queryParameters } from '../../functions/bigquery/query-configuration.ts';
import { counted, formatTable } from '../cli/table.ts';
import { inFile } from '../compile/routines.ts';
import type { CatalogueFault } from '../faults/definition-fault.ts';
import { parametersOf } from '../lexer/sql-text.ts';
import {
  AFTER_LAST_INSTANT,
  ALL_VALUES,
  constantsIn,
  EMPTY_ARRAY,
  engineParameters,
  FIRST_INSTANT,
  GoogleSqlError,
  partitionColumn,
  partitionCount,
  queryName,
  tableReads,
  union,
} from '../local-bigquery/index.ts';
import type { ColumnValues, GoogleSql, Partitioning, TableRead } from '../local-bigquery/index.ts';
import type { ServedEndpoint } from './check-endpoint.ts';
import { partitionType } from './cost/bytes-read.ts';
import { AFTER_MS, boundQueries, listedText, scanSets, withLargest } from './dry-run.ts';
import type { Scan } from './dry-run.ts';

export interface ScanWindow extends TableRead, Pick<Scan, 'name' | 'plain' | 'extent'> {
  fileName: 'query.sql' | 'warm.sql';
  /** The call without its batched parameters. */
  shared: CanonicalParameters;
}

/** What the queries read at `nowMs` for each choice of the listed parameters; `shown` has only the largest calls `most`. */
export async function scanWindows(
  engine: GoogleSql,
  served: ServedEndpoint,
  nowMs: number,
): Promise<{ all: readonly ScanWindow[]; shown: readonly ScanWindow[] }> {
  const { endpoint, queries } = served;
  const all: (ScanWindow & { group: string })[] = [];
  for (const { timesAt, ...bound } of boundQueries(served, scanSets(endpoint))) {
    const { fileName, name, plain, extent } = bound;
    const analysed = queries.get(fileName);
    // A query that the engine cannot analyse has no windows.
    if (analysed === undefined || analysed instanceof GoogleSqlError) continue;
    const times = timesAt(nowMs);
    const own = { ...bound, parameters: { ...bound.parameters, ...times } };
    const parameters = engineParameters(queryParameters(own), EMPTY_ARRAY);
    const batchOver = [...(endpoint.warming?.batchOver ?? []), ...Object.keys(times)];
    const shared = sharedParameters({ batchOver }, bound.parameters);
    const reads = await tableReads(engine, analysed.references, parameters, nowMs);
    for (const [at, read] of reads.entries()) {
      // Of a cut bucket, which a job that reads all rows does not read by itself.
      if ('until' in times && read.values?.ranges.length === 0) continue;
      all.push({ ...read, fileName, name, plain, extent, shared, group: `${plain} ${at}` });
    }
  }
  // A table that is read as a whole is listed once.
  const windows = all.filter(({ extent, values }) => extent !== 'most' || values !== undefined);
  const microsOf = ({ values }: ScanWindow): number =>
    values === undefined ? Infinity : Number(microsIn(untilNow(values, nowMs)));
  const kept = withLargest(windows, ({ group }) => group, microsOf);
  const usual = new Map(
    kept.flatMap((one) => (one.extent === 'most' ? [] : [[one.group, microsOf(one)]])),
  );
  // A parameter that bounds no partition does not change the window.
  const isMore = (one: (typeof kept)[number]): boolean =>
    one.extent === 'most' && microsOf(one) !== usual.get(one.group);
  const varying = new Set(kept.filter(isMore).map(({ group }) => group));
  const shown = kept
    .filter((one) => one.extent !== 'most' || isMore(one))
    .map((one) => (varying.has(one.group) ? one : { ...one, name: one.plain }));
  return { all, shown };
}

/** A line for each call whose filter no row can pass, or that names shards of another format. */
export function filterWarnings(windows: readonly ScanWindow[]): string[] {
  return windows.flatMap(({ name, table, values, extent, otherSuffix }) => {
    const apart = `${name} compares the suffix of ${table.fullName} with '${otherSuffix}', which is not part of ${table.source.definition?.shards?.format}`;
    if (otherSuffix !== undefined) return [apart];
    if (values?.ranges.length !== 0 || values.hasNull || extent === 'most') return [];
    return [`${name} reads nothing of ${table.fullName}: no time passes its filter`];
  });
}

/** The queries for which a later clock cannot show whether they prune: no partitions, or a bound independent of the clock. */
export async function queriesApartFromClock(
  engine: GoogleSql,
  served: ServedEndpoint,
): Promise<string[]> {
  const { shown: windows } = await scanWindows(engine, served, AFTER_MS);
  const earlyMicros = BigInt(AFTER_MS - CENTURY_MS) * 1000n;
  const isEarly = ({ from, until }: { from: bigint; until: bigint }): boolean =>
    from < earlyMicros && !(from === FIRST_INSTANT && until === AFTER_LAST_INSTANT);
  const apart = windows.filter(({ values }) => !values || values.ranges.some(isEarly));
  return apart.map(({ plain }) => plain);
}

/** A bound that depends on the clock is not that far behind it. */
const CENTURY_MS = 100 * 365 * 24 * 60 * 60 * 1000;

/** A window that begins before has no start: no table has such rows. */
const BEFORE_ALL_ROWS = BigInt(Date.parse('1900-01-01T00:00:00Z')) * 1000n;

/** A text table; a window without an end is counted until `nowMs`. */
export function formatWindows(windows: readonly ScanWindow[], nowMs: number): string {
  const rows = windows.map(({ name, table, values }) => {
    const type = partitionType(table.source);
    const read = [name, table.fullName];
    if (!type || !values) return [...read, '', '', 'whole table', ''];
    const { from, until, text } = endsOf(values, nowMs);
    const count = /^(?:whole table|no start)$/.test(text)
      ? 'all'
      : countText(table.source, type, untilNow(values, nowMs));
    return [...read, from, until, text, count];
  });
  return formatTable([['QUERY', 'TABLE', 'FROM', 'UNTIL', 'WINDOW', 'PARTITIONS'], ...rows]);
}

/** Such as `25 hours (or 2 days)`: what partitions by HOUR or DAY cost, compared with each other. */
function countText(
  source: TableRead['table']['source'],
  type: Partitioning['type'],
  { ranges }: ColumnValues,
): string {
  const count = (unit: Partitioning['type']): string =>
    counted(Number(partitionCount({ type: unit }, { ranges, hasNull: false })), unit.toLowerCase());
  const isDate = /^DATE$/i.test(partitionColumn(source)?.type ?? 'DATE'); // So are shards.
  if (isDate || !/^(?:HOUR|DAY)$/.test(type)) return count(type);
  return `${count(type)} (or ${count(type === 'HOUR' ? 'DAY' : 'HOUR')})`;
}

/** How long a window is, and its ends; '' for an end that it does not have. */
function endsOf(values: ColumnValues, nowMs: number) {
  const [first, last] = [values.ranges[0], values.ranges.at(-1)];
  const until = last?.until === AFTER_LAST_INSTANT ? '' : instantText(last?.until);
  if (first === undefined || first.from >= BEFORE_ALL_ROWS) {
    return { from: instantText(first?.from), until, text: windowText(untilNow(values, nowMs)) };
  }
  const isWhole = until === '' && values.ranges.length === 1;
  return { from: '', until, text: isWhole ? 'whole table' : 'no start' };
}

function untilNow({ ranges, hasNull }: ColumnValues, nowMs: number): ColumnValues {
  const now = BigInt(nowMs) * 1000n;
  const ended = ranges.map(({ from, until }) => {
    return { from, until: until === AFTER_LAST_INSTANT ? now : until };
  });
  return { ranges: ended.filter(({ from, until }) => from < until), hasNull };
}

function microsIn({ ranges }: ColumnValues): bigint {
  return ranges.reduce((sum, { from, until }) => sum + until - from, 0n);
}

function windowText(values: ColumnValues): string {
  const { ranges, hasNull } = values;
  const micros = microsIn(values);
  const parts = [micros > 0n && durationText(micros), hasNull && 'NULL values'].filter(Boolean);
  const gaps = ranges.length > 1 ? ` in ${ranges.length} parts` : '';
  return parts.length === 0 ? 'nothing' : parts.join(' and ') + gaps;
}

const UNITS = Object.entries({ day: 86_400, hour: 3600, minute: 60, second: 1 });

/** `61 minutes` in the longest unit of which it is a whole number, or else, if that is long, `19.4 days`. */
function durationText(micros: bigint): string {
  if (micros < 1_000_000n) return 'under a second';
  const seconds = Math.round(Number(micros) / 1e6);
  const isShort = ([unit, length]: readonly [string, number]) =>
    seconds % length === 0 && (unit === 'day' || seconds / length <= 100);
  const [unit, length] = UNITS.find(isShort) ??
    UNITS.find(([, length]) => length <= seconds) ?? ['second', 1];
  const count = (seconds / length).toFixed(1).replace(/\.0$/, '');
  return `${count} ${unit}${count === '1' ? '' : 's'}`;
}

/** `2026-11-20T10:00:00Z`, with milliseconds where there are any. */
function instantText(micros: bigint | undefined): string {
  if (micros === undefined) return '';
  return new Date(Number(micros / 1000n)).toISOString().replace('.000Z', 'Z');
}

/**
 * A fault for each table of which they read different windows in a call. If batched parameters bound the window, one job
 * of `warm.sql` reads the windows of all its keys: it may read more than a call of `query.sql`, but never less.
 */
export function compareWindows(
  { endpoint, queries, batch }: ServedEndpoint,
  reads: readonly ScanWindow[],
  nowMs: number,
): CatalogueFault[] {
  // A query that the engine cannot analyse has no reads.
  if (!batch || [...queries.values()].some((one) => one instanceof GoogleSqlError)) return [];
  const tables = Map.groupBy(reads, ({ table }) => queryName(table.source));
  return [...tables].flatMap(([name, ofTable]) => {
    const isOfKeys = ofTable.some((read) => isBoundBy(read, endpoint.warming?.batchOver ?? []));
    const place = ofTable.find(({ fileName }) => fileName === 'warm.sql')?.scan.offset;
    const calls = Map.groupBy(ofTable, ({ shared }) => JSON.stringify(shared));
    for (const call of calls.values()) {
      const [own, warm] = ['query.sql', 'warm.sql'].map((file) =>
        union(call.filter((one) => one.fileName === file).map(({ values = ALL_VALUES }) => values)),
      ) as [ColumnValues, ColumnValues];
      if (isDeepStrictEqual(isOfKeys ? union([own, warm]) : own, warm)) continue;
      // Such as `1.7 days from 2026-11-25T00:00:00Z`.
      const [read, ofQuery] = [warm, own].map((window) => {
        const { from, until, text } = endsOf(window, nowMs);
        return `${text}${from && ` from ${from}`}${until && ` until ${until}`}`;
      });
      const values = listedText(endpoint, call[0]?.shared ?? {}).replace(/^ (.*)/, ' ($1)');
      const message = `reads of ${name}: ${read}, but query.sql: ${ofQuery}${values}: filter both by the same times, or rows change when they are warmed`;
      const at = place === undefined ? { file: batch.query.file } : inFile(batch.query, place);
      return [{ ...at, message }];
    }
    return [];
  });
}

function isBoundBy({ scan, fileName }: ScanWindow, parameters: readonly string[]): boolean {
  const constants = [...scan.conditions.values()].flatMap(constantsIn);
  const names = constants.flatMap(({ sql }) => parametersOf(sql).map(({ name }) => name));
  return fileName === 'query.sql' && names.some((name) => parameters.includes(name));
}
