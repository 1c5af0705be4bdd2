-- query.sql for many keys in one job: the rows that it has for each project, function and interval of
-- @keys, from @since on. One row per key and time bucket that has at least one record, by key, then
-- oldest first; a key without records has no row. The two files change together:
-- test/endpoints-shipped compares them.
-- Cost: scans the partitions since @since, at most eight days, once for all keys. Both bounds on the
-- partition column are constant expressions; those of the intervals only choose among these rows.
-- A record is listed under its function and under '', which is all functions. That makes the join
-- with the keys one of equality, where an OR would pair every key of a project with every record of it.
WITH
  keys AS (
    SELECT
      key,
      project,
      function_id,
      `interval`,
      -- The first bucket and the last one.
      CASE `interval`
        WHEN '5min' THEN TIMESTAMP_TRUNC(TIMESTAMP_SUB(@now, INTERVAL 5 MINUTE), SECOND)
        WHEN '15min' THEN TIMESTAMP_TRUNC(TIMESTAMP_SUB(@now, INTERVAL 15 MINUTE), MINUTE)
        WHEN '1hr' THEN TIMESTAMP_TRUNC(TIMESTAMP_SUB(@now, INTERVAL 1 HOUR), MINUTE)
        WHEN '7day' THEN TIMESTAMP_TRUNC(TIMESTAMP_SUB(@now, INTERVAL 7 DAY), DAY)
        ELSE TIMESTAMP_TRUNC(TIMESTAMP_SUB(@now, INTERVAL 1 DAY), HOUR)
        END AS first_bucket,
      CASE `interval`
        WHEN '5min' THEN TIMESTAMP_TRUNC(@now, SECOND)
        WHEN '15min' THEN TIMESTAMP_TRUNC(@now, MINUTE)
        WHEN '1hr' THEN TIMESTAMP_TRUNC(@now, MINUTE)
        WHEN '7day' THEN TIMESTAMP_TRUNC(@now, DAY)
        ELSE TIMESTAMP_TRUNC(@now, HOUR)
        END AS last_bucket
    FROM UNNEST(@keys)
  ),
  invocations AS (
    SELECT
      keys.key,
      keys.first_bucket,
      keys.last_bucket,
      CASE keys.interval
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
    CROSS JOIN
      UNNEST(IF(metadata.function_id != '', ['', metadata.function_id], [''])) AS listed_under
    INNER JOIN keys
      ON metadata.project_ref = keys.project AND listed_under = keys.function_id
    LEFT JOIN UNNEST(metadata.response) AS response
    WHERE
      logs.timestamp >= TIMESTAMP_SUB(@now, INTERVAL 8 DAY)
      AND logs.timestamp >= @since
  ),
  statistics AS (
    SELECT
      invocations.key,
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
    FROM invocations
    WHERE invocations.bucket BETWEEN invocations.first_bucket AND invocations.last_bucket
    GROUP BY invocations.key, invocations.bucket
  )
SELECT
  statistics.key,
  statistics.bucket AS timestamp,
  statistics.min_execution_time,
  statistics.max_execution_time,
  statistics.avg_execution_time,
  statistics.execution_time_quantiles[SAFE_OFFSET(95)] AS p95_execution_time,
  statistics.execution_time_quantiles[SAFE_OFFSET(99)] AS p99_execution_time,
  statistics.record_count AS count,
  statistics.error_count
FROM statistics
ORDER BY key, timestamp
