-- The rows of query.sql for every pattern of @keys, in one job.
-- Ordered by key, oldest first. A key without visits has no row.
-- Reads the partitions that query.sql reads, once for all keys, and tries each pattern once per URL.
WITH
  visited AS (
    SELECT
      DATETIME(
        CASE @interval
          WHEN 'minutely' THEN TIMESTAMP_TRUNC(visit.timestamp, MINUTE)
          WHEN 'hourly' THEN TIMESTAMP_TRUNC(visit.timestamp, HOUR)
          ELSE TIMESTAMP_TRUNC(visit.timestamp, DAY)
          END) AS timestamp,
      request.url,
      COUNT(*) AS visits
    FROM web_visits AS visit
    CROSS JOIN UNNEST(visit.requests) AS request
    WHERE
      visit.timestamp
        >= TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL IF(@interval = 'daily', 168, 1) HOUR)
    GROUP BY timestamp, url
  )
SELECT
  keys.key,
  visited.timestamp,
  SUM(visited.visits) AS visits,
  COUNT(*) AS urls
FROM visited
INNER JOIN (SELECT key, project FROM UNNEST(@keys)) AS keys
  ON REGEXP_CONTAINS(visited.url, keys.project)
GROUP BY keys.key, visited.timestamp
ORDER BY keys.key, visited.timestamp
