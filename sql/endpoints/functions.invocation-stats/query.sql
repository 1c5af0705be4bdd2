-- How often were the functions of @project invoked, how often did they fail, how long did they take?
-- One row per time bucket that has at least one record, oldest first.
-- Cost: scans the partitions since the start of the interval, at most eight days. Both bounds are
-- constant expressions, so BigQuery can prune on them; the join alone would read the whole table.
-- The second bound is the first bucket.
WITH
  buckets AS (
    SELECT bucket
    FROM
      UNNEST(
        CASE @interval
          WHEN '5min' THEN timestamp_bucket_array(5, 'minute_second')
          WHEN '15min' THEN timestamp_bucket_array(15, 'minute_minute')
          WHEN '1hr' THEN timestamp_bucket_array(1, 'hour_minute')
          WHEN '7day' THEN timestamp_bucket_array(7, 'day_day')
          ELSE timestamp_bucket_array(1, 'day_hour')
          END) AS bucket
  ),
  invocations AS (
    SELECT
      CASE @interval
        WHEN '5min' THEN TIMESTAMP_TRUNC(logs.timestamp, SECOND)
        WHEN '15min' THEN TIMESTAMP_TRUNC(logs.timestamp, MINUTE)
        WHEN '1hr' THEN TIMESTAMP_TRUNC(logs.timestamp, MINUTE)
        WHEN '7day' THEN TIMESTAMP_TRUNC(logs.timestamp, DAY)
        ELSE TIMESTAMP_TRUNC(logs.timestamp, HOUR)
        END AS bucket,
      metadata.execution_time_ms,
      response.status_code
    FROM function_relay_logs AS logs
    CROSS JOIN UNNEST(logs.metadata) AS metadata
    LEFT JOIN UNNEST(metadata.response) AS response
    WHERE
      logs.timestamp >= TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 8 DAY)
      AND logs.timestamp
        >= CASE @interval
          WHEN '5min'
            THEN TIMESTAMP_TRUNC(TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 5 MINUTE), SECOND)
          WHEN '15min'
            THEN TIMESTAMP_TRUNC(TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 15 MINUTE), MINUTE)
          WHEN '1hr'
            THEN TIMESTAMP_TRUNC(TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 1 HOUR), MINUTE)
          WHEN '7day'
            THEN TIMESTAMP_TRUNC(TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 7 DAY), DAY)
          ELSE TIMESTAMP_TRUNC(TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 1 DAY), HOUR)
          END
      AND metadata.project_ref = @project
      AND (@function_id = '' OR metadata.function_id = @function_id)
  ),
  statistics AS (
    SELECT
      invocations.bucket,
      MIN(invocations.execution_time_ms) AS min_execution_time,
      MAX(invocations.execution_time_ms) AS max_execution_time,
      AVG(invocations.execution_time_ms) AS avg_execution_time,
      APPROX_QUANTILES(invocations.execution_time_ms, 100) AS execution_time_quantiles,
      COUNT(*) AS record_count,
      COUNTIF(invocations.status_code >= 400) AS error_count,
      COUNTIF(invocations.status_code BETWEEN 100 AND 199) AS status_1xx_count,
      COUNTIF(invocations.status_code BETWEEN 200 AND 299) AS status_2xx_count,
      COUNTIF(invocations.status_code BETWEEN 300 AND 399) AS status_3xx_count,
      COUNTIF(invocations.status_code BETWEEN 400 AND 499) AS status_4xx_count,
      COUNTIF(invocations.status_code BETWEEN 500 AND 599) AS status_5xx_count
    FROM buckets
    INNER JOIN invocations ON buckets.bucket = invocations.bucket
    GROUP BY invocations.bucket
  )
SELECT
  statistics.bucket AS timestamp,
  statistics.min_execution_time,
  statistics.max_execution_time,
  statistics.avg_execution_time,
  statistics.execution_time_quantiles[SAFE_OFFSET(95)] AS p95_execution_time,
  statistics.execution_time_quantiles[SAFE_OFFSET(99)] AS p99_execution_time,
  statistics.record_count AS count,
  statistics.error_count
FROM statistics
ORDER BY timestamp
