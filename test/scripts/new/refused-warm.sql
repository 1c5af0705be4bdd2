-- Queries for which npm run new -- --warm writes no warm.sql, with the reason.

-- # refused

SELECT TIMESTAMP_TRUNC(ts, HOUR) AS hour, COUNT(*) AS n FROM calls WHERE ts >= TIMESTAMP_TRUNC(TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 3 DAY), HOUR) AND shop = @shop GROUP BY hour ORDER BY hour LIMIT 10
--! the query has LIMIT, which cuts rows of some buckets

SELECT TIMESTAMP_TRUNC(ts, HOUR) AS hour, SUM(COUNT(*)) OVER () AS n FROM calls WHERE ts >= TIMESTAMP_TRUNC(TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 3 DAY), HOUR) AND shop = @shop GROUP BY hour ORDER BY hour
--! the query has a window function, whose value depends on other buckets

SELECT TIMESTAMP_TRUNC(ts, HOUR) AS hour, COUNT(*) AS n FROM calls WHERE ts >= TIMESTAMP_TRUNC(TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 3 DAY), HOUR) AND (shop = @shop OR kind = 'x') GROUP BY hour ORDER BY hour
--! WHERE must have AND shop = @shop, not in OR, with a parameter used only there

SELECT TIMESTAMP_TRUNC(ts, HOUR) AS hour, COUNT(*) AS n FROM calls WHERE ts >= TIMESTAMP_TRUNC(TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 3 DAY), HOUR) AND shop = @shop AND (@shop = 'a' OR amount > 1) GROUP BY hour ORDER BY hour
--! WHERE must have AND shop = @shop, not in OR, with a parameter used only there

SELECT day, COUNT(*) AS n FROM visits WHERE day >= DATE_SUB(CURRENT_DATE(), INTERVAL 3 DAY) AND shop = @shop GROUP BY day ORDER BY day
--! the table must be partitioned by a TIMESTAMP column

SELECT TIMESTAMP_TRUNC(ts, HOUR) AS hour, COUNT(*) AS n FROM calls JOIN shops ON calls.shop = shops.shop WHERE ts >= TIMESTAMP_TRUNC(TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 3 DAY), HOUR) AND country = @country GROUP BY hour ORDER BY hour
--! the query must read one table, without a join

SELECT TIMESTAMP_TRUNC(ts, HOUR) AS hour, COUNT(*) AS n FROM calls WHERE ts >= TIMESTAMP_TRUNC(TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 3 DAY), HOUR) AND shop IN (SELECT shop FROM shops WHERE country = @country) GROUP BY hour ORDER BY hour
--! the query must be one SELECT, without WITH, subqueries and set operations

SELECT TIMESTAMP_TRUNC(ts, HOUR) AS hour, COUNT(*) AS n FROM calls WHERE ts >= TIMESTAMP_TRUNC(TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 3 DAY), HOUR) AND ts < CURRENT_TIMESTAMP() AND shop = @shop GROUP BY hour ORDER BY hour
--! the query may use the current time only in the lower bound of ts

SELECT TIMESTAMP_TRUNC(ts, HOUR) AS hour, COUNT(*) AS n FROM calls WHERE ts >= TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 3 DAY) AND shop = @shop GROUP BY hour ORDER BY hour
--! WHERE must have ts >= TIMESTAMP_TRUNC(TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL n UNIT), STEP), with the step of the bucket, so that no bucket is cut

SELECT TIMESTAMP_TRUNC(ts, HOUR) AS hour, COUNT(*) AS n FROM calls WHERE ts >= TIMESTAMP_TRUNC(TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 3 DAY), DAY) AND shop = @shop GROUP BY hour ORDER BY hour
--! WHERE must have ts >= TIMESTAMP_TRUNC(TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL n UNIT), STEP), with the step of the bucket, so that no bucket is cut

SELECT TIMESTAMP_TRUNC(ts, HOUR) AS hour, COUNT(*) AS n FROM calls WHERE ts >= TIMESTAMP_TRUNC(TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 3 DAY), HOUR) AND shop = @shop GROUP BY hour ORDER BY n
--! the query must begin its ORDER BY with hour, ascending

SELECT kind, COUNT(*) AS n FROM calls WHERE ts >= TIMESTAMP_TRUNC(TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 3 DAY), HOUR) AND shop = @shop GROUP BY kind ORDER BY kind
--! no column is the start of a bucket, such as TIMESTAMP_TRUNC(at, HOUR)

SELECT DISTINCT TIMESTAMP_TRUNC(ts, HOUR) AS hour, COUNT(*) AS n FROM calls WHERE ts >= TIMESTAMP_TRUNC(TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 3 DAY), HOUR) AND shop = @shop GROUP BY hour ORDER BY hour
--! the query must group its rows once: remove DISTINCT

SELECT TIMESTAMP_TRUNC(ts, HOUR) AS hour, UPPER(shop) AS shop FROM calls WHERE ts >= TIMESTAMP_TRUNC(TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 3 DAY), HOUR) AND shop = @shop GROUP BY hour, shop ORDER BY hour
--! write calls.shop, and no alias shop: @keys has a field of that name
