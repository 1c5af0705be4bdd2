// Who reads an entry: recorded with it, so that warming knows for whom it works.
import type { EndpointDefinition } from '../endpoints/endpoint.ts';
import type { Entry, Reader } from '../core/result-store.ts';

type Intervals = Pick<EndpointDefinition, 'cachingSeconds' | 'cacheWarmingSeconds'>;

/** More readers than this are not recorded: an entry stays small, and one of these keeps it warm. */
export const READERS_MAX = 8;

/**
 * Whether a read has to be recorded: often enough that warming sees who is looking, seldom enough
 * that a busy entry costs one write per reader and half interval and not one a request.
 */
export function needsTouch(
  { lastReadAtMs, readers }: Pick<Entry, 'lastReadAtMs' | 'readers'>,
  keyName: string,
  endpoint: Intervals,
  nowMs: number,
): boolean {
  const halfIntervalMs = (endpoint.cacheWarmingSeconds * 1000) / 2;
  if (nowMs - lastReadAtMs > halfIntervalMs) return true;
  for (const reader of readers) {
    if (reader.keyName === keyName) return nowMs - reader.readAtMs > halfIntervalMs;
  }
  // Where there is no room, writing would change nothing.
  return (
    readers.length < READERS_MAX || recentReaders(readers, endpoint, nowMs).length < READERS_MAX
  );
}

/**
 * The readers with this one, the latest first. Only those who have not read within `cachingSeconds`
 * make room: somebody who is still reading is never pushed out by others.
 */
export function withReader(
  readers: readonly Reader[],
  keyName: string,
  endpoint: Intervals,
  nowMs: number,
): Reader[] {
  const others = recentReaders(readers, endpoint, nowMs).filter(
    (reader) => reader.keyName !== keyName,
  );
  const hasRoom = others.length < READERS_MAX;
  return hasRoom ? [{ keyName, readAtMs: nowMs }, ...others] : others;
}

/** Those who have read within `cachingSeconds`. */
export function recentReaders(
  readers: readonly Reader[],
  endpoint: Pick<EndpointDefinition, 'cachingSeconds'>,
  nowMs: number,
): Reader[] {
  return readers.filter(({ readAtMs }) => nowMs - readAtMs <= endpoint.cachingSeconds * 1000);
}
