// Describes in words where the rows came from, how old they are, and what was read for them.
import { formatBytes, formatMs, formatSpan } from '../format.ts';
import type { Answer } from '../service.ts';

type Told = Pick<Answer, 'rows' | 'computedAtMs' | 'durationMs' | 'cacheStatus' | 'bytesRead'>;

/** Only what the headers of the answer tell: see `Cache-Status` (RFC 9211). */
export function describeFreshness(answer: Told, isLocal: boolean) {
  const { rows, computedAtMs, durationMs, cacheStatus, bytesRead } = answer;
  // A cache on the way adds members of its own.
  const own = cacheStatus.split(',').find((each) => each.trim().startsWith('saved-queries'));
  const isHit = /;\s*hit\b/.test(own ?? '');
  const from = isHit
    ? 'the cache'
    : /;\s*collapsed\b/.test(own ?? '')
      ? 'the query of another call'
      : `${isLocal ? 'the local ' : ''}BigQuery`;
  // What BigQuery would read is not what this machine does, and nobody pays for it.
  const read = isLocal
    ? 'no cost'
    : isHit || bytesRead === 0
      ? 'nothing read in BigQuery'
      : bytesRead !== undefined && `read ${formatBytes(bytesRead)} in BigQuery`;
  const seconds = Math.floor((Date.now() - computedAtMs) / 1000);
  return {
    isHit,
    origin: `From ${own === undefined ? 'the service' : from}`,
    age: own === undefined ? 'of unknown age' : ageOf(seconds),
    parts: [`${countOf(rows.length, rows.length)} in ${formatMs(durationMs)}`, read].filter(
      Boolean,
    ),
  };
}

/** The outcome of a run, for screen readers. */
export function describeAnswer(answer: Answer, isLocal: boolean): string {
  const { origin, age } = describeFreshness(answer, isLocal);
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
  const tables = decodeURI(header).replaceAll(/; read=(\d+); of=(\d+)/g, ' ($1 of $2)');
  return `The local BigQuery read only the newest rows of ${tables}: values may be wrong, and rows may be missing.`;
}

/** Whole minutes from the first one on: a text that changes every second draws the eye. */
function ageOf(seconds: number): string {
  if (seconds <= 0) return 'just now';
  return `${formatSpan(seconds < 60 ? seconds : Math.floor(seconds / 60) * 60)} old`;
}
