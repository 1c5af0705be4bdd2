-- Who asked this service for what, how often did that fail or run a query, and what did BigQuery bill for it?
-- One row per time bucket, endpoint and API key that has at least one request, oldest first.
-- Cost: scans the daily partitions since the start of the interval, at most 31. Both bounds are constant expressions, so
-- BigQuery can prune on them. A request that goes on as a query (202) is neither a hit, a miss nor an error.
WITH
  requests AS (
    SELECT
      CASE @interval
        WHEN '1hr' THEN TIMESTAMP_TRUNC(timestamp, MINUTE)
        WHEN '1day' THEN TIMESTAMP_TRUNC(timestamp, HOUR)
        ELSE TIMESTAMP_TRUNC(timestamp, DAY)
        END AS bucket,
      IFNULL(endpoint, '') AS endpoint,
      IFNULL(key_name, '') AS key_name,
      IFNULL(key_id, '') AS key_id,
      outcome,
      -- A failed call of an MCP tool is part of a 200.
      IFNULL(status >= 400 OR (status = 200 AND reason IS NOT NULL), FALSE) AS is_error,
      duration_ms,
      bytes_billed
    FROM service_requests
    WHERE
      timestamp >= TIMESTAMP_TRUNC(TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 30 DAY), DAY)
      AND timestamp
        >= CASE @interval
          WHEN '1hr'
            THEN TIMESTAMP_TRUNC(TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 1 HOUR), MINUTE)
          WHEN '1day'
            THEN TIMESTAMP_TRUNC(TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 1 DAY), HOUR)
          WHEN '7day'
            THEN TIMESTAMP_TRUNC(TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 7 DAY), DAY)
          ELSE TIMESTAMP_TRUNC(TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 30 DAY), DAY)
          END
      AND (@endpoint = '' OR endpoint = @endpoint)
      AND (@key_name = '' OR key_name = @key_name)
  )
SELECT
  bucket AS timestamp,
  endpoint,
  key_name,
  key_id,
  COUNT(*) AS requests,
  COUNTIF(NOT is_error AND outcome IN ('memory_hit', 'hit', 'collapsed')) AS hits,
  COUNTIF(NOT is_error AND outcome IN ('miss', 'expired')) AS misses,
  COUNTIF(is_error) AS errors,
  CAST(IFNULL(SUM(bytes_billed), 0) AS INT64) AS bytes_billed,
  APPROX_QUANTILES(duration_ms, 100)[SAFE_OFFSET(95)] AS p95_ms
FROM requests
GROUP BY bucket, endpoint, key_name, key_id
ORDER BY timestamp, endpoint, key_name, key_id
