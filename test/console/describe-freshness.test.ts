// How the console describes the age of rows: only by the answer and the catalogue.
import {
  describeCaching,
  describeFreshness,
} from '../../functions/console/result/describe-freshness.ts';

const NOW_MS = Date.parse('2026-11-20T10:00:00Z');
const HIT = 'saved-queries; hit; ttl=780';
const RUN = 'saved-queries; fwd=uri-miss; stored; ttl=900';

interface Case {
  /** When the answer came. */
  age?: number;
  /** Since then. */
  later?: number;
  bytesRead?: number;
  warming?: number;
  isLocal?: boolean;
}

function describe(cacheStatus: string, given: Case): string {
  const { age = 0, later = 0, bytesRead, warming = 300, isLocal = false } = given;
  const receivedAtMs = NOW_MS - later * 1000;
  const described = describeFreshness(
    { cacheWarmingSeconds: warming },
    {
      ...{ cacheStatus, bytesRead, rows: [{}, {}], durationMs: 12.3, receivedAtMs },
      computedAtMs: receivedAtMs - age * 1000,
    },
    { nowMs: NOW_MS, isLocal },
  );
  const { origin, age: words, parts } = described;
  return [`${origin}, ${words}`, ...parts].join(' | ').replace(' | 2 rows in 12 ms', '');
}

it.each<[string, Case]>([
  ['2 min old, the next refresh in 3 min', { age: 120 }],
  ['59 s old, the next refresh in 5 min', { age: 50, later: 9 }],
  ['4 min old, the next refresh in 1 s', { age: 120, later: 179 }],
  ['5 min old, refresh due, expires in 10 min', { age: 120, later: 180 }],
  ['15 min old, expired: run again for new rows', { age: 120, later: 780 }],
  ['1 h 1 min old, expires in 13 min', { age: 3700, warming: 0 }],
  // A refresh that would come after these rows have expired.
  ['10 min old, expires in 13 min', { age: 600, warming: 3600 }],
])('describes rows of the cache: %s', (expected, given) => {
  const text = `From the cache, ${expected} | nothing read in BigQuery`;
  expect(describe(HIT, given)).toBe(text);
  expect(describe(`${HIT}; detail=memory`, given)).toBe(text);
});

it.each<[string, string, Case?]>([
  ['From BigQuery, just now, the next refresh in 5 min', RUN],
  [
    'From BigQuery, 2 s old, the next refresh in 5 min | read 12 MB in BigQuery',
    RUN,
    { later: 2, bytesRead: 12_345_678 },
  ],
  [
    'From BigQuery, just now, the next refresh in 5 min | nothing read in BigQuery',
    RUN,
    { bytesRead: 0 },
  ],
  [
    'From BigQuery, just now, not stored | read 1.2 GB in BigQuery',
    'saved-queries; fwd=stale; detail=superseded',
    { bytesRead: 1.2e9 },
  ],
  ['From the query of another call, just now', 'saved-queries; fwd=stale; collapsed'],
  [
    'From the local BigQuery, just now, the next refresh in 5 min | no cost',
    RUN,
    { bytesRead: 360_000, isLocal: true },
  ],
  ['From the cache, just now, expires in 13 min | no cost', HIT, { isLocal: true, warming: 0 }],
  [
    'From the query of another call, just now | no cost',
    'saved-queries; fwd=stale; collapsed',
    { isLocal: true },
  ],
  ['From the service, of unknown age', ''],
  ['From the service, of unknown age', 'cdn; hit; ttl=9'],
  ['From BigQuery, just now, the next refresh in 5 min', `${RUN}, cdn; hit; detail=x`],
])('describes %s', (expected, cacheStatus, given = {}) => {
  expect(describe(cacheStatus, given)).toBe(expected);
});

it('describes before a run how old rows can be', () => {
  expect(describeCaching({ cachingSeconds: 900, cacheWarmingSeconds: 300 })).toBe(
    'No rows yet. Run shows rows that are never older than 15 min, and refreshed every 5 min while they are in use.',
  );
  expect(describeCaching({ cachingSeconds: 60, cacheWarmingSeconds: 0 })).toBe(
    'No rows yet. Run shows rows that are never older than 1 min.',
  );
});
