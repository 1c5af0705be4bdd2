// Cuts the results of a test of an incremental endpoint, at places that its name alone decides.
import { isDeepStrictEqual } from 'node:util';
import { sha256Hex } from '../../../functions/core/hashes.ts';
import type { Scan } from '../../../functions/core/query-runner.ts';
import { floorTo, spanOf, windowAt } from '../../../functions/endpoints/bucket-span.ts';
import type { Endpoint } from '../../../functions/endpoints/endpoint.ts';
import type { CanonicalParameters } from '../../../functions/endpoints/parameters.ts';
import { keptBuckets, scanFor, textMs } from '../../../functions/results/incremental.ts';
import { encodeScalar, partitionColumn, queriedTable } from '../../local-bigquery/index.ts';
import type { EncodedRow } from '../../local-bigquery/index.ts';
import type { Source } from '../../sources/read-sources.ts';
import type { CaseResult } from './case-service.ts';
import type { EndpointCase } from './read-cases.ts';

export interface KeyResult {
  parameters: CanonicalParameters;
  result: CaseResult;
}

interface Cut {
  /** When the earlier results were computed, of the rows before `changedMs`: all later ones came or changed since. */
  baseMs: number;
  changedMs: number;
  scan: Scan;
  /** Those of the job. */
  keys: readonly KeyResult[];
}

const DAY_MS = 86_400_000;
const CUTS = 4;
/** Some places keep no row. */
const TRIES = 40;

/** The same numbers for the same text: whole ones below a limit. */
function createRandom(text: string): (limit: number) => number {
  let count = 0;
  return (limit) => {
    const hash = sha256Hex(`${text} ${(count += 1)}`).slice(0, 12);
    return Math.floor((Number.parseInt(hash, 16) / 2 ** 48) * limit);
  };
}

/** By turns at the start of a bucket that has a row, and in a bucket, as jobs do whose results have other windows. */
export function cutsOf(
  endpoint: Endpoint,
  all: readonly KeyResult[],
  nowMs: number,
  name: string,
): Cut[] {
  const random = createRandom(name);
  const spanFor = ({ parameters }: Pick<KeyResult, 'parameters'>) => spanOf(endpoint, parameters);
  const withRows = all.filter(({ result }) => result.rows.length > 0);
  const cuts: Cut[] = [];
  for (let tries = 0; tries < TRIES && cuts.length < CUTS; tries += 1) {
    const own = withRows[random(withRows.length)];
    const span = own && spanFor(own);
    if (own === undefined || span === undefined) continue;
    const { rows } = own.result;
    const isAtRow = cuts.length % 2 === 0;
    const rowMs = textMs(
      rows[random(rows.length)]?.[endpoint.bucket?.column ?? ''] ?? '1970-01-01',
    );
    const laterMs = random(Math.min(DAY_MS, Math.max(0, nowMs - rowMs)));
    const changedMs = isAtRow ? rowMs : rowMs + laterMs;
    if (changedMs <= nowMs - span.windowMs || changedMs > nowMs) continue;
    const isAlone = random(2) > 0;
    const keys = all.filter((key) => !isAlone || isDeepStrictEqual(spanFor(key), span));
    const found = scanFor(endpoint, keys, nowMs, (key) =>
      floorTo(changedMs, spanFor(key)?.stepMs ?? 1),
    );
    const earlierMs = isAtRow ? 0 : random(span.stepMs);
    const sinceMs = Math.max(found.sinceMs - earlierMs, found.untilMs ?? -Infinity);
    const scan = { ...found, sinceMs };
    const kept = keys.map((key) => keptBuckets(spanFor(key) ?? span, scan, nowMs));
    const isSome = kept.some((one) => typeof one === 'object' && one.fromMs < one.untilMs);
    if (!isSome || kept.includes('uncovered')) continue;
    cuts.push({ baseMs: changedMs + random(nowMs - changedMs), changedMs, scan, keys });
  }
  return cuts;
}

/** The rows that were there before a time. */
export function rowsBefore(
  endpoint: Endpoint,
  rows: EndpointCase['rows'],
  sources: readonly Source[],
  ms: number,
): EndpointCase['rows'] {
  const { name = '', place = 0 } = partitionsOf(endpoint, sources);
  const isBefore = (row: EncodedRow): boolean => {
    const { seconds, nanos = 0 } = row[place]?.timestampValue ?? {};
    return Number(seconds ?? 0) * 1000 + nanos / 1e6 < ms;
  };
  return new Map([...rows, [name, (rows.get(name) ?? []).filter(isBefore)]]);
}

/** Each row also at two other times: the ends of the window, of the bucket that it cuts and of others, and between. */
export function rowsOfBuckets(
  endpoint: Endpoint,
  rows: EndpointCase['rows'],
  sources: readonly Source[],
  set: CanonicalParameters,
  nowMs: number,
): EndpointCase['rows'] {
  const span = spanOf(endpoint, set);
  if (span === undefined) return rows;
  const random = createRandom('rows');
  const { startMs, cutUntilMs } = windowAt(span, nowMs);
  const within = Array.from({ length: 4 }, () => nowMs - random(span.windowMs));
  const starts = [startMs, cutUntilMs, ...within.map((ms) => floorTo(ms, span.stepMs))];
  // Also later in the same day, in which the rows of a bucket that is too long are cut.
  const later = within.map((ms) => Math.min(nowMs, ms + random(DAY_MS / 2)));
  const times = [...starts.flatMap((ms) => [ms - 1, ms]), ...within, ...later, nowMs];
  const { name = '', place = 0 } = partitionsOf(endpoint, sources);
  const spread = (rows.get(name) ?? []).flatMap((row) => [
    row,
    ...[1, 2].map(() => {
      const time = new Date(times[random(times.length)] ?? nowMs).toISOString();
      return row.with(place, encodeScalar(time, 'TYPE_TIMESTAMP'));
    }),
  ]);
  return new Map([...rows, [name, spread]]);
}

/** The partitioned table, and the place of its partition column. */
function partitionsOf({ incremental }: Endpoint, sources: readonly Source[]) {
  const source = sources.find(
    (one) => JSON.stringify(queriedTable(one)) === JSON.stringify(incremental?.partitioned),
  );
  const column = source && partitionColumn(source)?.name;
  return { name: source?.name, place: source?.fields.findIndex(({ name }) => name === column) };
}
