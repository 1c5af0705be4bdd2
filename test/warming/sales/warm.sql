SELECT keys.key, DATE(sold.at) AS day, SUM(sold.amount) AS total, MAX(sold.text) AS text
FROM sales AS sold
INNER JOIN UNNEST(@keys) AS keys
  ON sold.shop = keys.shop AND sold.kind = keys.kind
WHERE
  sold.at >= TIMESTAMP_TRUNC(TIMESTAMP_SUB(@now, INTERVAL 30 DAY), DAY)
  AND sold.at >= @since
GROUP BY keys.key, day
ORDER BY key, day
