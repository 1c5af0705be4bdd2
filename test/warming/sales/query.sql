SELECT DATE(sold.at) AS day, SUM(sold.amount) AS total, MAX(sold.text) AS text
FROM sales AS sold
WHERE
  sold.at >= TIMESTAMP_TRUNC(TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 30 DAY), DAY)
  AND sold.shop = @shop
  AND sold.kind = @kind
GROUP BY day
ORDER BY day
