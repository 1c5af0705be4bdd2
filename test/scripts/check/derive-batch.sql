--- Queries of teams, and the batch that is derived from each: what it reads in each run, or why there is none.
--- Parameters are batched if their names are not other_n; the bucket is the first column, if that is `hour` or `day`.

-- # derived

SELECT TIMESTAMP_TRUNC(ts, HOUR) AS hour, COUNT(*) AS n FROM calls
WHERE ts >= TIMESTAMP_TRUNC(TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 72 HOUR), HOUR) AND shop = @shop
GROUP BY hour ORDER BY hour
--> only what has changed

SELECT TIMESTAMP_TRUNC(ts, HOUR) AS hour, kind, SUM(amount) AS total, MAX(text) AS text
FROM calls -- All of them.
WHERE @shop = shop
  AND (ts >= TIMESTAMP_TRUNC(TIMESTAMP_SUB(CURRENT_TIMESTAMP, INTERVAL 72 HOUR), HOUR)
    AND (kind = @other_kind OR @other_kind = ''))
  AND (amount + 0) BETWEEN 1 AND 1000 AND kind NOT IN ('z', 'q')
GROUP BY 1, kind
HAVING SUM(amount) > 0
ORDER BY 1, total DESC, kind;
--> only what has changed

SELECT DATE(c.ts) AS day, COUNT(*) AS n, ANY_VALUE(c.shop) AS shop FROM `calls` AS c
WHERE c.ts >= TIMESTAMP_TRUNC(TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 3 DAY), DAY) AND (@shop = '' OR c.shop = @shop)
GROUP BY ALL ORDER BY day
--> only what has changed

SELECT TIMESTAMP_TRUNC(ts, HOUR) AS hour, COUNT(DISTINCT text) AS n, MAX(shops.country) AS country
FROM calls JOIN shops USING (shop)
WHERE ts >= TIMESTAMP_TRUNC(TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 72 HOUR), HOUR)
  AND country = @country AND (kind = @kind OR @kind = 'all')
GROUP BY hour ORDER BY hour
--> only what has changed

SELECT kind, SUM(amount) AS total FROM calls AS c LEFT JOIN shops AS s ON s.shop = c.shop
WHERE ts >= TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 3 DAY)
  AND (s.country = @country OR @country = '') AND (@amount IS NULL OR amount = @amount) AND (sent = @sent OR @sent IS NULL)
GROUP BY 1 ORDER BY 2 DESC, kind
--> all rows in each run: endpoint.json has no bucket

SELECT ts, text FROM calls WHERE ts >= '2026-11-01' AND shop = @shop AND (@good IS NULL OR @good = good) ORDER BY calls.key, ts
--> all rows in each run: endpoint.json has no bucket

SELECT DISTINCT kind FROM calls WHERE shop = @shop AND ((shop = @shop)) AND ts BETWEEN '2026-11-01' AND CURRENT_TIMESTAMP() ORDER BY kind
--> all rows in each run: endpoint.json has no bucket

SELECT TIMESTAMP_TRUNC(ts, HOUR) AS hour, COUNT(*) AS n FROM calls
WHERE ts >= TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 3 DAY) AND shop = @shop GROUP BY hour ORDER BY hour
--> all rows in each run: bucket has no window, or its first bucket is not whole

SELECT TIMESTAMP_TRUNC(ts, HOUR) AS hour, COUNT(*) AS n FROM calls
WHERE ts >= TIMESTAMP_TRUNC(TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 72 HOUR), HOUR) AND shop = @shop GROUP BY hour ORDER BY n, hour
--> all rows in each run: the query must begin its ORDER BY with hour, ascending

SELECT tag, COUNTIF(c.good) AS n FROM calls AS c, UNNEST(c.tags) AS tag
WHERE ts >= '2026-11-01' AND (@at IS NULL OR c.ts = @at) AND c.kind = @kind GROUP BY tag HAVING n >= 0 ORDER BY tag
--> all rows in each run: endpoint.json has no bucket

SELECT country, COUNT(*) AS n FROM shops WHERE shop = @shop GROUP BY country
--> all rows in each run: endpoint.json has no bucket

SELECT text FROM calls WHERE shop = @shop AND kind = @kind AND (@good IS NULL OR @good = good) AND ts >= '2026-11-01' ORDER BY text
--> all rows in each run: endpoint.json has no bucket

SELECT kind, COUNT(*) AS n, ANY_VALUE(o.order) AS order_ FROM calls, UNNEST([STRUCT('o' AS `order`)]) AS o
WHERE ts >= '2026-11-01' AND ((shop) = (@shop)) GROUP BY (1), o.order HAVING n > 1 ORDER BY o.order, (2), 1 COLLATE 'und:ci' DESC
--> all rows in each run: endpoint.json has no bucket

SELECT text FROM calls WHERE ts >= '2026-11-01' AND (@amount IS NULL OR amount = @amount) AND kind = @amount_text ORDER BY 1 IN (amount), ((1)) DESC
--> all rows in each run: endpoint.json has no bucket

