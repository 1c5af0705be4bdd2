-- How many visits did the URLs have that @project matches, and how many URLs were visited?
-- One row per time bucket that has a visit, oldest first.
-- Reads the partitions since the start of @interval.
SELECT
  DATETIME(
    CASE @interval
      WHEN 'minutely' THEN TIMESTAMP_TRUNC(visit.timestamp, MINUTE)
      WHEN 'hourly' THEN TIMESTAMP_TRUNC(visit.timestamp, HOUR)
      ELSE TIMESTAMP_TRUNC(visit.timestamp, DAY)
      END) AS timestamp,
  COUNT(*) AS visits,
  COUNT(DISTINCT request.url) AS urls
FROM web_visits AS visit
CROSS JOIN UNNEST(visit.requests) AS request
WHERE
  visit.timestamp
    >= TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL IF(@interval = 'daily', 168, 1) HOUR)
  AND REGEXP_CONTAINS(request.url, @project)
GROUP BY timestamp
ORDER BY timestamp
