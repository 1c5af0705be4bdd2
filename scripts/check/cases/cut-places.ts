// Cuts the results of a test of an incremental endpoint, at places that its name alone decides.
import { isDeepStrictEqual } from 'node:util';
import { sha256Hex } from '../../../functions/core/hashes.ts';
import type { Scan } from '../../../functions/core/query-runner.ts';
import { floorTo, spanOf, windowAt } from '../../../functions/endpoints/bucket-span.ts';
import type { Endpoint } from '../../../functions/endpoints/endpoint.ts';
import type { CanonicalParameters } from '../../../functions/endpoints/parameters.ts';
import { keptBuckets, scanFor } from '../../../functions/results/incremental.ts';
import { encodeScalar, partitionColumn, queriedTable } from '../../local-bigquery/index.ts';
import type { EncodedRow } from '../../local-bigquery/index.ts';
import type { Source } from '../../sources/read-sources.ts';
import type { EndpointCase } from './read-cases.ts';

interface Cut {
  /** When the earlier results were computed, of the rows before `changedMs`: all later ones came or changed since. */
  baseMs: number;
  changedMs: number;
  scan: Scan;
  /** The parameters of the keys of the job. */
  sets: readonly CanonicalParameters[];
}

const CUTS = 3;
/** Some places keep no row. */
const TRIES = 40;

/** The same numbers for the same text, from 0 to below 1. */
function createRandom(text: string): () => number {
  let count = 0;
  return () => Number.parseInt(sha256Hex(`${text} ${(count += 1)}`).slice(0, 8), 16) / 2 ** 32;
}

/** Cuts at starts of buckets, and in buckets as jobs do whose results have other windows. */
export function cutsOf(
  endpoint: Endpoint,
  all: readonly CanonicalParameters[],
  nowMs: number,
  name: string,
): Cut[] {
  const random = createRandom(name);
  const cuts: Cut[] = [];
  for (let tries = 0; tries < TRIES && cuts.length < CUTS; tries += 1) {
    const span = spanOf(endpoint, all[Math.floor(random() * all.length)] ?? {});
    if (span === undefined) continue;
    const { windowMs, stepMs } = span;
    const changedMs = nowMs - Math.floor(random() * windowMs);
    const isOfSpan = random() < 0.5;
    const sets = all.filter((set) => !isOfSpan || isDeepStrictEqual(spanOf(endpoint, set), span));
    const entries = sets.map((parameters) => ({ parameters }));
    const scan = scanFor(endpoint, entries, nowMs, ({ parameters }) =>
      floorTo(changedMs, spanOf(endpoint, parameters)?.stepMs ?? stepMs),
    );
    const earlierMs = random() < 0.5 ? 0 : Math.floor(random() * stepMs);
    scan.sinceMs = Math.max(scan.sinceMs - earlierMs, scan.untilMs ?? -Infinity);
    const kept = sets.map((set) => {
      const own = spanOf(endpoint, set);
      return own && keptBuckets(own, scan, nowMs);
    });
    const baseMs = changedMs + Math.floor(random() * (nowMs - changedMs));
    const isSome = kept.some((one) => typeof one === 'object' && one.fromMs < one.untilMs);
    if (isSome && !kept.includes('uncovered')) cuts.push({ baseMs, changedMs, scan, sets });
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
  const within = Array.from({ length: 4 }, () => nowMs - Math.floor(random() * span.windowMs));
  const starts = [startMs, cutUntilMs, ...within.map((ms) => floorTo(ms, span.stepMs))];
  const times = [...starts.flatMap((ms) => [ms - 1, ms]), ...within, nowMs];
  const { name = '', place = 0 } = partitionsOf(endpoint, sources);
  const spread = (rows.get(name) ?? []).flatMap((row) => [
    row,
    ...[1, 2].map(() => {
      const time = new Date(times[Math.floor(random() * times.length)] ?? nowMs).toISOString();
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
