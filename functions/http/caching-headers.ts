// Builds the values of `Cache-Control`, `Cache-Status`, `ETag` and `Vary`, and compares `If-None-Match` (RFC 9110, 9111, 9211).
import type { Ages } from '../endpoints/endpoint.ts';
import type { Served } from '../cache/reading.ts';

/** The name of this cache in `Cache-Status` (RFC 9211, 2). */
const CACHE_NAME = 'saved-queries';

/** The request headers that an answer depends on (RFC 9110, 12.5.5); the same for every answer. */
export const VARY = 'Accept, Accept-Encoding, Authorization, Origin, X-API-KEY';

/** `Cache-Control` of rows. With `Age`, a client asks again once warming, or else a query, may have computed newer rows. */
export function rowsCacheControl({ cachingSeconds, cacheWarmingSeconds }: Ages): string {
  // 0 for results that are never warmed.
  return `private, max-age=${cacheWarmingSeconds || cachingSeconds}`;
}

/** The value of `Cache-Status` for an answer with rows, which may still be served for `ttlSeconds`; errors have none. */
export function cacheStatus(served: Omit<Served, 'entry' | 'stepsMs'>, ttlSeconds: number): string {
  const { outcome, isCollapsed, stored, detail } = served;
  if (outcome === 'memory_hit') return `${CACHE_NAME}; hit; ttl=${ttlSeconds}; detail=memory`;
  if (outcome === 'hit') return `${CACHE_NAME}; hit; ttl=${ttlSeconds}`;
  const parts = [CACHE_NAME, outcome === 'expired' ? 'fwd=stale' : 'fwd=uri-miss'];
  if (isCollapsed) parts.push('collapsed');
  else if (stored) parts.push('stored', `ttl=${ttlSeconds}`);
  if (detail !== undefined) parts.push(`detail=${detail}`);
  return parts.join('; ');
}

/** A weak ETag, because the body may be sent in more than one encoding (RFC 9110, 8.8.1). */
export function weakETag(tag: string): string {
  return `W/"${tag}"`;
}

/** Whether `If-None-Match` names the tag, by weak comparison (RFC 9110, 13.1.2). */
export function matchesETag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === '*') return true;
  return ifNoneMatch
    .split(',')
    .some((candidate) => candidate.trim().replace(/^W\//, '') === etag.replace(/^W\//, ''));
}
