-- Conditions and queries over a table partitioned by day, with the rows and the bytes that they read.

-- # prunes

ts = '2026-11-19 10:00:00'
--> {"rows":["3"],"bytes":16}

ts = '2025-01-01'
--> {"rows":[],"bytes":0}

ts > '2026-11-19 23:59:59.999998'
--> {"rows":["4"],"bytes":32}

ts > '2026-11-19 23:59:59.999999'
--> {"rows":["4"],"bytes":16}

'2026-11-20' <= ts
--> {"rows":["4"],"bytes":16}

ts BETWEEN '2026-11-18' AND '2026-11-19 12:00:00'
--> {"rows":["2","3"],"bytes":32}

ts IN ('2026-11-17 10:00:00', '2026-11-20 10:00:00')
--> {"rows":["1","4"],"bytes":32}

ts >= '2026-11-18' AND n < 9 AND ts < TIMESTAMP('2026-11-19')
--> {"rows":["2"],"bytes":16}

ts > '2026-11-20' AND ts < '2026-11-17'
--> {"rows":[],"bytes":0}

ts < '2026-11-18' OR ts IS NULL
--> {"rows":["1","5"],"bytes":24}

(ts < '2026-11-18' AND n > 1) OR ts > '2026-11-20'
--> {"rows":["4"],"bytes":32}

ts IS NULL
--> {"rows":["5"],"bytes":8}

ts >= CAST(NULL AS TIMESTAMP)
--> {"rows":[],"bytes":0}

ts IN (NULL, '2026-11-20 10:00:00')
--> {"rows":["4"],"bytes":16}

DATE(ts) = '2026-11-19'
--> {"rows":["3"],"bytes":16}

TIMESTAMP_TRUNC(ts, DAY) = '2026-11-20'
--> {"rows":["4"],"bytes":16}

TIMESTAMP_TRUNC(ts, WEEK(THURSDAY)) > '2026-11-12'
--> {"rows":["3","4"],"bytes":32}

'né' != '' AND ts >= '2026-11-20'
--> {"rows":["4"],"bytes":16}

ts >= TIMESTAMP_SUB(CURRENT_TIMESTAMP(), -- one hour
INTERVAL 1 HOUR)
--> {"rows":["4"],"bytes":16}

(ts) >= ((TIMESTAMP '2026-11-21') - (INTERVAL 1 DAY))
--> {"rows":["4"],"bytes":16}

ts >= COALESCE(NULL, IF(TRUE, TIMESTAMP '2026-11-20', NULL))
--> {"rows":["4"],"bytes":16}

-- # prunes through

SELECT n FROM (SELECT n, ts AS z FROM events) WHERE z >= '2026-11-20'
--> {"rows":["4"],"bytes":16}

SELECT n FROM (SELECT n, DATE(ts) AS day FROM events) WHERE day = '2026-11-18'
--> {"rows":["2"],"bytes":16}

SELECT n FROM (SELECT n, ts FROM events ORDER BY ts) WHERE ts < '2026-11-18'
--> {"rows":["1"],"bytes":16}

SELECT n FROM events JOIN plain USING (n) WHERE ts >= '2026-11-20'
--> {"rows":["4"],"bytes":32}

SELECT e.n FROM events AS e JOIN days AS d
        ON e.n = d.n AND e.ts >= '2026-11-19' AND d.day = '2026-11-19'
--> {"rows":["3"],"bytes":48}

SELECT e.n FROM events AS e LEFT JOIN days AS d
        ON e.n = d.n AND d.day = '2026-11-19' AND e.ts < '2026-11-18'
        WHERE e.ts >= '2026-11-20'
--> {"rows":["4"],"bytes":32}

SELECT d.n FROM events AS e RIGHT JOIN days AS d
        ON e.n = d.n AND e.ts >= '2026-11-20' WHERE d.day = '2026-11-20'
--> {"rows":["4"],"bytes":32}

SELECT tag FROM tagged, UNNEST(tags) AS tag WHERE ts >= '2026-11-20'
--> {"rows":["a","bc"],"bytes":15}

SELECT n FROM tagged LEFT JOIN UNNEST(tags) AS tag ON tag = 'bc'
        WHERE ts < '2026-11-20'
--> {"rows":["1"],"bytes":16}

SELECT n FROM plain AS p WHERE EXISTS (
        SELECT 1 FROM events AS e WHERE e.n = p.n AND e.ts >= '2026-11-20')
--> {"rows":["4"],"bytes":32}

WITH e AS (SELECT n, ts FROM events) SELECT n FROM e WHERE ts >= '2026-11-20'
--> {"rows":["4"],"bytes":16}

WITH e AS (SELECT n, ts FROM events WHERE ts < '2026-11-20')
        SELECT a.n FROM e AS a JOIN e AS b ON a.n = b.n
        WHERE a.ts >= '2026-11-18' AND b.ts < '2026-11-19'
--> {"rows":["2"],"bytes":64}

WITH e AS (SELECT n, ts AS x FROM events), f AS (SELECT n AS m, x AS y FROM e)
        SELECT m FROM f WHERE y >= '2026-11-20'
--> {"rows":["4"],"bytes":16}

SELECT n FROM events WHERE ts < '2026-11-18'
        UNION ALL SELECT n FROM events WHERE ts >= '2026-11-20'
--> {"rows":["1","4"],"bytes":32}

CREATE TEMP FUNCTION last_n() AS ((SELECT MAX(n) FROM events WHERE ts < '2026-11-18'));
        SELECT last_n()
--> {"rows":["1"],"bytes":16}

-- # reads more

SELECT n FROM events WHERE ts >= (SELECT TIMESTAMP(MAX(day)) FROM days)
--> 88

SELECT COUNT(*) FROM events
--> 0

CREATE TEMP FUNCTION today() AS (CURRENT_TIMESTAMP());
        SELECT n FROM events WHERE ts >= TIMESTAMP_TRUNC(today(), DAY)
--> 72

WITH unread AS (SELECT n, ts FROM events) SELECT n FROM plain
--> 16

SELECT n FROM (SELECT * FROM events LIMIT 9) WHERE ts >= '2026-11-20'
--> 72

SELECT COUNT(*) FROM (SELECT ts FROM events GROUP BY ts) WHERE ts >= '2026-11-20'
--> 32

SELECT n FROM (SELECT n, ts FROM events UNION ALL SELECT 1, NULL) WHERE ts >= '2026-11-20'
--> 72

SELECT n FROM plain LEFT JOIN events USING (n) WHERE ts >= '2026-11-20'
--> 88

SELECT e.n FROM events AS e FULL JOIN plain USING (n) WHERE e.ts >= '2026-11-20'
--> 88

SELECT e.n FROM events AS e FULL JOIN days AS d ON e.n = d.n AND e.ts >= '2026-11-20'
--> 88

SELECT n FROM (SELECT n, ts, RANK() OVER (ORDER BY n) FROM events) WHERE ts >= '2026-11-20'
--> 72
