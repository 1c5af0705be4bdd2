// How long a bucket is, by the values of a call.
import { bucketOf } from '../../functions/console/form/bucket-of.ts';
import type { Endpoint } from '../../functions/console/service.ts';
import { parameter } from '../support/sql/fake-sql-tree.ts';

const INTERVAL = parameter({ default: 'daily', aliases: { '1hr': 'hourly' }, otherwise: 'daily' });
const ENDPOINT: Pick<Endpoint, 'bucket' | 'parameters'> = {
  parameters: [{ name: 'interval', type: 'STRING', ...INTERVAL }],
  bucket: {
    column: 'at',
    step: { parameter: 'interval', values: { hourly: 'PT1H', daily: 'P1D' } },
    window: { parameter: 'interval', values: { hourly: 'PT60M', daily: 'P7D' } },
    missing: 'zero',
  },
};

const HOURLY = { step: 'PT1H', window: { count: 60, unit: 'minute', ms: 3_600_000 } };
const DAILY = { step: 'P1D', window: { count: 7, unit: 'day', ms: 604_800_000 } };
it.each([
  ['a listed value', { interval: ['hourly'] }, HOURLY],
  ['an alias', { interval: ['1hr'] }, HOURLY],
  ['the default', {}, DAILY],
  ['an empty value', { interval: [''] }, DAILY],
  ['what others are read as', { interval: ['made up'] }, DAILY],
])('is that of %s', (_, given, expected) => {
  expect(bucketOf(ENDPOINT, given)).toEqual({ column: 'at', missing: 'zero', ...expected });
});

it('is not known without a bucket, or for a value without a step', () => {
  expect(bucketOf({ parameters: [] }, {})).toBeUndefined();
  const step = { parameter: 'interval', values: {} };
  const unknown = { ...ENDPOINT, bucket: { column: 'at', step } };
  expect(bucketOf(unknown, { interval: ['x'] })).toBeUndefined();
});

it('is the same for every call if `step` is a duration', () => {
  const bucket = { column: 'at', step: 'P1M' };
  expect(bucketOf({ parameters: [], bucket }, {})).toEqual(bucket);
});
