// Tests of the headers for HTTP caches (RFC 9110, 9111 and 9211).
import { cacheStatus, matchesETag } from '../../functions/http/caching-headers.ts';

describe('Cache-Status', () => {
  const cases: [string, Parameters<typeof cacheStatus>, string][] = [
    ['a hit', [{ outcome: 'hit', stored: true }, 612], 'saved-queries; hit; ttl=612'],
    [
      'a hit in memory',
      [{ outcome: 'memory_hit', stored: true }, 612],
      'saved-queries; hit; ttl=612; detail=memory',
    ],
    [
      'a miss',
      [{ outcome: 'miss', stored: true }, 900],
      'saved-queries; fwd=uri-miss; stored; ttl=900',
    ],
    [
      'an expired entry',
      [{ outcome: 'expired', stored: true }, 899],
      'saved-queries; fwd=stale; stored; ttl=899',
    ],
    [
      'a run shared with others',
      [{ outcome: 'miss', isCollapsed: true, stored: true }, 890],
      'saved-queries; fwd=uri-miss; collapsed',
    ],
    [
      'a shared run for an expired entry',
      [{ outcome: 'expired', isCollapsed: true, stored: true }, 890],
      'saved-queries; fwd=stale; collapsed',
    ],
    [
      'a result too large',
      [{ outcome: 'miss', stored: false, detail: 'too-large' }, 900],
      'saved-queries; fwd=uri-miss; detail=too-large',
    ],
    [
      'a store that cannot be written',
      [{ outcome: 'miss', stored: false, detail: 'store-failed' }, 900],
      'saved-queries; fwd=uri-miss; detail=store-failed',
    ],
    [
      'a store that can be written and not read',
      [{ outcome: 'miss', stored: true, detail: 'store-unreadable' }, 900],
      'saved-queries; fwd=uri-miss; stored; ttl=900; detail=store-unreadable',
    ],
    [
      'a shared run that could not be stored',
      [{ outcome: 'miss', isCollapsed: true, stored: false, detail: 'store-failed' }, 900],
      'saved-queries; fwd=uri-miss; collapsed; detail=store-failed',
    ],
  ];

  it.each(cases)('of %s', (_name, args, expected) => {
    expect(cacheStatus(...args)).toBe(expected);
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
  ])('with %s (%s) matches W/"abc": %s', (_name, header, expected) => {
    expect(matchesETag(header, 'W/"abc"')).toBe(expected);
  });

  it('compares weakly in both directions', () => {
    expect(matchesETag('W/"abc"', '"abc"')).toBe(true);
  });
});
