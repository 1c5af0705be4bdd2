// Decides when a read is recorded, and which API keys an entry lists as its recent readers.
import { type Ages, RUN_SECONDS, isWarmed } from '../endpoints/endpoint.ts';
import type { Entry, Reader } from '../core/result-store.ts';

/** The most readers that are recorded by name: an entry stays small, and one reader is enough to keep it warm. */
const READERS_MAX = 8;
/** Stands for all readers after the eighth, so that they keep the entry warm too. It has the limit of one key. */
const OTHERS = '';

/** 192 times a day: more writes would say nothing that warming needs. */
const RECORDED_SECONDS_MIN = 450;

/**
 * Whether a read must be recorded: once in a while for each result, however many keys read it, with all readers since. Without
 * warming there is nothing to record.
 */
export function needsTouch(
  { lastReadAtMs }: Pick<Entry, 'lastReadAtMs'>,
  endpoint: Ages,
  nowMs: number,
): boolean {
  return isWarmed(endpoint) && nowMs - lastReadAtMs > recordedSeconds(endpoint) * 1000;
}

function recordedSeconds({ cacheWarmingSeconds }: Ages): number {
  return Math.max(RECORDED_SECONDS_MIN, cacheWarmingSeconds / 2);
}

/**
 * How long after its last recorded read a result is kept warm. A result that is read once in `cachingSeconds` never expires:
 * its last read may not be recorded, the last run is up to `RUN_SECONDS` ago, and may have skipped it as recent.
 */
export function liveSeconds(endpoint: Ages): number {
  const { cachingSeconds, cacheWarmingSeconds } = endpoint;
  return Math.max(
    cachingSeconds,
    recordedSeconds(endpoint) + RUN_SECONDS + cacheWarmingSeconds / 2,
  );
}

/** Notes a read until one of the result is recorded. Changes the list, because a copy for each hit would take too long. */
export function noteReader(
  readers: Reader[],
  keyName: string,
  endpoint: Ages,
  nowMs: number,
): void {
  const noted = readers.find((reader) => reader.keyName === keyName);
  if (noted === undefined) {
    readers.splice(0, readers.length, ...withReader(readers, keyName, endpoint, nowMs));
  } else {
    noted.readAtMs = nowMs;
  }
}

/** The recent readers of both lists, each with its last read. */
export function joinReaders(
  one: readonly Reader[],
  other: readonly Reader[],
  endpoint: Ages,
  nowMs: number,
): Reader[] {
  const oldestFirst = [...one, ...other].sort((a, b) => a.readAtMs - b.readAtMs);
  return recentReaders(oldestFirst, endpoint, nowMs).reduce<Reader[]>(
    (joined, { keyName, readAtMs }) => withReader(joined, keyName, endpoint, readAtMs),
    [],
  );
}

/**
 * The readers including this one, the latest first; by name if there is a place. Only readers that have not
 * read within `liveSeconds` are replaced: an active reader is never removed by others.
 */
export function withReader(
  readers: readonly Reader[],
  keyName: string,
  endpoint: Ages,
  nowMs: number,
): Reader[] {
  const recent = recentReaders(readers, endpoint, nowMs);
  const others = recent.filter((reader) => reader.keyName !== keyName);
  const named = others.filter((reader) => reader.keyName !== OTHERS);
  const name = named.length < READERS_MAX ? keyName : OTHERS;
  const rest = others.filter((reader) => reader.keyName !== name);
  return [{ keyName: name, readAtMs: nowMs }, ...rest];
}

/** The readers that have read within `liveSeconds`. */
export function recentReaders(readers: readonly Reader[], endpoint: Ages, nowMs: number): Reader[] {
  return readers.filter(({ readAtMs }) => nowMs - readAtMs <= liveSeconds(endpoint) * 1000);
}
