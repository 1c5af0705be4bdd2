// Tests of If-None-Match (RFC 9110, 13.1.2).
import { matchesETag } from '../../functions/http/caching-headers.ts';
import { casesBeside } from '../support/cases.ts';

const cases = casesBeside(import.meta.filename);

it.each(cases<[string, null | string, boolean]>('tags'))(
  'If-None-Match equal to %s (%s) matches W/"abc": %s',
  (_name, header, expected) => {
    expect(matchesETag(header ?? undefined, 'W/"abc"')).toBe(expected);
  },
);

it('If-None-Match compares weakly in both directions', () => {
  expect(matchesETag('W/"abc"', '"abc"')).toBe(true);
});
