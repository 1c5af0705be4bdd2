// Computes the age and the remaining lifetime of a result.
import type { Entry } from '../core/result-store.ts';

/** Nothing is ever served at or past `freshUntilMs`. */
export function isFresh(entry: Pick<Entry, 'freshUntilMs'>, nowMs: number): boolean {
  return nowMs < entry.freshUntilMs;
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
