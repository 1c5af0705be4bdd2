// Describes in words where the rows came from, how old they are, when newer ones can arrive, and what was read for them.
import { formatBytes, formatMs, formatSpan } from '../format.ts';
import type { Answer, Endpoint } from '../service.ts';

type Told = Pick<Answer, 'rows' | 'computedAtMs' | 'receivedAtMs' | 'durationMs'> &
  Pick<Answer, 'cacheStatus' | 'bytesRead'>;
type Warmed = Pick<Endpoint, 'cacheWarmingSeconds'>;

/** Only what the headers of the answer and the catalogue tell: see `Cache-Status` (RFC 9211). */
export function describeFreshness(
  { cacheWarmingSeconds }: Warmed,
  { rows, computedAtMs, receivedAtMs, durationMs, cacheStatus, bytesRead }: Told,
  isLocal: boolean,
) {
  // A cache on the way adds members of its own.
  const own = cacheStatus.split(',').find((each) => each.trim().startsWith('saved-queries'));
  const words = (own ?? '').split(';').map((word) => word.trim());
  const isHit = words.includes('hit');
  const isCollapsed = words.includes('collapsed');
  const ttl = words.find((word) => word.startsWith('ttl='))?.slice('ttl='.length);
  const age = secondsSince(computedAtMs);
  const untilRefresh = cacheWarmingSeconds === 0 ? Infinity : cacheWarmingSeconds - age;
  const old = age === 0 ? 'just now' : `${coarse(age, Math.floor)} old`;
  // Rows of another call may be stored, but this answer does not tell.
  const unstored = isHit || isCollapsed ? '' : ', not stored';
  const next =
    ttl === undefined
      ? unstored
      : `, ${nextRows(untilRefresh, Number(ttl) - secondsSince(receivedAtMs))}`;
  return {
    isHit,
    origin:
      own === undefined
        ? 'From the service'
        : isHit
          ? 'From the cache'
          : isCollapsed
            ? 'From the query of another call'
            : `From ${isLocal ? 'the local ' : ''}BigQuery`,
    age: own === undefined ? 'of unknown age' : old + next,
    parts: [
      `${countOf(rows.length, rows.length)} in ${formatMs(durationMs)}`,
      ...readText(isHit ? 0 : bytesRead, isLocal),
    ],
  };
}

/** The outcome of a run, for screen readers. */
export function describeAnswer(endpoint: Warmed, answer: Answer, isLocal: boolean): string {
  const { origin, age } = describeFreshness(endpoint, answer, isLocal);
  const { length } = answer.rows;
  const cut = answer.rowsCut === undefined ? '' : ` ${describeRowsCut(answer.rowsCut)}`;
  return `${length === 0 ? 'No rows' : countOf(length, length)}. ${origin}, ${age}.${cut}`;
}

/** `12 of 300 rows`. */
export function countOf(kept: number, all: number): string {
  const of = kept === all ? '' : `${kept.toLocaleString('en')} of `;
  return `${of}${all.toLocaleString('en')} ${all === 1 ? 'row' : 'rows'}`;
}

/** `logs.events; read=94000; of=200000, …`, the value of `X-Local-Rows-Cut`, as a sentence. */
export function describeRowsCut(header: string): string {
  const numberOf = (text = ''): string => Number(text).toLocaleString('en');
  const tables = [...header.matchAll(/([^,; ]+); read=(\d+); of=(\d+)/g)].map(
    ([, table = '', read, of]) =>
      `the newest ${numberOf(read)} of ${numberOf(of)} rows of ${decodeURI(table)}`,
  );
  return `The local BigQuery read ${tables.join(', and ')}: values may be wrong, and rows may be missing.`;
}

/** In seconds. */
function nextRows(untilRefresh: number, untilExpiry: number): string {
  if (untilExpiry <= 0) return 'expired: run again for new rows';
  const expires = `expires in ${coarse(untilExpiry, Math.ceil)}`;
  if (untilRefresh >= untilExpiry) return expires;
  if (untilRefresh > 0) return `the next refresh in ${coarse(untilRefresh, Math.ceil)}`;
  return `refresh due, ${expires}`;
}

function readText(bytes: number | undefined, isLocal: boolean): string[] {
  // What BigQuery would read is not what this machine does, and nobody pays for it.
  if (isLocal) return ['no cost'];
  if (bytes === undefined) return [];
  return [bytes === 0 ? 'nothing read in BigQuery' : `read ${formatBytes(bytes)} in BigQuery`];
}

function secondsSince(ms: number): number {
  return Math.max(0, Math.floor((Date.now() - ms) / 1000));
}

/** In seconds up to a minute, then in whole minutes: a text that changes every second draws the eye. */
function coarse(seconds: number, round: (minutes: number) => number): string {
  return formatSpan(seconds < 60 ? seconds : round(seconds / 60) * 60);
}
