-- How many requests did the APIs of the projects that @project matches get, by API area?
-- One row per time bucket that has at least one matching request, oldest first.
-- A request counts in every area that its path contains.
-- Cost: scans the partitions since the start of the window, at most eight days. Both bounds are
-- constant expressions, so BigQuery can prune on them; the second is the exact window.
WITH
  requests AS (
    SELECT
      CASE @interval
        WHEN 'daily' THEN TIMESTAMP_TRUNC(logs.timestamp, DAY)
        WHEN 'minutely' THEN TIMESTAMP_TRUNC(logs.timestamp, MINUTE)
        ELSE TIMESTAMP_TRUNC(logs.timestamp, HOUR)
        END AS bucket,
      request.path
    FROM edge_logs AS logs
    CROSS JOIN UNNEST(logs.metadata) AS metadata
    CROSS JOIN UNNEST(metadata.request) AS request
    WHERE
      logs.timestamp >= TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 7 DAY)
      AND logs.timestamp
        >= TIMESTAMP_SUB(
          CURRENT_TIMESTAMP(),
          INTERVAL
            CASE @interval
              WHEN 'daily' THEN 7 * 24 * 60
              WHEN '1day' THEN 24 * 60
              ELSE 60
              END
            MINUTE)
      AND REGEXP_CONTAINS(request.url, @project)
  )
SELECT
  DATETIME(bucket) AS timestamp,
  COUNTIF(REGEXP_CONTAINS(path, r'/rest')) AS total_rest_requests,
  COUNTIF(REGEXP_CONTAINS(path, r'/storage')) AS total_storage_requests,
  COUNTIF(REGEXP_CONTAINS(path, r'/auth')) AS total_auth_requests,
  COUNTIF(REGEXP_CONTAINS(path, r'/realtime')) AS total_realtime_requests
FROM requests
GROUP BY bucket
ORDER BY bucket
