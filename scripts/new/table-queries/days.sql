-- How many rows of {name} does each day have? One row per day.
-- Cost: scans the partitions of {name} from @{from} on.
SELECT
  {day} AS day,
  COUNT(*) AS row_count
FROM {table}
WHERE {column} >= @{from}
GROUP BY day
ORDER BY day
