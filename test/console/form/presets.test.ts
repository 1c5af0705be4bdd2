// The usual time ranges of the console, by the clock of a zone.
import { presetsOf } from '../../../functions/console/form/presets.ts';
import { offsetAt, parseZoned, wallAt } from '../../../functions/console/form/wall-clock.ts';

function texts(type: string, now: string, zone: string): Record<string, string> {
  const presets = presetsOf(type, Date.parse(now), zone);
  return Object.fromEntries(presets.map(({ name, from, to }) => [name, `${from} ${to}`]));
}

it.each([
  ['Asia/Tokyo', '2026-11-24'],
  ['UTC', '2026-11-23'],
  ['America/Los_Angeles', '2026-11-23'],
] as const)('begins a day by the clock: %s', (zone, today) => {
  expect(texts('DATE', '2026-11-23T16:30:40Z', zone).Today).toBe(`${today} ${today}`);
});

it('includes the last day of a DATE', () => {
  expect(texts('DATE', '2024-03-01T12:00:00Z', 'UTC')).toEqual({
    Today: '2024-03-01 2024-03-01',
    Yesterday: '2024-02-29 2024-02-29',
    'Last 7 days': '2024-02-24 2024-03-01',
    'Last 30 days': '2024-02-01 2024-03-01',
    'This month': '2024-03-01 2024-03-01',
    'Last month': '2024-02-01 2024-02-29',
  });
});

it('ends a DATETIME where the next day begins, and hours at a whole minute', () => {
  expect(texts('DATETIME', '2026-01-15T12:34:56Z', 'UTC')).toMatchObject({
    'Last hour': '2026-01-15T11:34:00 2026-01-15T12:34:00',
    'Last 24 hours': '2026-01-14T12:34:00 2026-01-15T12:34:00',
    Yesterday: '2026-01-14T00:00:00 2026-01-15T00:00:00',
    'Last month': '2025-12-01T00:00:00 2026-01-01T00:00:00',
  });
});

it('gives both ends of a TIMESTAMP the offset of their own time', () => {
  // Clocks went back on 1 November 2026, at 06:00 UTC.
  expect(texts('TIMESTAMP', '2026-11-01T06:30:00Z', 'America/New_York')).toMatchObject({
    Today: '2026-11-01T00:00:00-04:00 2026-11-02T00:00:00-05:00',
    'Last hour': '2026-11-01T01:30:00-04:00 2026-11-01T01:30:00-05:00',
  });
  expect(texts('TIMESTAMP', '2026-11-01T06:30:00Z', 'UTC').Today).toBe(
    '2026-11-01T00:00:00Z 2026-11-02T00:00:00Z',
  );
});

it.each([
  ['Africa/Cairo', '2026-04-24T09:00:00Z', 'Today', '2026-04-23T22:00Z 2026-04-24T21:00Z'],
  ['Asia/Beirut', '2026-03-29T09:00:00Z', 'Yesterday', '2026-03-27T22:00Z 2026-03-28T22:00Z'],
  ['Asia/Beirut', '2026-03-29T09:00:00Z', 'Today', '2026-03-28T22:00Z 2026-03-29T21:00Z'],
  ['America/Santiago', '2026-09-06T15:00:00Z', 'Today', '2026-09-06T04:00Z 2026-09-07T03:00Z'],
])('begins a day where clocks change at midnight: %s %s %s', (zone, now, name, expected) => {
  const ends = (texts('TIMESTAMP', now, zone)[name] ?? '').split(' ');
  const instants = ends.map((end) => new Date(end).toISOString().replace(':00.000', ''));
  expect(instants.join(' ')).toBe(expected);
});

it.each([
  ['America/New_York', '2026-07-01T12:00', '-04:00'],
  ['America/New_York', '2026-12-01T12:00', '-05:00'],
  // Times that the clock leaves out.
  ['America/New_York', '2026-03-08T02:30:00', '-05:00'],
  ['Europe/Berlin', '2026-03-29T02:30', '+01:00'],
  ['Africa/Cairo', '2026-04-24T00:00', '+02:00'],
  ['Europe/Berlin', '2026-03-29T03:00', '+02:00'],
  // Times that it shows twice.
  ['America/New_York', '2026-11-01T01:30', '-04:00'],
  ['Europe/Berlin', '2026-10-25T02:30', '+02:00'],
  ['Europe/Berlin', '2026-10-25T03:00', '+01:00'],
  ['Africa/Monrovia', '1950-01-01T12:00', '-00:45'],
  ['Asia/Kathmandu', '2026-07-01T12:00:00', '+05:45'],
  ['UTC', '2026-07-01T12:00:00', 'Z'],
  ['UTC', '', undefined],
])('knows the offset of %s at %s', (timeZone, wall, offset) => {
  expect(offsetAt(wall, timeZone)).toBe(offset);
});

it('shows what the clock of a zone shows', () => {
  const noon = Date.parse('2026-07-01T12:00:00.900Z');
  expect(wallAt(noon, 'Asia/Kathmandu')).toBe('2026-07-01T17:45:00');
  expect(wallAt(noon, 'UTC')).toBe('2026-07-01T12:00:00');
});

it.each([
  ['2026-11-20T10:00:00Z', '2026-11-20T10:00:00 Z'],
  ['2026-11-20 10:00 UTC', '2026-11-20T10:00:00 Z'],
  ['2026-11-20t10:00:00.5+05:45', '2026-11-20T10:00:00.5 +05:45'],
  ['2026-11-20T10:00:00.123456Z', undefined],
  ['2026-11-20T10:00:00', undefined],
  ['2026-11-20', undefined],
  ['soon', undefined],
])('reads a TIMESTAMP: %s', (text, expected) => {
  const zoned = parseZoned(text);
  expect(zoned && `${zoned.wall} ${zoned.offset}`).toBe(expected);
});
