// Tests of the headers for HTTP caches (RFC 9110, 9111 and 9211).
import { cacheStatus, matchesETag } from '../../functions/http/caching-headers.ts';

// The other outcomes are in query.test.ts.
describe('Cache-Status', () => {
  it.each<[Parameters<typeof cacheStatus>[0], string]>([
    [
      { outcome: 'expired', isCollapsed: true, stored: true },
      'saved-queries; fwd=stale; collapsed',
    ],
    [
      { outcome: 'miss', isCollapsed: true, stored: false, detail: 'store-failed' },
      'saved-queries; fwd=uri-miss; collapsed; detail=store-failed',
    ],
  ])('for %j', (outcome, expected) => {
    expect(cacheStatus(outcome, 890)).toBe(expected);
  });
});

describe('If-None-Match', () => {
  it.each([
    ['nothing', undefined, false],
    ['the empty string', '', false],
    ['the tag', 'W/"abc"', true],
    ['the tag as a strong one', '"abc"', true],
    ['any tag', '*', true],
    ['any tag, with blanks', ' * ', true],
    ['a list with the tag at its end', '"x", W/"y", W/"abc"', true],
    ['a list without blanks', '"x",W/"abc","y"', true],
    ['a list without it', '"x", "y"', false],
    ['another tag', 'W/"abd"', false],
    ['the beginning of the tag', '"ab"', false],
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
