// What the form knows of parameters: which are one range, its usual ranges, zones and buckets, and lists as text.
import fc from 'fast-check';
import { bucketOf, dayZoneOf } from '../../functions/console/form/bucket-of.ts';
import { groupRanges } from '../../functions/console/form/group-ranges.ts';
import { presetsOf } from '../../functions/console/form/presets.ts';
import { joinValues, splitValues } from '../../functions/console/form/split-values.ts';
import { wallAt, wallOf, withOffset } from '../../functions/console/form/wall-clock.ts';
import type { Endpoint, Parameter, Parameters } from '../../functions/console/service.ts';
import { casesBeside } from '../support/cases.ts';
import { parameter } from '../support/sql/fake-sql-tree.ts';

const cases = casesBeside(import.meta.filename);

/** Such as `from_day:DATE to_day:DATE`. */
function parametersOf(list: string): Parameter[] {
  return list.split(' ').map((each) => {
    const [name = '', type = 'DATE', choice] = each.split(':');
    const definition = parameter(choice === undefined ? {} : { enum: [choice] });
    return { name, ...definition, type: type as Parameter['type'] };
  });
}

it.each(cases<[string, string[]]>('ranges'))('groups %s', (list, expected) => {
  const groups = groupRanges(parametersOf(list));
  expect(groups.map((group) => group.map(({ name }) => name).join(' '))).toEqual(expected);
});

it.each(cases<[string, string, string, string, string]>('presets'))(
  'begins and ends a %s by the clock, at %s in %s: %s',
  (type, now, zone, name, expected) => {
    const presets = presetsOf(type, Date.parse(now), zone);
    const { from, to } = presets.find((one) => one.name === name) ?? {};
    expect(`${from} ${to}`).toBe(expected);
  },
);

it.each(cases<[string, string, string]>('offsets'))(
  'knows the offset of %s at %s',
  (timeZone, wall, expected) => {
    expect(withOffset(wall, timeZone)).toBe(expected);
  },
);

it.each(cases<[string, string]>('walls'))('shows what the clock of %s shows', (zone, expected) => {
  expect(wallAt(Date.parse('2026-07-01T12:00:00.900Z'), zone)).toBe(expected);
});

it.each(cases<[string, string | null]>('zoned'))('reads a TIMESTAMP: %s', (text, expected) => {
  expect(wallOf(text, 'Europe/Berlin') ?? null).toBe(expected);
});

const ZONED = { name: 'tz', type: 'STRING' as const, ...parameter({ default: 'Europe/Berlin' }) };
const INTERVAL = parameter({ default: 'daily', aliases: { '1hr': 'hourly' }, otherwise: 'daily' });
const CHOSEN = { name: 'interval', type: 'STRING' as const, ...INTERVAL };
const DAILY_OR_HOURLY = { parameter: 'interval', values: { hourly: 'PT1H', daily: 'P1D' } };

interface Described {
  /** The name of the parameter that has a zone. */
  tz?: string;
  /** Of a bucket; `interval` where a parameter chooses it. */
  step?: string;
  zone?: string;
  timeZone?: string;
}

it.each(cases<[string, Described, Parameters, string | null]>('zones of days'))(
  'the days of a %s are of the zone: %j %j',
  (type, { tz, step, zone, timeZone }, given, expected) => {
    const length = step === 'interval' ? DAILY_OR_HOURLY : step;
    const endpoint = {
      parameters: [CHOSEN, ...(tz === undefined ? [] : [{ ...ZONED, name: tz }])],
      ...(length === undefined ? {} : { bucket: { column: 'at', step: length, zone } }),
      timeZone,
    } as Endpoint;
    expect(dayZoneOf(type, endpoint, given) ?? null).toBe(expected);
  },
);

it.each(cases<[Parameters, string, number]>('buckets'))(
  'a bucket is as long as the values say: %j',
  (given, step, hours) => {
    const window = { parameter: 'interval', values: { hourly: 'PT60M', daily: 'P7D' } };
    const bucket = { column: 'at', step: DAILY_OR_HOURLY, window, missing: 'zero' as const };
    const found = bucketOf({ parameters: [CHOSEN], bucket }, given);
    expect(found).toMatchObject({ column: 'at', missing: 'zero', step });
    expect(found?.window?.ms).toBe(hours * 3_600_000);
  },
);

it('a bucket is not known without one, or for a value without a step', () => {
  expect(bucketOf({ parameters: [] }, {})).toBeUndefined();
  const bucket = { column: 'at', step: { parameter: 'interval', values: {} } };
  expect(bucketOf({ parameters: [CHOSEN], bucket }, { interval: ['x'] })).toBeUndefined();
  const fixed = { column: 'at', step: 'P1M' };
  expect(bucketOf({ parameters: [], bucket: fixed }, {})).toEqual(fixed);
});

it.each(cases<[string, string, string[]]>('lists'))(
  'splits text of %s: %j',
  (scalar, text, expected) => {
    expect(splitValues(text, scalar)).toEqual(expected);
  },
);

it.each(['STRING', 'INT64'])('shows any values of %s so that they stay what they are', (scalar) => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' })), (values) => {
      const expected = values.length === 1 && values[0] === '' ? [] : values;
      expect(splitValues(joinValues(values, scalar), scalar)).toEqual(expected);
    }),
  );
});
