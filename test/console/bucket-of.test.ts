// How long a bucket is, by the values of a call.
import { bucketOf } from '../../functions/console/result/bucket-of.ts';
import type { Endpoint } from '../../functions/console/service.ts';
import { parameter } from '../support/sql/fake-sql-tree.ts';

const ENDPOINT: Pick<Endpoint, 'bucket' | 'parameters'> = {
  parameters: [
    {
      name: 'interval',
      type: 'STRING',
      ...parameter({
        enum: ['hourly', 'daily'],
        default: 'daily',
        aliases: { '1hr': 'hourly' },
        otherwise: 'daily',
      }),
    },
  ],
  bucket: {
    column: 'at',
    step: { parameter: 'interval', values: { hourly: 'PT1H', daily: 'P1D' } },
    window: { parameter: 'interval', values: { hourly: 'PT60M', daily: 'P7D' } },
    missing: 'zero',
  },
};

it.each([
  ['a listed value', { interval: ['hourly'] }, 'PT1H'],
  ['an alias', { interval: ['1hr'] }, 'PT1H'],
  ['the default', {}, 'P1D'],
  ['an empty value', { interval: [''] }, 'P1D'],
  ['what others are read as', { interval: ['made up'] }, 'P1D'],
])('is that of %s', (_, given, step) => {
  expect(bucketOf(ENDPOINT, given)).toEqual({
    column: 'at',
    step,
    missing: 'zero',
    window:
      step === 'PT1H'
        ? { count: 60, unit: 'minute', ms: 3_600_000 }
        : { count: 7, unit: 'day', ms: 604_800_000 },
  });
});

it('is not known without a bucket, or for a value without a step', () => {
  expect(bucketOf({ parameters: [] }, {})).toBeUndefined();
  const step = { parameter: 'interval', values: {} };
  const unknown = { ...ENDPOINT, bucket: { column: 'at', step } };
  expect(bucketOf(unknown, { interval: ['x'] })).toBeUndefined();
});

it('is the same for every call if `step` is a duration', () => {
  const bucket = { column: 'at', step: 'P1M' };
  expect(bucketOf({ parameters: [], bucket }, {})).toEqual({
    ...bucket,
    missing: undefined,
    window: undefined,
  });
});
