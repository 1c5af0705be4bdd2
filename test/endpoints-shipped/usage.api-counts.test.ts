// Tests of the endpoint usage.api-counts beside those of its folder: batches of random logs and patterns.
import fc from 'fast-check';
import { re2PatternFault } from '../../functions/endpoints/re2-pattern.ts';
import { DAY, HOUR, MINUTE, expectSameAnswers, instant } from '../support/bigquery/batch-runs.ts';

describe('a batch query', () => {
  it.each([
    ['minutely', HOUR, MINUTE],
    ['hourly', HOUR, HOUR],
    ['1day', DAY, HOUR],
    ['daily', 7 * DAY, DAY],
  ])('over %s has the rows of single queries', (interval, spanMs, stepMs) => {
    const HOSTS = ['proj-a', 'proj-ab', 'proj-b', 'PROJ-A', 'proja', 'a.proj', 'proj|a'];
    const PATHS = [
      '',
      ...'/rest/v1 /storage/v1/rest /auth/v1/token /realtime/v1 /Rest /'.split(' '),
    ];
    const request = fc.record({
      url: fc.oneof(
        { weight: 1, arbitrary: fc.constant(null) },
        {
          weight: 12,
          arbitrary: fc
            .tuple(
              fc.constantFrom(...HOSTS),
              fc.constantFrom(...PATHS),
              fc.constantFrom('', '?a=é'),
            )
            .map(([host, path, search]) => `https://${host}.example.co${path}${search}`),
        },
      ),
      path: fc.constantFrom(...PATHS, null),
    });
    const record = (spanMs: number, stepMs: number): fc.Arbitrary<object> =>
      fc.record({
        id: fc.constant('e'),
        timestamp: instant(spanMs, stepMs),
        metadata: fc.array(fc.record({ request: fc.array(request, { maxLength: 2 }) }), {
          maxLength: 2,
        }),
      });
    /** Where a literal start may go wrong: quantifiers, alternatives, flags, anchors, quoting, classes. */
    const ATOMS = String.raw`proj a b - / : . \. [ab] (?i) (?:ab) (a|b) |`.split(' ');
    const QUANTIFIERS = ['', '', '', '?', '*', '+', '{0}', '{0,2}', '??'];
    const pattern = fc.oneof(
      fc.constantFrom(
        ...String.raw`proj-a proj-b proj-c ^https://proj-a\. proj-a|proj-b (?i)proj-a`.split(' '),
        ...String.raw`proj-[ab] proj-ab? proj-a(?i)B /v1$ \Qproj|a\E ^ proj-a| é$ x{0}`.split(' '),
      ),
      fc
        .tuple(
          fc.constantFrom('', '', '^'),
          fc.array(fc.tuple(fc.constantFrom(...ATOMS), fc.constantFrom(...QUANTIFIERS)), {
            minLength: 1,
            maxLength: 5,
          }),
          fc.constantFrom('', '', '$'),
        )
        .map(([start, atoms, end]) => start + atoms.flat().join('') + end)
        .filter((text) => re2PatternFault(text) === undefined),
    );
    const keys = fc
      .uniqueArray(pattern, { minLength: 1, maxLength: 10 })
      .map((patterns) => patterns.map((project) => ({ project })));
    return expectSameAnswers(
      'usage.api-counts',
      'edge_logs',
      record(spanMs, stepMs),
      interval,
      keys,
    );
  });
});
