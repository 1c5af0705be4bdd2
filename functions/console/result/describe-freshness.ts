// Describes in words where the rows came from, how old they are, and when newer ones can come.
import { formatSpan } from '../format-span.ts';
import type { Answer, Endpoint } from '../service.ts';

interface Freshness {
  kind: 'hit' | 'miss';
  origin: string;
  parts: string[];
}

/** The origin is of the header `Cache-Status` (RFC 9211). */
export function describeFreshness(endpoint: Endpoint, answer: Answer, nowMs: number): Freshness {
  const age = Math.max(0, Math.floor((nowMs - answer.computedAtMs) / 1000));
  const { cacheWarmingSeconds } = endpoint;
  const untilRefresh = cacheWarmingSeconds - age;
  const untilExpiry = endpoint.cachingSeconds - age;
  const isHit = answer.cacheStatus.split(';').some((word) => word.trim() === 'hit');
  const count = answer.rows.length;
  return {
    kind: isHit ? 'hit' : 'miss',
    origin: isHit ? 'From the cache' : 'From the query',
    parts: [
      age === 0 ? 'just now' : `${formatSpan(age)} old`,
      untilRefresh > 0
        ? `next refresh in ${formatSpan(untilRefresh)}`
        : untilExpiry > 0
          ? `${cacheWarmingSeconds === 0 ? '' : 'refresh due, '}expires in ${formatSpan(untilExpiry)}`
          : 'expired: run again for new rows',
      `${count.toLocaleString('en')} ${count === 1 ? 'row' : 'rows'} in ${durationOf(answer.durationMs)}`,
    ],
  };
}

function durationOf(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}
