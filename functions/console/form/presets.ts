// The usual time ranges that a field of two ends offers.
import { offsetAt, wallAt, zonedAt } from './wall-clock.ts';

interface Preset {
  name: string;
  from: string;
  to: string;
}

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

/** The first and the last day, counted from today. */
const DAYS: readonly (readonly [name: string, first: number, last: number])[] = [
  ['Today', 0, 0],
  ['Yesterday', -1, -1],
  ['Last 7 days', -6, 0],
  ['Last 30 days', -29, 0],
];
const HOURS: readonly (readonly [name: string, hours: number])[] = [
  ['Last hour', 1],
  ['Last 24 hours', 24],
];

/**
 * Values of the type, by the clock of the zone. The last day of a DATE is in the range; a DATETIME or TIMESTAMP
 * ends where the next day begins.
 */
export function presetsOf(type: string, nowMs: number, zone: string): Preset[] {
  const today = wallAt(nowMs, zone).slice(0, '2026-11-20'.length);
  const [year = 0, month = 1, day = 1] = today.split('-').map(Number);
  const dayAt = (months: number, dayOfMonth: number): string =>
    new Date(Date.UTC(year, month - 1 + months, dayOfMonth)).toISOString().slice(0, today.length);
  const days: Preset[] = [
    ...DAYS.map(([name, first, last]) => ({
      name,
      from: dayAt(0, day + first),
      to: dayAt(0, day + last),
    })),
    { name: 'This month', from: dayAt(0, 1), to: today },
    { name: 'Last month', from: dayAt(-1, 1), to: dayAt(0, 0) },
  ];
  if (type === 'DATE') return days;
  // Whole minutes, so that those who ask in the same minute share the rows.
  const endMs = Math.floor(nowMs / MINUTE_MS) * MINUTE_MS;
  const isZoned = type === 'TIMESTAMP';
  const textAt = (ms: number): string => (isZoned ? zonedAt(ms, zone) : wallAt(ms, zone));
  const midnight = (day: string): string => {
    const wall = `${day}T00:00:00`;
    return isZoned ? `${wall}${offsetAt(wall, zone) ?? ''}` : wall;
  };
  return [
    ...HOURS.map(([name, hours]) => ({
      name,
      from: textAt(endMs - hours * HOUR_MS),
      to: textAt(endMs),
    })),
    ...days.map(({ name, from, to }) => ({
      name,
      from: midnight(from),
      to: midnight(nextDay(to)),
    })),
  ];
}

function nextDay(day: string): string {
  return new Date(Date.parse(day) + 24 * HOUR_MS).toISOString().slice(0, day.length);
}
