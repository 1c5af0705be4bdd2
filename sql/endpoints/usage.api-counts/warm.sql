-- query.sql for many patterns in one job: the rows that it has for each project and interval of @keys,
-- from @since on, and those of the bucket that the longest window cuts, which are before @until. One row
-- per key and time bucket that has at least one matching request, by key, then oldest first; a key
-- without requests has no row. The two files change together: test/endpoints-shipped compares them.
-- Cost: scans the partitions since @since, at most seven days, and those of the last day before @until,
-- because no bucket is longer, once for all keys. All bounds on the partition column are constant
-- expressions, each range by itself; those of the intervals only choose among these rows. No CTE is
-- read twice, because BigQuery runs a CTE once per reference.
-- The log lines are counted before any pattern is tried: each pattern meets each distinct URL once,
-- with all buckets of the URL in an array, so no join leads back from the URL to its counts.
-- RE2 would compile a pattern again for every URL, so only a URL that contains the literal start of
-- the pattern is matched with it: for the usual pattern, a project's name, those that match.
WITH
  intervals AS (
    SELECT DISTINCT
      `interval`,
      TIMESTAMP_SUB(
        @now,
        INTERVAL
          CASE `interval`
            WHEN 'daily' THEN 7 * 24 * 60
            WHEN '1day' THEN 24 * 60
            ELSE 60
            END
          MINUTE) AS window_start
    FROM UNNEST(@keys)
  ),
  requests AS (
    SELECT logs.timestamp, request.url, request.path
    FROM edge_logs AS logs
    CROSS JOIN UNNEST(logs.metadata) AS metadata
    CROSS JOIN UNNEST(metadata.request) AS request
    WHERE
      logs.timestamp >= TIMESTAMP_SUB(@now, INTERVAL 7 DAY)
      AND logs.timestamp >= @since
    UNION ALL
    SELECT logs.timestamp, request.url, request.path
    FROM edge_logs AS logs
    CROSS JOIN UNNEST(logs.metadata) AS metadata
    CROSS JOIN UNNEST(metadata.request) AS request
    WHERE
      logs.timestamp >= TIMESTAMP_SUB(@now, INTERVAL 7 DAY)
      AND logs.timestamp >= TIMESTAMP_SUB(@until, INTERVAL 1 DAY)
      AND logs.timestamp < @until
      AND logs.timestamp < @since
  ),
  counts AS (
    SELECT
      intervals.interval,
      CASE intervals.interval
        WHEN 'daily' THEN TIMESTAMP_TRUNC(requests.timestamp, DAY)
        WHEN 'minutely' THEN TIMESTAMP_TRUNC(requests.timestamp, MINUTE)
        ELSE TIMESTAMP_TRUNC(requests.timestamp, HOUR)
        END AS bucket,
      requests.url,
      COUNTIF(REGEXP_CONTAINS(requests.path, r'/rest')) AS rest_requests,
      COUNTIF(REGEXP_CONTAINS(requests.path, r'/storage')) AS storage_requests,
      COUNTIF(REGEXP_CONTAINS(requests.path, r'/auth')) AS auth_requests,
      COUNTIF(REGEXP_CONTAINS(requests.path, r'/realtime')) AS realtime_requests
    FROM requests
    CROSS JOIN intervals
    WHERE requests.timestamp >= intervals.window_start
    GROUP BY intervals.interval, bucket, requests.url
  ),
  urls AS (
    SELECT
      `interval`,
      url,
      ARRAY_AGG(
        STRUCT(bucket, rest_requests, storage_requests, auth_requests, realtime_requests)) AS buckets
    FROM counts
    GROUP BY `interval`, url
  ),
  patterns AS (
    SELECT
      key,
      `interval`,
      project AS pattern,
      -- Every match begins with it, if the pattern offers no alternatives. Without its last
      -- character, for a quantifier may follow; '' where there is none, and '' is in every URL.
      IF(
        STRPOS(project, '|') > 0,
        '',
        IFNULL(REGEXP_EXTRACT(project, r'^\^?([0-9A-Za-z_/:-]+)[0-9A-Za-z_/:-]'), ''))
        AS literal_start
    FROM UNNEST(@keys)
    -- Compiles each pattern: a faulty one fails the job, whether or not a URL would be shown to it.
    WHERE REGEXP_CONTAINS('', project) IS NOT NULL
  )
SELECT
  patterns.key,
  DATETIME(counted.bucket) AS timestamp,
  SUM(counted.rest_requests) AS total_rest_requests,
  SUM(counted.storage_requests) AS total_storage_requests,
  SUM(counted.auth_requests) AS total_auth_requests,
  SUM(counted.realtime_requests) AS total_realtime_requests
FROM urls
INNER JOIN patterns
  ON
    urls.interval = patterns.interval
    AND IF(
      STRPOS(urls.url, patterns.literal_start) > 0,
      REGEXP_CONTAINS(urls.url, patterns.pattern),
      FALSE)
CROSS JOIN UNNEST(urls.buckets) AS counted
GROUP BY patterns.key, counted.bucket
ORDER BY key, timestamp
