-- How many runs did @project have, and how long did they take?
-- One row per time bucket that has a run, oldest first.
-- Reads the partitions since the start of @interval.
SELECT
  time_bucket(run.timestamp, @interval) AS timestamp,
  AVG(run.duration_ms) AS avg_duration,
  MAX(run.duration_ms) AS max_duration,
  COUNT(*) AS count
FROM task_runs AS run
WHERE
  run.timestamp >= TIMESTAMP_SUB(
    CURRENT_TIMESTAMP(),
    INTERVAL CASE @interval
      WHEN '5min' THEN 5 WHEN '15min' THEN 15 WHEN '1hr' THEN 60 WHEN '7day' THEN 10080 ELSE 1440
      END MINUTE)
  AND run.project = @project
  AND @function_id IN ('', run.function_id)
GROUP BY timestamp
ORDER BY timestamp