SELECT TIMESTAMP_TRUNC(ts, HOUR) AS hour, 'ä😀' AS t, COUNT(*) AS n FROM calls, UNNEST(['a', 'b']) AS one, UNNEST([STRUCT(DATE '2026-01-01' AS `current_date`)]) AS o
WHERE DATE(ts) > o.current_date AND TIMESTAMP_TRUNC(TIMESTAMP_SUB(CURRENT_TIMESTAMP( /* Now. */ ), INTERVAL 72 HOUR), HOUR) <= ts
  AND text != 'ä😀' AND ts <= current_timestamp AND (@kind = ('ä😀') OR (calls . kind) = (@kind)) AND ((`one`)) = @shop
GROUP BY hour ORDER BY (1)
--> only what has changed

-- # refused

SELECT kind, COUNT(*) AS n FROM calls WHERE ts >= '2026-11-01' AND shop = @shop GROUP BY kind ORDER BY kind LIMIT 10
--! LIMIT would cut the rows of all keys together

SELECT kind, SUM(COUNT(*)) OVER () AS n FROM calls WHERE ts >= '2026-11-01' AND shop = @shop GROUP BY kind
--! a window function would see the rows of all keys

SELECT kind, COUNT(*) AS n FROM calls WHERE ts >= '2026-11-01' AND (shop = @shop OR kind = 'x') GROUP BY kind
--! @shop is used in another way than WHERE column = @shop, or (@shop = '' OR column = @shop), with a column of its type, joined to other conditions by AND

SELECT kind, COUNT(*) AS n FROM calls WHERE ts >= '2026-11-01' AND shop = @shop AND (@shop = 'a' OR amount > 1) GROUP BY kind
--! @shop is used in another way than WHERE column = @shop, or (@shop = '' OR column = @shop), with a column of its type, joined to other conditions by AND

SELECT kind, @shop AS shop FROM calls WHERE ts >= '2026-11-01' AND shop = @shop
--! @shop is used in another way than WHERE column = @shop, or (@shop = '' OR column = @shop), with a column of its type, joined to other conditions by AND

SELECT kind, COUNT(*) AS n FROM calls WHERE ts >= '2026-11-01' AND (NOT shop = @shop) GROUP BY kind
--! @shop is used in another way than WHERE column = @shop, or (@shop = '' OR column = @shop), with a column of its type, joined to other conditions by AND

SELECT COUNT(*) AS n FROM calls WHERE ts >= '2026-11-01' AND shop = @shop
--! without a value in GROUP BY the query has a row also where there is nothing to count, and a batch has none

SELECT COUNT(*) AS n FROM calls WHERE ts >= '2026-11-01' AND shop = @shop GROUP BY ALL
--! without a value in GROUP BY the query has a row also where there is nothing to count, and a batch has none

SELECT kind, COUNT(*) AS n FROM calls WHERE ts >= '2026-11-01' AND shop = @shop GROUP BY ROLLUP(kind)
--! GROUP BY ROLLUP would group the rows of several keys together

SELECT * FROM shops WHERE shop = @shop
--! SELECT * would return the columns of the keys too: write its columns, or the table before the asterisk

SELECT kind FROM calls WHERE ts >= '2026-11-01' AND shop IN (SELECT shop FROM shops WHERE country = @country)
--! the query is not one SELECT, without WITH, subqueries, set operations and pipes

FROM shops |> WHERE shop = @shop |> SELECT country
--! the query is not one SELECT, without WITH, subqueries, set operations and pipes

SELECT text FROM calls WHERE ts >= '2026-11-01' AND shop = @shop ORDER BY key
--! key would be the key of a batch in GROUP BY, HAVING and ORDER BY: write the table before it

SELECT country FROM shops WHERE (@shop IS NULL OR shop = @shop)
--! @shop IS NULL cannot be joined by equality for STRING; an absent STRING is '': write @shop = ''

SELECT text FROM calls WHERE ts >= '2026-11-01' AND (@amount IS NULL OR ratio = @amount)
--! @amount is used in another way than WHERE column = @amount, or (@amount = '' OR column = @amount), with a column of its type, joined to other conditions by AND

SELECT kind FROM calls WHERE ts >= '2026-11-01' AND CASE WHEN amount > 1 AND shop = @shop AND TRUE THEN TRUE ELSE FALSE END
--! @shop is used in another way than WHERE column = @shop, or (@shop = '' OR column = @shop), with a column of its type, joined to other conditions by AND

SELECT calls.kind FROM calls JOIN shops ON calls.shop = shops.shop AND country = @country WHERE ts >= '2026-11-01'
--! @country is used in another way than WHERE column = @country, or (@country = '' OR column = @country), with a column of its type, joined to other conditions by AND

SELECT text FROM calls WHERE ts = @at AND shop = @shop ORDER BY text
--! the batch would read all partitions of calls: bound them also by what is the same for all keys
