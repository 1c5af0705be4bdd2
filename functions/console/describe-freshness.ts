// Describes in words how old the rows are, where they came from, and when newer ones can come.
import type { Answer, Endpoint } from './service.ts';
import { formatSpan } from './time.ts';

interface Origin {
  kind: 'hit' | 'miss';
  text: string;
}

/** Of the header `Cache-Status` (RFC 9211). */
export function originOf(cacheStatus: string): Origin {
  const words = cacheStatus.split(';').map((word) => word.trim());
  if (words.includes('hit')) {
    const isMemory = words.includes('detail=memory');
    return { kind: 'hit', text: isMemory ? 'Cache hit, from memory' : 'Cache hit' };
  }
  if (words.includes('collapsed')) return { kind: 'miss', text: 'Cache miss, run shared' };
  if (words.includes('fwd=stale')) return { kind: 'miss', text: 'Cache expired, run anew' };
  return { kind: 'miss', text: 'Cache miss, run now' };
}

export function describeFreshness(endpoint: Endpoint, answer: Answer, nowMs: number): string[] {
  const age = Math.max(0, Math.floor((nowMs - answer.computedAtMs) / 1000));
  const { cacheWarmingSeconds } = endpoint;
  const untilRefresh = cacheWarmingSeconds - age;
  const untilExpiry = endpoint.cachingSeconds - age;
  return [
    `computed ${formatSpan(age)} ago`,
    untilRefresh > 0
      ? `next refresh in about ${formatSpan(untilRefresh)}`
      : untilExpiry > 0
        ? `${cacheWarmingSeconds === 0 ? '' : 'refresh due, '}expires in ${formatSpan(untilExpiry)}`
        : 'expired, run again for new rows',
    `${answer.rows.length} ${answer.rows.length === 1 ? 'row' : 'rows'}`,
    `${Math.round(answer.durationMs)} ms`,
  ];
}
