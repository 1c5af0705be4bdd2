// Decides when a read is recorded, and which API keys an entry lists as its recent readers.
import { type EndpointDefinition, isWarmed } from '../endpoints/endpoint.ts';
import type { Entry, Reader } from '../core/result-store.ts';

type Intervals = Pick<EndpointDefinition, 'cachingSeconds' | 'cacheWarmingSeconds'>;

/** The most readers that are recorded: an entry stays small, and one reader is enough to keep it warm. */
const READERS_MAX = 8;

/**
 * Whether a read must be recorded. A busy entry costs one write per reader and half interval, not one per
 * request, and warming still sees every recent reader. Without warming there is nothing to record.
 */
export function needsTouch(
  { lastReadAtMs, readers }: Pick<Entry, 'lastReadAtMs' | 'readers'>,
  keyName: string,
  endpoint: Intervals,
  nowMs: number,
): boolean {
  if (!isWarmed(endpoint)) return false;
  const halfIntervalMs = (endpoint.cacheWarmingSeconds * 1000) / 2;
  if (nowMs - lastReadAtMs > halfIntervalMs) return true;
  for (const reader of readers) {
    if (reader.keyName === keyName) return nowMs - reader.readAtMs > halfIntervalMs;
  }
  // If there is no room for another reader, a write would change nothing.
  return (
    readers.length < READERS_MAX || recentReaders(readers, endpoint, nowMs).length < READERS_MAX
  );
}

/**
 * The readers including this one, the latest first. Only readers that have not read within
 * `cachingSeconds` are replaced: an active reader is never removed by others.
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

/** The readers that have read within `cachingSeconds`. */
export function recentReaders(
  readers: readonly Reader[],
  endpoint: Pick<EndpointDefinition, 'cachingSeconds'>,
  nowMs: number,
): Reader[] {
  return readers.filter(({ readAtMs }) => nowMs - readAtMs <= endpoint.cachingSeconds * 1000);
}
