// Tests of the rows of a result against the bucket of the definition: by step, calendar and time zone.
import { createParameterRule } from '../../../functions/endpoints/parameter-rule.ts';
import { bucketFault } from '../../../scripts/check/cases/bucket-fault.ts';
import { parameter } from '../../support/sql/fake-sql-tree.ts';

function faultOf(step: string, texts: readonly (string | null)[]): string | undefined {
  const rows = texts.map((at) => ({ at, total: 1 }));
  return bucketFault({ bucket: { column: 'at', step }, rules: new Map() }, {}, rows);
}

it.each<[step: string, what: string, texts: (string | null)[]]>([
  ['PT1S', 'seconds', ['2026-11-20T10:00:01Z', '2026-11-20T10:00:03Z']],
  ['PT5M', 'minutes', ['2026-11-20T10:05:00Z', '2026-11-20T10:55:00Z']],
  ['PT1H', 'hours with a gap', ['2026-11-19T23:00:00Z', '2026-11-20T10:00:00Z']],
  ['PT1H', 'hours of a DATETIME', ['2026-11-20T09:00:00', '2026-11-20T10:00:00']],
  ['PT1H', 'hours of Kolkata', ['2026-11-20T09:30:00Z', '2026-11-20T10:30:00Z']],
  ['PT6H', 'hours', ['2026-11-20T06:00:00Z', '2026-11-20T18:00:00Z']],
  ['P1D', 'days of a DATE, and none', ['2026-02-28', null, '2026-03-01']],
  ['P1D', 'days before 1970', ['1969-12-31', '0001-01-01', '9999-12-31']],
  ['P1D', 'days of Tokyo', ['2026-11-18T15:00:00Z', '2026-11-19T15:00:00Z']],
  ['P1D', 'days of Auckland, in summer', ['2026-01-01T11:00:00Z', '2026-01-02T11:00:00Z']],
  ['P1D', 'days of Berlin, from summer on', ['2026-10-24T22:00:00Z', '2026-10-25T23:00:00Z']],
  [
    'P1D',
    'days of New York, from winter on',
    ['2026-03-07T05:00:00Z', '2026-03-08T05:00:00Z', '2026-03-09T04:00:00Z'],
  ],
  ['P1W', 'weeks from Monday on', ['2026-11-16', '2026-11-30']],
  ['P1W', 'weeks from Sunday on', ['2026-11-15', '2026-11-22']],
  ['P1M', 'months', ['2026-01-01', '2026-02-01', '2026-12-01', '2027-01-01']],
  ['P1M', 'months of Tokyo', ['2026-01-31T15:00:00Z', '2026-02-28T15:00:00Z']],
  ['P1M', 'months of New York', ['2026-02-01T05:00:00Z', '2026-07-01T04:00:00Z']],
  ['P3M', 'quarters', ['2026-01-01', '2026-10-01', '2027-04-01']],
  ['P3M', 'quarters of a financial year', ['2026-02-01', '2026-05-01']],
  ['P1Y', 'years', ['2024-01-01', '2026-01-01']],
  [
    'P3M',
    'quarters of Lord Howe, by half an hour',
    ['2026-03-31T13:00:00Z', '2026-06-30T13:30:00Z'],
  ],
  ['PT1H', 'hours of Lord Howe', ['2026-04-04T14:00:00Z', '2026-04-04T15:30:00Z']],
  ['P1D', 'days of Troll, by two hours', ['2026-03-28T00:00:00Z', '2026-03-29T22:00:00Z']],
  [
    'P1D',
    'a day of Cairo without midnight',
    ['2026-04-22T22:00:00Z', '2026-04-23T22:00:00Z', '2026-04-24T21:00:00Z'],
  ],
  ['P1M', 'months of an offset', ['2026-01-31T15:15:00Z', '2026-02-28T15:15:00Z']],
  ['P1D', 'no rows', []],
])('accepts for %s: %s', (step, _, texts) => {
  expect(faultOf(step, texts)).toBeUndefined();
});

it.each<[step: string, ...texts: string[]]>([
  ['PT1S', '2026-11-20T10:00:00.5Z'],
  ['PT1M', '2026-11-20T10:00:00Z', '2026-11-20T10:01:01Z'],
  ['PT1H', '2026-11-20T10:01:00'],
  ['P1D', '2026-11-20T00:07:00Z'],
  ['P1M', '2026-11-01', '2026-11-02'],
])('reports for %s a row that begins no bucket, after %s', (step, ...texts) => {
  expect(faultOf(step, texts)).toBe(
    `row ${texts.length}, at: ${texts.at(-1)} is not the start of a bucket of ${step}`,
  );
});

it.each([
  ['PT1H', '2026-11-20T10:00:00Z', '2026-11-20T11:30:00Z'],
  ['PT6H', '2026-11-20T06:00:00Z', '2026-11-20T10:00:00Z'],
  ['P1D', '2026-11-20T00:00:00Z', '2026-11-20T06:00:00Z'],
  ['P1D', '2026-11-20T09:00:00Z', '2026-11-20T10:00:00Z'],
  ['P1D', '2026-11-20T05:00:00Z', '2026-11-21T04:00:00Z'],
  ['P3M', '2026-03-31T13:30:00Z', '2026-06-30T13:00:00Z'],
  ['P1W', '2026-11-16', '2026-11-24'],
  ['P3M', '2026-01-01', '2026-05-01'],
  ['P1Y', '2026-01-01', '2026-07-01'],
])('reports for %s a row that is no multiple away from %s: %s', (step, first, second) => {
  expect(faultOf(step, [first, second])).toBe(
    `row 2, at: ${second} is not a multiple of ${step} away from ${first} (row 1)`,
  );
});

it("uses the step of the parameter's value, in any spelling in the definition", () => {
  const minutes = parameter({ type: 'INT64', enum: ['01', '60'], example: '60', required: true });
  const step = { parameter: 'minutes', values: { '01': 'PT1M', '60': 'PT1H' } };
  const endpoint = {
    bucket: { column: 'at', step },
    rules: new Map([['minutes', createParameterRule(minutes, undefined)]]),
  };
  const rows = [{ at: '2026-11-20T10:01:00Z' }];
  expect(bucketFault(endpoint, { minutes: '1' }, rows)).toBeUndefined();
  expect(bucketFault(endpoint, { minutes: '60' }, rows)).toBe(
    'row 1, at: 2026-11-20T10:01:00Z is not the start of a bucket of PT1H',
  );
});
