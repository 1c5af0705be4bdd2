// Tests of If-None-Match (RFC 9110, 13.1.2).
import { matchesETag } from '../../functions/http/caching-headers.ts';

describe('If-None-Match', () => {
  it.each([
    ['nothing', undefined, false],
    ['the tag', 'W/"abc"', true],
    ['the tag as a strong one', '"abc"', true],
    ['any tag', '*', true],
    ['any tag, with blanks', ' * ', true],
    ['a list with the tag at its end', '"x", W/"y", W/"abc"', true],
    ['another tag', 'W/"abd"', false],
    ['the tag in other letters', '"ABC"', false],
    ['the tag without its quotes', 'abc', false],
    ['a lower-case w, which is not a weak tag', 'w/"abc"', false],
    ['a star in a list, which is not a tag', '"x", *', false],
  ])('equal to %s (%s) matches W/"abc": %s', (_name, header, expected) => {
    expect(matchesETag(header, 'W/"abc"')).toBe(expected);
  });

  it('compares weakly in both directions', () => {
    expect(matchesETag('W/"abc"', '"abc"')).toBe(true);
  });
});
