// Whose days a range of the form is about, and what it says where the page shows another zone.
import { dayZoneOf, describeZone } from '../../../functions/console/form/day-zone.ts';
import type { Endpoint } from '../../../functions/console/service.ts';
import { parameter } from '../../support/sql/fake-sql-tree.ts';

const STEPS = { parameter: 'interval', values: { daily: 'P1D', hourly: 'PT1H' } };
const INTERVAL = { name: 'interval', type: 'STRING' as const, ...parameter({ default: 'daily' }) };
const ZONE = { name: 'tz', type: 'STRING' as const, ...parameter({ default: 'Europe/Berlin' }) };

function endpoint(
  parameters: Endpoint['parameters'],
  step?: string | typeof STEPS,
  zones: { zone?: string; timeZone?: string } = {},
): Endpoint {
  const { zone, timeZone } = zones;
  const bucket = step === undefined ? {} : { bucket: { column: 'at', step, zone } };
  return { parameters, ...bucket, timeZone } as Endpoint;
}

it.each([
  ['DATE', endpoint([]), {}, 'UTC'],
  ['DATETIME', endpoint([], 'PT1H'), {}, 'UTC'],
  ['TIMESTAMP', endpoint([], 'P1W'), {}, 'UTC'],
  // Instants belong to no day.
  ['TIMESTAMP', endpoint([]), {}, undefined],
  ['TIMESTAMP', endpoint([], 'PT1H'), {}, undefined],
  ['TIMESTAMP', endpoint([INTERVAL], STEPS), {}, 'UTC'],
  ['TIMESTAMP', endpoint([INTERVAL], STEPS), { interval: ['hourly'] }, undefined],
  // The query takes the zone as a parameter.
  ['DATE', endpoint([ZONE]), {}, 'Europe/Berlin'],
  ['TIMESTAMP', endpoint([ZONE]), { tz: ['Asia/Tokyo'] }, 'Asia/Tokyo'],
  ['DATE', endpoint([ZONE]), { tz: [''] }, 'Europe/Berlin'],
  ['DATE', endpoint([ZONE]), { tz: ['Nowhere'] }, 'UTC'],
  ['DATE', endpoint([{ ...ZONE, name: 'constructor' }]), {}, 'UTC'],
  // The query names the zone, or the definition does.
  ['DATE', endpoint([], undefined, { timeZone: 'America/Toronto' }), {}, 'America/Toronto'],
  ['TIMESTAMP', endpoint([], 'PT1H', { timeZone: 'America/Toronto' }), {}, 'America/Toronto'],
  ['DATE', endpoint([ZONE], 'P1D', { timeZone: 'America/Toronto' }), {}, 'Europe/Berlin'],
  ['DATE', endpoint([ZONE], 'P1D', { zone: 'Asia/Tokyo', timeZone: 'UTC' }), {}, 'Asia/Tokyo'],
  ['DATE', endpoint([{ ...ZONE, name: 'office' }]), {}, 'UTC'],
])('a %s is of the zone: %#', (type, described, given, expected) => {
  expect(dayZoneOf(type, described, given)).toBe(expected);
});

it.each([
  ['UTC', 'America/New_York', '19:00 in New York'],
  ['UTC', 'Asia/Kathmandu', '05:45 in Kathmandu'],
  ['Europe/Berlin', 'UTC', '23:00 in UTC'],
])('days of %s are told from times of %s', (zone, shown, expected) => {
  const place = zone === 'UTC' ? 'UTC' : 'Berlin';
  expect(describeZone(zone, shown, Date.parse('2026-11-20T12:00:00Z'))).toBe(
    `A day begins at 00:00 in ${place}, which is ${expected}.`,
  );
});

it('begins a day whose midnight the clock leaves out at its first instant', () => {
  expect(describeZone('Africa/Cairo', 'UTC', Date.parse('2026-04-24T09:00:00Z'))).toBe(
    'A day begins at 00:00 in Cairo, which is 22:00 in UTC.',
  );
});

it('says nothing where both clocks show the same', () => {
  const winterMs = Date.parse('2026-12-20T12:00:00Z');
  expect(describeZone('UTC', 'Europe/London', winterMs)).toBe('');
  expect(describeZone('Asia/Tokyo', 'Asia/Tokyo', winterMs)).toBe('');
});
