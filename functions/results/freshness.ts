// Computes the age and the remaining lifetime of a result.
import type { Entry } from '../core/result-store.ts';

/** When the rows were last known to be those of the tables. */
export function checkedAtMs(entry: Pick<Entry, 'computedAtMs' | 'checkedAtMs'>): number {
  return Math.max(entry.computedAtMs, entry.checkedAtMs ?? 0);
}

/** Nothing is ever served at or past `freshUntilMs`. */
export function isFresh(entry: Pick<Entry, 'freshUntilMs'>, nowMs: number): boolean {
  return nowMs < entry.freshUntilMs;
}

/** Whether the lifetime of the entry fits the definition, whose `cachingSeconds` may be shorter by now. */
export function isWithin(
  entry: Pick<Entry, 'computedAtMs' | 'checkedAtMs' | 'freshUntilMs'>,
  cachingSeconds: number,
): boolean {
  return entry.freshUntilMs - checkedAtMs(entry) <= cachingSeconds * 1000;
}

/** The entry, fresh for no longer than the definition allows now. */
export function bounded(entry: Entry, cachingSeconds: number): Entry {
  if (isWithin(entry, cachingSeconds)) return entry;
  return { ...entry, freshUntilMs: checkedAtMs(entry) + cachingSeconds * 1000 };
}

/** Whole seconds since the rows were computed, or known to be unchanged (RFC 9111, 5.1). */
export function ageSeconds(
  entry: Pick<Entry, 'computedAtMs' | 'checkedAtMs'>,
  nowMs: number,
): number {
  return Math.max(0, Math.floor((nowMs - checkedAtMs(entry)) / 1000));
}

/** Whole seconds for which the entry may still be served (RFC 9211, 2.4), even if two clocks differ. */
export function ttlSeconds(
  entry: Pick<Entry, 'computedAtMs' | 'checkedAtMs' | 'freshUntilMs'>,
  nowMs: number,
): number {
  return Math.floor((entry.freshUntilMs - Math.max(nowMs, checkedAtMs(entry))) / 1000);
}
