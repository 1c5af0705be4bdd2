// Finds the parameters that are the two ends of a time range, `from_day` and `to_day`, or `from` and `to`, and the usual ranges.
import { DAY_MS, offWall, onWall } from '../chart/plan/zoned-time.ts';
import { type Parameter, choicesOf } from './parameter.ts';
import { timestampOf, wallAt } from './wall-clock.ts';

const TIME_TYPES: ReadonlySet<string> = new Set(['DATE', 'DATETIME', 'TIMESTAMP']);

/** Each parameter alone, or both ends where the first of them in time is. */
export function groupRanges(parameters: readonly Parameter[]) {
  const isFreeTime = (one: Parameter): boolean =>
    TIME_TYPES.has(one.type) && choicesOf(one) === undefined;
  const groups = parameters.map((first) => {
    const name = /^from(?:_|$)/.test(first.name) && first.name.replace('from', 'to');
    const last = parameters.find((one) => one.name === name && one.type === first.type);
    return last && [first, last].every(isFreeTime) ? { first, last } : { first };
  });
  const ends = new Set(groups.map(({ last }) => last));
  return groups.filter(({ first }) => !ends.has(first));
}

const [MINUTE_MS, HOUR_MS] = [60_000, 3_600_000];

/**
 * Values of the type, by the clock of the zone. The last day of a DATE is in the range; a DATETIME or TIMESTAMP
 * ends where the next day begins.
 */
export function presetsOf(type: string, nowMs: number, zone: string) {
  const today = onWall(nowMs, zone);
  const [year, month, day] = [today.getUTCFullYear(), today.getUTCMonth(), today.getUTCDate()];
  const textOf = (ms: number): string =>
    type === 'TIMESTAMP' ? timestampOf(ms) : wallAt(ms, zone);
  const dayOf = (wallMs: number): string => {
    if (type === 'DATE') return wallAt(wallMs, 'UTC').slice(0, '2026-11-20'.length);
    return type === 'TIMESTAMP' ? timestampOf(offWall(wallMs, zone)) : wallAt(wallMs, 'UTC');
  };
  const daysFrom = (name: string, first: number, last: number, months = 0) => ({
    name,
    from: dayOf(Date.UTC(year, month + months, first)),
    // The day before the first of a month is the last of the month before.
    to: dayOf(Date.UTC(year, month, last) + (type === 'DATE' ? 0 : DAY_MS)),
  });
  // Whole minutes, so that those who ask in the same minute share the rows.
  const endMs = Math.floor(nowMs / MINUTE_MS) * MINUTE_MS;
  const hours = (name: string, count: number) => ({
    ...{ name, from: textOf(endMs - count * HOUR_MS), to: textOf(endMs) },
  });
  return [
    ...(type === 'DATE' ? [] : [hours('Last hour', 1), hours('Last 24 hours', 24)]),
    daysFrom('Today', day, day),
    daysFrom('Yesterday', day - 1, day - 1),
    daysFrom('Last 7 days', day - 6, day),
    daysFrom('Last 30 days', day - 29, day),
    daysFrom('This month', 1, day),
    daysFrom('Last month', 1, 0, -1),
  ];
}
