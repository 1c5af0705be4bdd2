-- The start of the time bucket that holds an instant, for an interval of tasks.run-stats.
CREATE TEMP FUNCTION time_bucket(instant TIMESTAMP, span STRING)
RETURNS TIMESTAMP
AS (
  CASE
    WHEN span = '5min' THEN TIMESTAMP_TRUNC(instant, SECOND)
    WHEN span IN ('15min', '1hr') THEN TIMESTAMP_TRUNC(instant, MINUTE)
    WHEN span = '7day' THEN TIMESTAMP_TRUNC(instant, DAY)
    ELSE TIMESTAMP_TRUNC(instant, HOUR)
    END
);
