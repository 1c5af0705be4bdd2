// What the form knows of parameters: which are one range, its usual ranges, zones and buckets, and lists as text.
import fc from 'fast-check';
import { bucketOf, dayZoneOf } from '../../functions/console/form/bucket-of.ts';
import type { Parameter } from '../../functions/console/form/parameter.ts';
import { groupRanges, presetsOf } from '../../functions/console/form/ranges.ts';
import { joinValues, splitValues } from '../../functions/console/form/text-list.ts';
import { fromWall, toWall } from '../../functions/console/form/wall-clock.ts';
import type { Endpoint } from '../../functions/console/service.ts';
import { casesBeside, expectLast } from '../support/cases.ts';
import { parameter } from '../support/sql/fake-sql-tree.ts';

const cases = casesBeside(import.meta.filename);

it.each(cases('ranges'))(
  'groups %s',
  expectLast((list: string) => {
    // Such as `from_day:DATE to_day:DATE`.
    const parameters = list.split(' ').map((each) => {
      const [name = '', type = 'DATE', choice] = each.split(':');
      const definition = parameter(choice === undefined ? {} : { enum: [choice] });
      return { name, ...definition, type: type as Parameter['type'] };
    });
    return groupRanges(parameters).map(({ first, last }) =>
      last === undefined ? first.name : `${first.name} ${last.name}`,
    );
  }),
);

it.each(cases('presets'))(
  'begins and ends by the clock a %s',
  expectLast((type: string, now: string, zone: string, name: string) => {
    const presets = presetsOf(type, Date.parse(now), zone);
    const { from, to } = presets.find((one) => one.name === name) ?? {};
    return `${from} ${to}`;
  }),
);
it.each(cases('from walls'))(
  'knows the time on a clock in %s',
  expectLast((zone: string, wall: string) => fromWall(wall, zone)),
);
it.each(cases('to walls'))(
  'shows the TIMESTAMP %s',
  expectLast((text: string) => toWall(text, 'Europe/Berlin')),
);
it.each(cases('lists'))(
  'splits text of %s',
  expectLast((scalar: string, text: string) => splitValues(text, scalar)),
);

const CHOSEN = {
  ...{ name: 'interval', type: 'STRING' as const },
  ...parameter({ default: 'daily', aliases: { '1hr': 'hourly' }, otherwise: 'daily' }),
};
const DAILY_OR_HOURLY = { parameter: 'interval', values: { hourly: 'PT1H', daily: 'P1D' } };

it.each(cases('zones of days'))(
  'knows the zone of the days of a %s',
  expectLast(
    (
      type: string,
      // The name of the parameter that has a zone, and the step of a bucket: `interval` where a parameter chooses it.
      { tz, step, zone, timeZone }: Partial<Record<'tz' | 'step' | 'zone' | 'timeZone', string>>,
      given: string,
    ) => {
      const zoned = { type: 'STRING' as const, ...parameter({ default: 'Europe/Berlin' }) };
      const length = step === 'interval' ? DAILY_OR_HOURLY : step;
      const endpoint = {
        parameters: [CHOSEN, ...(tz === undefined ? [] : [{ ...zoned, name: tz }])],
        ...(length === undefined ? {} : { bucket: { column: 'at', step: length, zone } }),
        timeZone,
      } as Endpoint;
      return dayZoneOf(type, endpoint, new URLSearchParams(given));
    },
  ),
);

it.each(cases<[string, string, number]>('buckets'))(
  'a bucket is as long as the values say: %j',
  (given, step, hours) => {
    const window = { parameter: 'interval', values: { hourly: 'PT60M', daily: 'P7D' } };
    const bucket = { column: 'at', step: DAILY_OR_HOURLY, window, missing: 'zero' as const };
    const found = bucketOf({ parameters: [CHOSEN], bucket }, new URLSearchParams(given));
    expect(found).toMatchObject({ column: 'at', missing: 'zero', step });
    expect(found?.window?.ms).toBe(hours * 3_600_000);
  },
);

it('a bucket is not known without one, or for a value without a step', () => {
  const none = new URLSearchParams();
  expect(bucketOf({ parameters: [] }, none)).toBeUndefined();
  const bucket = { column: 'at', step: { parameter: 'interval', values: {} } };
  expect(bucketOf({ parameters: [CHOSEN], bucket }, none)).toBeUndefined();
  const fixed = { column: 'at', step: 'P1M' };
  expect(bucketOf({ parameters: [], bucket: fixed }, none)).toEqual(fixed);
});

it.each(['STRING', 'INT64'])('shows any values of %s so that they stay what they are', (scalar) => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' })), (values) => {
      const expected = values.filter((value) => value !== '');
      expect(splitValues(joinValues(values, scalar), scalar)).toEqual(expected);
    }),
  );
});
