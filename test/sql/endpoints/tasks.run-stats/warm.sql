-- The rows of query.sql for every key of @keys, in one job.
-- Ordered by key, oldest first. A key without runs has no row.
-- Reads the partitions that query.sql reads, once for all keys.
SELECT
  keys.key,
  time_bucket(run.timestamp, @interval) AS timestamp,
  AVG(run.duration_ms) AS avg_duration,
  MAX(run.duration_ms) AS max_duration,
  COUNT(*) AS count
FROM task_runs AS run
INNER JOIN (SELECT key, project, function_id FROM UNNEST(@keys)) AS keys
  ON run.project = keys.project AND keys.function_id IN ('', run.function_id)
WHERE
  run.timestamp >= TIMESTAMP_SUB(
    CURRENT_TIMESTAMP(),
    INTERVAL CASE @interval
      WHEN '5min' THEN 5 WHEN '15min' THEN 15 WHEN '1hr' THEN 60 WHEN '7day' THEN 10080 ELSE 1440
      END MINUTE)
GROUP BY keys.key, timestamp
ORDER BY keys.key, timestamp
