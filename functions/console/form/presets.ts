// The usual time ranges that a field of two ends offers.
import { DAY_MS, onWall } from '../chart/plan/zoned-time.ts';
import { wallAt, withOffset, zonedAt } from './wall-clock.ts';

interface Preset {
  name: string;
  from: string;
  to: string;
}

const [MINUTE_MS, HOUR_MS] = [60_000, 3_600_000];

/**
 * Values of the type, by the clock of the zone. The last day of a DATE is in the range; a DATETIME or TIMESTAMP
 * ends where the next day begins.
 */
export function presetsOf(type: string, nowMs: number, zone: string): Preset[] {
  const today = onWall(nowMs, zone);
  const [year, month, day] = [today.getUTCFullYear(), today.getUTCMonth(), today.getUTCDate()];
  const daysFrom = (name: string, first: number, last: number, months = 0) => ({
    name,
    fromMs: Date.UTC(year, month + months, first),
    // The day before the first of a month is the last of the month before.
    toMs: Date.UTC(year, month, last),
  });
  const days = [
    daysFrom('Today', day, day),
    daysFrom('Yesterday', day - 1, day - 1),
    daysFrom('Last 7 days', day - 6, day),
    daysFrom('Last 30 days', day - 29, day),
    daysFrom('This month', 1, day),
    daysFrom('Last month', 1, 0, -1),
  ];
  const dayAt = (ms: number): string => wallAt(ms, 'UTC').slice(0, '2026-11-20'.length);
  if (type === 'DATE')
    return days.map(({ name, fromMs, toMs }) => ({ name, from: dayAt(fromMs), to: dayAt(toMs) }));
  const isZoned = type === 'TIMESTAMP';
  const midnight = (ms: number): string => {
    const wall = `${dayAt(ms)}T00:00:00`;
    return isZoned ? withOffset(wall, zone) : wall;
  };
  // Whole minutes, so that those who ask in the same minute share the rows.
  const endMs = Math.floor(nowMs / MINUTE_MS) * MINUTE_MS;
  const textAt = (ms: number): string => (isZoned ? zonedAt : wallAt)(ms, zone);
  const hours = (name: string, count: number): Preset => ({
    ...{ name, from: textAt(endMs - count * HOUR_MS), to: textAt(endMs) },
  });
  return [
    hours('Last hour', 1),
    hours('Last 24 hours', 24),
    ...days.map(({ name, fromMs, toMs }) => ({
      ...{ name, from: midnight(fromMs), to: midnight(toMs + DAY_MS) },
    })),
  ];
}
