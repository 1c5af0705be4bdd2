// Whose days a range of the form is about.
import { dayZoneOf } from '../../../functions/console/form/day-zone.ts';
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
