// Compares bucket.window with what the queries of an incremental endpoint read of the partitioned table.
import { basename } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { floorTo, spanOf, windowAt } from '../../functions/endpoints/bucket-span.ts';
import type { Endpoint } from '../../functions/endpoints/endpoint.ts';
import { queryParameters } from '../../functions/google/query-configuration.ts';
import { scanParameters } from '../../functions/results/compute-entry.ts';
import type { InspectedQuery } from '../compile/inspect-endpoint.ts';
import type { CatalogueFault } from '../faults/definition-fault.ts';
import {
  AFTER_LAST_INSTANT,
  ALL_VALUES,
  engineParameters,
  FIRST_INSTANT,
  GoogleSqlError,
  fixClock,
  queriedTable,
  tableReads,
  tree,
  union,
} from '../local-bigquery/index.ts';
import type { ColumnValues, GoogleSql } from '../local-bigquery/index.ts';
import { isSymbol, tokens } from '../lexer/sql-tokens.ts';
import { type AnalysedQueries, type AnalysedQuery, analyseQuery } from './analysed-query.ts';
import { runOnEmptyTables } from './analysed-query.ts';
import { boundQueries, listedText, scanSets } from './dry-run.ts';
import { listsOfTime } from './incremental.ts';
import { instantText } from './scan-windows.ts';

/**
 * Inside buckets, on several days of the week, where another time zone has another day, in summer or in winter, and where
 * the months and years before differ in length.
 */
const CLOCKS = [
  ...['2027-03-01T00:07:30.500Z', '2028-07-08T23:37:41.250Z'],
  ...['2026-07-07T00:07:30.500Z', '2026-11-20T23:37:41.250Z'],
].map(Date.parse);
const DAY_MS = 86_400_000;

/** For each choice of listed values, that query.sql reads the window, and warm.sql only what it is asked for. */
export async function windowFaults(
  engine: GoogleSql,
  endpoint: Endpoint,
  inspected: readonly InspectedQuery[],
  queries: AnalysedQueries,
): Promise<CatalogueFault[]> {
  const { bucket, incremental } = endpoint;
  const faults = new Map<string, CatalogueFault>();
  let set: Endpoint['parameters'] | object = {};
  for (const { fileName, ...bound } of boundQueries(endpoint, scanSets(endpoint))) {
    if (fileName === 'query.sql') set = bound.parameters;
    const own = set as typeof bound.parameters;
    const { file = '' } = inspected.find((one) => basename(one.file) === fileName) ?? {};
    const analysed = queries.get(fileName);
    const span = spanOf(endpoint, own);
    if (!span || !bucket || !analysed || analysed instanceof GoogleSqlError) continue;
    const references = analysed.references.filter(
      ({ table }) =>
        JSON.stringify(queriedTable(table.source)) === JSON.stringify(incremental?.partitioned),
    );
    const values = listedText(endpoint, own).replace(/^ /, ' for ');
    for (const nowMs of CLOCKS) {
      const { startMs, cutUntilMs: untilMs } = windowAt(span, nowMs);
      const sinceMs = Math.max(untilMs, startMs) + span.stepMs;
      const times = scanParameters(endpoint, { sinceMs, untilMs }, nowMs);
      const given = fileName === 'query.sql' ? {} : times;
      const query = { ...bound, parameters: { ...bound.parameters, ...given } };
      const parameters = engineParameters(queryParameters(query));
      const reads = await tableReads(engine, references, parameters, nowMs);
      const read = union(reads.map((one) => one.values ?? ALL_VALUES));
      const rest = { from: micros(sinceMs), until: AFTER_LAST_INSTANT };
      const cut = {
        from: micros(Math.max(startMs, untilMs - span.stepMs)),
        until: micros(untilMs),
      };
      const of = `${values} at ${instantText(micros(nowMs))}`;
      if (fileName === 'query.sql') {
        const start = { ...rest, from: micros(startMs) };
        const all = [startMs, nowMs].map((ms) => floorTo(ms, span.stepMs)) as Ends;
        for (const ends of await listEnds(engine, analysed, parameters, nowMs, span.stepMs)) {
          if (ends && ends[0] <= all[0] && ends[1] >= all[1]) continue;
          const message = `warming.incremental: query.sql lists ${endsText(ends)}${of}, but bucket.window has ${endsText(all)}`;
          faults.set(`${values} list`, { file, message });
        }
        if (isRead(read, [start], nowMs)) continue;
        const { window, whole } = bucket;
        const length =
          typeof window === 'object' ? window.values[String(own[window.parameter])] : window;
        const message = `bucket.window is ${length}${whole ? ' (whole)' : ''}${of}: from ${instantText(start.from)}, but query.sql reads ${textOf(read)}`;
        const definition = file.replace(/query\.sql$/, 'endpoint.json');
        faults.set(values, { file: definition, pointer: '/bucket/window', message });
      } else if (!isRead(read, span.isWhole ? [rest] : [cut, rest], nowMs)) {
        const [, ...names] = Object.keys(times).map((name) => `@${name}`);
        const last = span.isWhole ? '' : `, and for the last day before ${instantText(cut.until)}`;
        const message = `warming.incremental: warm.sql reads ${textOf(read)}${of}, but is asked for rows since ${instantText(rest.from)}${last}: filter the partition column by ${names.join(' and ')}`;
        faults.set(`${values} warm`, { file, message });
      }
    }
  }
  return [...faults.values()];
}

