// What usage.api-counts has to answer, computed from the logs in TypeScript, independently of its SQL.

/** A row of edge_logs; `timestamp` as `Date.prototype.toISOString` writes it. */
export interface EdgeLog {
  timestamp: string;
  metadata: { request: { url: string | null; path: string | null }[] }[];
}

/** A row of the answer. */
export interface ApiCounts {
  timestamp: string;
  total_rest_requests: number;
  total_storage_requests: number;
  total_auth_requests: number;
  total_realtime_requests: number;
}

/** How far each interval looks back, and the characters of an ISO time that name its bucket. */
const INTERVALS: Record<string, { spanMs: number; bucketLength: number }> = {
  minutely: { spanMs: 3_600_000, bucketLength: '2026-11-20T10:07'.length },
  hourly: { spanMs: 3_600_000, bucketLength: '2026-11-20T10'.length },
  '1day': { spanMs: 86_400_000, bucketLength: '2026-11-20T10'.length },
  daily: { spanMs: 604_800_000, bucketLength: '2026-11-20'.length },
};
const MIDNIGHT = '0000-00-00T00:00:00';

/** The rows for the requests whose URL contains a match of the pattern, oldest first. */
export function countRequests(
  logs: readonly EdgeLog[],
  project: RegExp,
  interval: string,
  now: string,
): ApiCounts[] {
  const { spanMs, bucketLength } = INTERVALS[interval] ?? { spanMs: 0, bucketLength: 0 };
  const startMs = Date.parse(now) - spanMs;
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
