// Tests of the labels of jobs: BigQuery takes them, and different names stay different.
import fc from 'fast-check';
import { labelValue } from '../../functions/bigquery/query-configuration.ts';

describe('the value of a label', () => {
  it.each([
    ['usage.api-counts', 'usage__api-counts'],
    ['shop.top_customers', 'shop__top_customers'],
    ['dashboard', 'dashboard'],
    ['Dashboard', 'dashboard_67b696468610'],
    ['', '_e3b0c44298fc'],
    ['x'.repeat(63), 'x'.repeat(63)],
  ])('of %j is %j', (name, expected) => {
    expect(labelValue(name)).toBe(expected);
  });

  it('is valid and of one name alone, for 10,000 names of any kind', () => {
    // https://cloud.google.com/bigquery/docs/labels-intro#requirements, ASCII alone.
    const VALID = /^[a-z0-9_-]{1,63}$/;
    const near = fc.string({
      unit: fc.constantFrom('a', 'A', 'b', '.', '_', '-', 'é'),
      maxLength: 5,
    });
    const long = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 60, maxLength: 70 });
    const name = fc.oneof(
      near,
      long,
      fc.string({ unit: 'binary' }),
      fc.string({ unit: 'grapheme' }),
    );
    const names = new Set(fc.sample(name, 10_000));
    // What a changed name becomes may be a name too.
    for (const one of [...names].slice(0, 1000)) names.add(labelValue(one));
    const values = [...names].map(labelValue);
    expect(values.filter((value) => !VALID.test(value))).toEqual([]);
    expect(new Set(values).size).toBe(names.size);
  });
});