type Ends = [number, number];

/** The first and the last time of each list that is made of the time; undefined unless it has each bucket between once. */
async function listEnds(
  engine: GoogleSql,
  { analysis, resolved }: AnalysedQuery,
  parameters: ReturnType<typeof engineParameters>,
  nowMs: number,
  stepMs: number,
): Promise<(Ends | undefined)[]> {
  const { text } = analysis.source;
  const lists = listsOfTime(analysis, tree.allNodes(resolved)).map(async ([, list]) => {
    const { start = 0, end } = tree.textPlaceOf(list, Buffer.from(text)) ?? {};
    const before = tokens(text).findLast((token) => isSymbol(token, ';') && token.end <= start);
    const ends = ['MIN', 'MAX'].map((name) => `UNIX_MILLIS(TIMESTAMP(${name}(one)))`).join();
    const counts = 'COUNT(*), COUNT(DISTINCT one)';
    const sql = `${text.slice(0, before?.end ?? 0)} SELECT ${counts}, ${ends} FROM UNNEST(${text.slice(start, end)}) AS one`;
    try {
      const query = await analyseQuery(engine, [], fixClock(sql, nowMs), {});
      if (query instanceof GoogleSqlError) return undefined;
      const { rows } = await runOnEmptyTables(engine, query, parameters);
      const [all, distinct, first = NaN, last = NaN] = (rows[0]?.f ?? []).map(({ v }) => Number(v));
      const isWhole = all === distinct && (last - first) / stepMs < Number(all);
      return isWhole ? ([first, last] as Ends) : undefined;
    } catch (error) {
      // Such as a list that depends on a row.
      if (error instanceof GoogleSqlError) return undefined;
      throw error;
    }
  });
  return Promise.all(lists);
}

function endsText(ends: Ends | undefined): string {
  if (ends === undefined) return 'times, and not each bucket once';
  const [from, until] = ends.map((ms) => instantText(micros(ms)));
  return `the times from ${from} to ${until}`;
}

/** Before the cut bucket up to a day more may be read, and not all: a job of short windows would read the longest one. */
function isRead({ ranges, hasNull }: ColumnValues, asked: ColumnValues['ranges'], nowMs: number) {
  const [first] = asked;
  const found = ranges.map(({ from, until }) => {
    const isLonger = first && from < first.from && from >= first.until - micros(DAY_MS);
    const end = until < micros(nowMs) ? until : AFTER_LAST_INSTANT;
    return { from: isLonger ? first.from : from, until: end };
  });
  return !hasNull && isDeepStrictEqual(found, asked);
}

function micros(ms: number): bigint {
  return BigInt(ms) * 1000n;
}

function textOf({ ranges, hasNull }: ColumnValues): string {
  const texts = ranges.map(({ from, until }) =>
    [
      from === FIRST_INSTANT
        ? 'from the first row'
        : `${from % 1000n === 1n ? 'after' : 'from'} ${instantText(from)}`,
      until === AFTER_LAST_INSTANT ? '' : ` until ${instantText(until)}`,
    ].join(''),
  );
  return [...texts, ...(hasNull ? ['rows without a time'] : [])].join(' and ') || 'nothing';
}
