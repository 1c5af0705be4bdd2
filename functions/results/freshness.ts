// Computes the age and the remaining lifetime of a result.
import type { Entry } from '../core/result-store.ts';

/** Nothing is ever served at or past `freshUntilMs`. */
export function isFresh(entry: Pick<Entry, 'freshUntilMs'>, nowMs: number): boolean {
  return nowMs < entry.freshUntilMs;
}

/** Whether the definition allows the entry its time; `cachingSeconds` may have become shorter since it was computed. */
export function isWithin(
  { computedAtMs, freshUntilMs }: Pick<Entry, 'computedAtMs' | 'freshUntilMs'>,
  cachingSeconds: number,
): boolean {
  return freshUntilMs - computedAtMs <= cachingSeconds * 1000;
}

/** The entry, fresh for no longer than the definition allows now. */
export function bounded(entry: Entry, cachingSeconds: number): Entry {
  if (isWithin(entry, cachingSeconds)) return entry;
  return { ...entry, freshUntilMs: entry.computedAtMs + cachingSeconds * 1000 };
}

/** Whole seconds since the rows were computed (RFC 9111, 5.1). */
export function ageSeconds(entry: Pick<Entry, 'computedAtMs'>, nowMs: number): number {
  return Math.max(0, Math.floor((nowMs - entry.computedAtMs) / 1000));
}

/** Whole seconds for which the entry may still be served (RFC 9211, 2.4), whatever two clocks differ by. */
export function ttlSeconds(
  { computedAtMs, freshUntilMs }: Pick<Entry, 'computedAtMs' | 'freshUntilMs'>,
  nowMs: number,
): number {
  return Math.floor((freshUntilMs - Math.max(nowMs, computedAtMs)) / 1000);
}
