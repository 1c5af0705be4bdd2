// Tests of If-None-Match (RFC 9110, 13.1.2).
import { matchesETag } from '../../functions/http/caching-headers.ts';
import { casesBeside } from '../support/cases.ts';

const cases = casesBeside(import.meta.filename);

describe('If-None-Match', () => {
  it.each(cases<[string, null | string, boolean]>('tags'))(
    'equal to %s (%s) matches W/"abc": %s',
    (_name, header, expected) => {
      expect(matchesETag(header ?? undefined, 'W/"abc"')).toBe(expected);
    },
  );

  it('compares weakly in both directions', () => {
    expect(matchesETag('W/"abc"', '"abc"')).toBe(true);
  });
});
