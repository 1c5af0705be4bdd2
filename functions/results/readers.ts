// Decides when a read is recorded, and which API keys an entry lists as its recent readers.
import { type EndpointDefinition, isWarmed } from '../endpoints/endpoint.ts';
import type { Entry, Reader } from '../core/result-store.ts';

type Intervals = Pick<EndpointDefinition, 'cachingSeconds' | 'cacheWarmingSeconds'>;

/** The most readers that are recorded by name: an entry stays small, and one reader is enough to keep it warm. */
const READERS_MAX = 8;
/** Stands for all readers after the eighth, so that they keep the entry warm too. It has the limit of one key. */
const OTHERS = '';

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
  if (readers.length < READERS_MAX) return true;
  const recent = recentReaders(readers, endpoint, nowMs);
  if (recent.filter(isNamed).length < READERS_MAX) return true;
  const others = recent.find((reader) => !isNamed(reader));
  return others === undefined || nowMs - others.readAtMs > halfIntervalMs;
}

/**
 * The readers including this one, the latest first; by name if there is a place. Only readers that have not
 * read within `cachingSeconds` are replaced: an active reader is never removed by others.
 */
export function withReader(
  readers: readonly Reader[],
  keyName: string,
  endpoint: Intervals,
  nowMs: number,
): Reader[] {
  const recent = recentReaders(readers, endpoint, nowMs);
  const others = recent.filter((reader) => reader.keyName !== keyName);
  const name = others.filter(isNamed).length < READERS_MAX ? keyName : OTHERS;
  const rest = others.filter((reader) => reader.keyName !== name);
  return [{ keyName: name, readAtMs: nowMs }, ...rest];
}

function isNamed({ keyName }: Reader): boolean {
  return keyName !== OTHERS;
}

/** The readers that have read within `cachingSeconds`. */
export function recentReaders(
  readers: readonly Reader[],
  endpoint: Pick<EndpointDefinition, 'cachingSeconds'>,
  nowMs: number,
): Reader[] {
  return readers.filter(({ readAtMs }) => nowMs - readAtMs <= endpoint.cachingSeconds * 1000);
}
