// Computes the age and the remaining lifetime of a result.
import type { Entry } from '../core/result-store.ts';

type Checked = Pick<Entry, 'computedAtMs' | 'checkedAtMs'>;

/** When the rows were last known to match the tables. */
export function checkedAtMs(entry: Checked): number {
  return Math.max(entry.computedAtMs, entry.checkedAtMs ?? 0);
}

/** When all rows were last computed together; some of them may have been computed since. */
export function fullAtMs({ sources, computedAtMs }: Checked & Pick<Entry, 'sources'>): number {
  return sources?.fullAtMs ?? computedAtMs;
}

/** Nothing is ever served at or past `freshUntilMs`. */
export function isFresh(entry: Pick<Entry, 'freshUntilMs'>, nowMs: number): boolean {
  return nowMs < entry.freshUntilMs;
}

/** The entry, fresh for no longer than the definition allows now; `cachingSeconds` may have become shorter since it was computed. */
export function bounded(entry: Entry, cachingSeconds: number): Entry {
  const untilMs = checkedAtMs(entry) + cachingSeconds * 1000;
  return entry.freshUntilMs <= untilMs ? entry : { ...entry, freshUntilMs: untilMs };
}

/** Whole seconds since the rows were computed, or known to be unchanged (RFC 9111, 5.1). */
export function ageSeconds(entry: Checked, nowMs: number): number {
  return Math.max(0, Math.floor((nowMs - checkedAtMs(entry)) / 1000));
}

/** Whole seconds for which the entry may still be served (RFC 9211, 2.4), even if two clocks differ. */
export function ttlSeconds(entry: Checked & Pick<Entry, 'freshUntilMs'>, nowMs: number): number {
  return Math.floor((entry.freshUntilMs - Math.max(nowMs, checkedAtMs(entry))) / 1000);
}
