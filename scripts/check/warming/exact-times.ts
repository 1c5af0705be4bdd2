// Computes with times that are, at every clock, the same function of one other time: of the present one, or of that of a row.
import { isDeepStrictEqual } from 'node:util';
import type { ResolvedNode } from '../../local-bigquery/index.ts';

/** floor(`of` + `before`, `unit`) + `after`, in microseconds and in UTC; `before` is less than `unit`, which is 1 for no truncation. */
export interface Time {
  /** What `@since` and `@until` are is described at `Scan`. */
  of: 'row' | 'now' | 'since' | 'until';
  unit: number;
  before: number;
  after: number;
}

/** One of the times from the first to the last one, each once; `list` is their ARRAY. */
export interface Series {
  first: Time;
  last: Time;
  step: number;
  list?: ResolvedNode;
}

/** A condition on the time of a row: that it is `at` or later, or before `at`. */
export interface Bound {
  side: 'from' | 'until';
  at: Time;
  list?: ResolvedNode | undefined;
  /** The condition that it is in. */
  node?: ResolvedNode;
}

export const DAY = 86_400_000_000;

export const timeOf = (of: Time['of']): Time => ({ of, unit: 1, before: 0, after: 0 });

export function shifted(time: Time, micros: number): Time {
  return { ...time, after: time.after + micros };
}

/** Undefined if it is no such function. */
export function truncated(time: Time, unit: number): Time | undefined {
  if (time.unit % unit === 0 && time.after % unit === 0) return time;
  if (unit % time.unit !== 0 || time.after % time.unit !== 0) return undefined;
  const all = time.before + time.after;
  const before = ((all % unit) + unit) % unit;
  return { of: time.of, unit, before, after: all - before };
}

function roundedUp(time: Time, unit: number): Time | undefined {
  const start = truncated(time, unit);
  return isDeepStrictEqual(start, time) ? time : truncated(shifted(time, unit - 1), unit);
}

/** Whether it is known that one time is at no clock later than another one. */
export function isNeverLater(one: Time, other: Time): boolean {
  if (one.of !== other.of) return false;
  if (one.unit === other.unit && one.before <= other.before) return one.after <= other.after;
  return one.before + one.after <= other.before + other.after - (other.unit - 1);
}

/** By how much the compared value is later than the first one that passes, or the first one that does not. */
const COMPARISONS = new Map<string, [side: Bound['side'], later: number]>([
  ['$greater_or_equal', ['from', 0]],
  ['$greater', ['from', 1]],
  ['$less', ['until', 0]],
  ['$less_or_equal', ['until', 1]],
]);
const REVERSED = new Map([
  ['$greater_or_equal', '$less_or_equal'],
  ['$greater', '$less'],
  ['$less', '$greater'],
  ['$less_or_equal', '$greater_or_equal'],
]);

/** What a comparison of two values says of the time of a row; undefined if that is not known. */
export function boundsBy(name: string, left: unknown, right: unknown): Bound[] | undefined {
  if (!isTime(left) || left.of !== 'row') {
    const other = name === '$equal' ? name : REVERSED.get(name);
    return isTime(right) && right.of === 'row' && other ? boundsBy(other, right, left) : undefined;
  }
  if (name === '$equal' && isSeries(right)) {
    const { first, last, step, list } = right;
    if (left.unit !== step || left.before + left.after !== 0) return undefined;
    // Otherwise it has other times than those of buckets, or is longer at some clocks.
    const isOfStep = isDeepStrictEqual(truncated(first, step), first);
    if (!isOfStep || truncated(last, step)?.before !== first.before) return undefined;
    const from = boundsBy('$greater_or_equal', left, first);
    const until = boundsBy('$less_or_equal', left, last);
    return from && until && [...from, ...until].map((bound) => ({ ...bound, list }));
  }
  const found = COMPARISONS.get(name);
  if (!found || !isTime(right) || right.of === 'row') return undefined;
  const [side, later] = found;
  const at = roundedUp(shifted(right, later - left.after), left.unit);
  return at && [{ side, at: shifted(at, -left.before) }];
}

export function isTime(value: unknown): value is Time {
  return typeof value === 'object' && value !== null && 'of' in value;
}

export function isSeries(value: unknown): value is Series {
  return typeof value === 'object' && value !== null && 'first' in value;
}
