// Tests of the endpoint usage.api-counts beside those of its folder: the edges of windows and buckets, and batches of random logs.
import fc from 'fast-check';
import { re2PatternFault } from '../../functions/endpoints/re2-pattern.ts';
import {
  DAY,
  HOUR,
  type Log,
  MINUTE,
  NOW,
  answersOf,
  expectSameAnswers,
  instant,
  withLogs,
} from '../support/bigquery/batch-runs.ts';

const NAME = 'usage.api-counts';

/** A row of edge_logs; `timestamp` as `Date.prototype.toISOString` writes it. */
interface EdgeLog {
  timestamp: string;
  metadata: { request: { url: string | null; path: string | null }[] }[];
}

/** Each interval with its window, its bucket, and the characters of an ISO time that name the bucket. */
const INTERVALS: [interval: string, spanMs: number, stepMs: number, named: string][] = [
  ['minutely', HOUR, MINUTE, '2026-11-20T10:07'],
  ['hourly', HOUR, HOUR, '2026-11-20T10'],
  ['1day', DAY, HOUR, '2026-11-20T10'],
  ['daily', 7 * DAY, DAY, '2026-11-20'],
];
const MIDNIGHT = '0000-00-00T00:00:00';

describe.each([
  ['within a minute', NOW],
  ['at the first instant of a minute', '2026-11-20T10:07:00.000Z'],
  ['at the first instant of an hour', '2026-11-20T10:00:00.000Z'],
  ['at the last instant of a day', '2026-11-20T23:59:59.999Z'],
  ['at the first instant of a year', '2027-01-01T00:00:00.000Z'],
  ['just after a leap day', '2028-03-01T00:00:00.001Z'],
])('%s', (_, now) => {
  const nowMs = Date.parse(now);
  const PATHS = ['/rest/v1', '/storage/v1/rest', '/auth/v1', '/realtime/v1', '/', null];
  const HOSTS = ['proj-a', 'proj-b', 'proj-ab'];

  /** Requests just before, at and just after: the start of the window, each edge of a bucket, now. */
  const logsAround = (spanMs: number, stepMs: number): EdgeLog[] => {
    const currentMs = Math.floor(nowMs / stepMs) * stepMs;
    const edges = Array.from(
      { length: spanMs / stepMs + 3 },
      (_edge, steps) => currentMs + (1 - steps) * stepMs,
    );
    return [nowMs, nowMs - spanMs, ...edges]
      .flatMap((edgeMs) => [edgeMs - 1, edgeMs, edgeMs + 1])
      .map((atMs, index) => {
        const path = PATHS[index % PATHS.length] ?? null;
        const host = HOSTS[index % HOSTS.length];
        return {
          id: 'e',
          timestamp: new Date(atMs).toISOString(),
          metadata: [
            {
              request: [
                { url: `https://${host}.example.co`, path },
                { url: 'https://proj-a.example.co', path: '/auth' },
              ],
            },
          ],
        };
      });
  };

  it.each(INTERVALS)(
    'counts the requests of interval %s correctly, alone and in a batch',
    (interval, spanMs, stepMs, { length }) => {
      const logs = logsAround(spanMs, stepMs);
      const patterns = ['proj-a', 'proj-a\\.', '^https://proj-[ab]+\\.', 'proj-b', 'nobody'];
      const expected = patterns.map((pattern) => ({
        result: countRequests(logs, new RegExp(pattern), nowMs - spanMs, length),
      }));
      const compare = async ({ single, batch }: Log): Promise<void> => {
        const keys = patterns.map((project) => ({ project }));
        const alone = await Promise.all(keys.map((key) => single({ interval, ...key })));
        for (const results of [alone, await batch({ interval }, keys)]) {
          expect(answersOf(results)).toEqual(expected);
        }
      };
      return withLogs(NAME, { edge_logs: logs }, compare, now);
    },
  );
});

describe('a batch query', () => {
  const HOSTS = ['proj-a', 'proj-ab', 'proj-b', 'PROJ-A', 'proja', 'a.proj', 'proj|a'];
  const PATHS = ['', ...'/rest/v1 /storage/v1/rest /auth/v1/token /realtime/v1 /Rest /'.split(' ')];

  const request = fc.record({
    url: fc.oneof(
      { weight: 1, arbitrary: fc.constant(null) },
      {
        weight: 12,
        arbitrary: fc
          .tuple(fc.constantFrom(...HOSTS), fc.constantFrom(...PATHS), fc.constantFrom('', '?a=é'))
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

  it.each(INTERVALS)('over %s has the rows of single queries', (interval, spanMs, stepMs) =>
    expectSameAnswers(NAME, 'edge_logs', record(spanMs, stepMs), interval, keys),
  );
});

/** What the endpoint has to answer, independently of its SQL: the rows for the requests since then whose URL contains a match of the pattern, oldest first. */
function countRequests(
  logs: readonly EdgeLog[],
  project: RegExp,
  startMs: number,
  bucketLength: number,
): object[] {
  const paths = new Map<string, string[]>();
  for (const { timestamp, metadata } of logs) {
    if (Date.parse(timestamp) < startMs) continue;
    const bucket = timestamp.slice(0, bucketLength) + MIDNIGHT.slice(bucketLength);
    for (const { url, path } of metadata.flatMap(({ request }) => request)) {
      if (url === null || !project.test(url)) continue;
      paths.set(bucket, [...(paths.get(bucket) ?? []), path ?? '']);
    }
  }
  return [...paths]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([timestamp, ofBucket]) => {
      const count = (area: string): number => ofBucket.filter((path) => path.includes(area)).length;
      return {
        timestamp,
        total_rest_requests: count('/rest'),
        total_storage_requests: count('/storage'),
        total_auth_requests: count('/auth'),
        total_realtime_requests: count('/realtime'),
      };
    });
}
