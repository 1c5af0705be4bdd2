// Describes in words where the rows came from, how old they are, when newer ones can arrive, and what was read for them.
import { describeRowsCut } from './describe-rows-cut.ts';
import { formatBytes } from '../format-bytes.ts';
import { formatSpan } from '../format-span.ts';
import type { Answer, Endpoint } from '../service.ts';

interface Freshness {
  kind: 'hit' | 'miss';
  origin: string;
  age: string;
  parts: string[];
}

type Told = Pick<Answer, 'rows' | 'computedAtMs' | 'receivedAtMs' | 'durationMs'> &
  Pick<Answer, 'cacheStatus' | 'bytesRead'>;

/** Only what the headers of the answer and the catalogue tell: see `Cache-Status` (RFC 9211). */
export function describeFreshness(
  { cacheWarmingSeconds }: Pick<Endpoint, 'cacheWarmingSeconds'>,
  answer: Told,
  { nowMs, isLocal }: { nowMs: number; isLocal: boolean },
): Freshness {
  // A cache on the way adds members of its own.
  const own = answer.cacheStatus.split(',').find((each) => each.trim().startsWith('saved-queries'));
  const words = (own ?? '').split(';').map((word) => word.trim());
  const isHit = words.includes('hit');
  const isCollapsed = words.includes('collapsed');
  const ttl = words.find((word) => word.startsWith('ttl='))?.slice('ttl='.length);
  const age = secondsBetween(answer.computedAtMs, nowMs);
  const next =
    ttl === undefined
      ? notStored(isHit || isCollapsed)
      : nextRows({
          untilRefresh: cacheWarmingSeconds === 0 ? undefined : cacheWarmingSeconds - age,
          untilExpiry: Number(ttl) - secondsBetween(answer.receivedAtMs, nowMs),
        });
  const old = age === 0 ? 'just now' : `${coarse(age, Math.floor)} old`;
  const count = answer.rows.length;
  return {
    kind: isHit ? 'hit' : 'miss',
    origin: originOf(own !== undefined, { isHit, isCollapsed, isLocal }),
    age: own === undefined ? 'of unknown age' : [old, ...next].join(', '),
    parts: [
      `${countOf(count, count)} in ${durationOf(answer.durationMs)}`,
      ...read(isHit ? 0 : answer.bytesRead, isLocal),
    ],
  };
}

/** The outcome of a run, for screen readers. */
export function describeAnswer(
  endpoint: Pick<Endpoint, 'cacheWarmingSeconds'>,
  answer: Answer,
  isLocal: boolean,
): string {
  const { origin, age } = describeFreshness(endpoint, answer, { nowMs: Date.now(), isLocal });
  const { length } = answer.rows;
  const rows = length === 0 ? 'No rows' : countOf(length, length);
  const cut = answer.rowsCut === undefined ? '' : ` ${describeRowsCut(answer.rowsCut)}`;
  return `${rows}. ${origin}, ${age}.${cut}`;
}

/** `12 of 300 rows`. */
export function countOf(kept: number, all: number): string {
  const of = kept === all ? '' : `${kept.toLocaleString('en')} of `;
  return `${of}${all.toLocaleString('en')} ${all === 1 ? 'row' : 'rows'}`;
}

function originOf(
  isKnown: boolean,
  from: { isHit: boolean; isCollapsed: boolean; isLocal: boolean },
): string {
  if (!isKnown) return 'From the service';
  if (from.isHit) return 'From the cache';
  if (from.isCollapsed) return 'From the query of another call';
  return from.isLocal ? 'From the local BigQuery' : 'From BigQuery';
}

/** Rows of another call may be stored, but this answer does not tell. */
function notStored(mayBeStored: boolean): string[] {
  return mayBeStored ? [] : ['not stored'];
}

function nextRows({
  untilRefresh,
  untilExpiry,
}: {
  untilRefresh: number | undefined;
  untilExpiry: number;
}): string[] {
  if (untilExpiry <= 0) return ['expired: run again for new rows'];
  if (untilRefresh === undefined || untilRefresh >= untilExpiry)
    return [`expires in ${coarse(untilExpiry, Math.ceil)}`];
  if (untilRefresh > 0) return [`the next refresh in ${coarse(untilRefresh, Math.ceil)}`];
  return [`refresh due, expires in ${coarse(untilExpiry, Math.ceil)}`];
}

function read(bytes: number | undefined, isLocal: boolean): string[] {
  // What BigQuery would read is not what this machine does, and nobody pays for it.
  if (isLocal) return ['no cost'];
  if (bytes === undefined) return [];
  return [bytes === 0 ? 'nothing read in BigQuery' : `read ${formatBytes(bytes)} in BigQuery`];
}

function secondsBetween(beginMs: number, endMs: number): number {
  return Math.max(0, Math.floor((endMs - beginMs) / 1000));
}

/** In seconds up to a minute, then in whole minutes: a text that changes every second draws the eye. */
function coarse(seconds: number, round: (minutes: number) => number): string {
  return formatSpan(seconds < 60 ? seconds : round(seconds / 60) * 60);
}

export function durationOf(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}
