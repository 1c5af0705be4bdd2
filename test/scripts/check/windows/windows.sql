-- What `check` shows of the window of a query: its table, from when, until when, how long, and the partitions.

-- # windows

by_hour WHERE ts BETWEEN '2026-11-20 00:30:00' AND '2026-11-20 01:29:59.999999'
--> by_hour|2026-11-20T00:30:00Z|2026-11-20T01:30:00Z|1 hour|2 hours (or 1 day)

by_day WHERE ts >= '2026-11-20' AND ts < '2026-11-22'
--> by_day|2026-11-20T00:00:00Z|2026-11-22T00:00:00Z|2 days|2 days (or 48 hours)

--- A DATE has no hours.
by_date WHERE ts >= '2026-11-19'
--> by_date|2026-11-19T00:00:00Z||1.4 days|2 days

by_month WHERE ts > '2026-10-31'
--> by_month|2026-11-01T00:00:00Z||19.4 days|1 month

by_year WHERE TIMESTAMP_TRUNC(ts, YEAR) IN ('2024-01-01', '2026-01-01')
--> by_year|2024-01-01T00:00:00Z|2027-01-01T00:00:00Z|731 days in 2 parts|2 years

by_day WHERE ts < '2026-11-20'
--> by_day||2026-11-20T00:00:00Z|no start|all

by_day WHERE ts < '2026-11-01' OR ts >= '2026-11-19'
--> by_day|||no start|all

by_day WHERE ts = '2026-11-20'
--> by_day|2026-11-20T00:00:00Z|2026-11-20T00:00:00Z|under a second|1 day (or 1 hour)

by_day
--> by_day|||whole table|all

by_day WHERE ts IS NULL OR ts >= '2026-11-20'
--> by_day|2026-11-20T00:00:00Z||10.3 hours and NULL values|1 day (or 11 hours)

by_day WHERE ts > '2026-11-20' AND ts < '2026-11-20'
--> by_day|||nothing|0 days (or 0 hours)

plain WHERE ts >= '2026-11-20'
--> plain|||whole table|

-- # parameters

{"type":"INT64","example":"7","minimum":1,"maximum":365,"default":"30"}
TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL @p DAY)
--> by default 30 days
--> at most: p=365 365 days

{"type":"ARRAY<INT64>","example":"7"}
TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL IF(ARRAY_LENGTH(@p) = 0, 30, 1) DAY)
--> 30 days

{"type":"INT64","example":"7","minimum":1,"required":true}
TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL @p DAY)
--> for example: p=7 7 days
--> at most: p=10000 10000 days

{"type":"DATE","example":"2026-11-01"}
TIMESTAMP(COALESCE(@p, DATE_SUB(CURRENT_DATE(), INTERVAL 1 DAY)))
--> by default 1.4 days
--> at most: p=0001-01-01 whole table

{}
TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 1 DAY)
--> 1 day

-- # of warm.sql

{"where":"{1}","warm":"{2}"}
--! orders: 2 days from 2026-11-18T10:00:00Z, but query.sql: 1 day from 2026-11-19T10:00:00Z

{"where":"{2}","warm":"{1}"}
--! orders: 1 day from 2026-11-19T10:00:00Z, but query.sql: 2 days from 2026-11-18T10:00:00Z

{"where":"ts >= '2026-11-01' AND ts < '2026-11-02'","warm":"ts >= '2026-11-02' AND ts < '2026-11-03'"}
--! orders: 1 day from 2026-11-02T00:00:00Z until 2026-11-03T00:00:00Z, but query.sql: 1 day from 2026-11-01T00:00:00Z until 2026-11-02T00:00:00Z

{"where":"{1}","warm":"{1} AND ts < CURRENT_TIMESTAMP()"}
--! orders: 1 day from 2026-11-19T10:00:00Z until 2026-11-20T10:00:00Z, but query.sql: 1 day from 2026-11-19T10:00:00Z

{"where":"{1}","warm":"TRUE"}
--! orders: whole table, but query.sql: 1 day from 2026-11-19T10:00:00Z

{"where":"TRUE","warm":"{1}"}
--! orders: 1 day from 2026-11-19T10:00:00Z, but query.sql: whole table

{"where":"{IF(@span = 'long', 30, 7)}","warm":"{IF(@span = 'long', 29, 7)}","own":["span"]}
--! orders: 29 days from 2026-10-22T10:00:00Z, but query.sql: 30 days from 2026-10-21T10:00:00Z (span=long)

--- Less than the longest window of a batched list, or of a batched number.
{"where":"{IF(@span = 'long', 30, 7)}","warm":"{29} AND keys.span != ''","batched":["span"]}
--! orders: 29 days from 2026-10-22T10:00:00Z, but query.sql: 30 days from 2026-10-21T10:00:00Z

{"where":"{@days}","warm":"{7} AND keys.days > 0","batched":["days"]}
--! orders: 7 days from 2026-11-13T10:00:00Z, but query.sql: 30 days from 2026-10-21T10:00:00Z

{"where":"{1}","warm":"{1}","from":"returns JOIN UNNEST(@keys) AS keys USING (shop)"}
--! orders: nothing, but query.sql: 1 day from 2026-11-19T10:00:00Z

{"where":"{1}","warm":"{1}","from":"returns JOIN UNNEST(@keys) AS keys USING (shop)"}
--! returns: 1 day from 2026-11-19T10:00:00Z, but query.sql: nothing

{"where":"{1}","warm":"TRUE","from":"UNNEST(@keys) AS keys"}
--! orders: nothing, but query.sql: 1 day from 2026-11-19T10:00:00Z

{"where":"{1}","warm":"ts >= CURRENT_TIMESTAMP() - INTERVAL 24 HOUR"}
--> passes

{"where":"{IF(@span = 'long', 30, 7)}","warm":"{IF(@span = 'long', 30, 7)}","own":["span"]}
--> passes

{"where":"{IF(@span = 'long', 30, 7)}","warm":"{30} AND {IF(keys.span = 'long', 30, 7)}","batched":["span"]}
--> passes

{"where":"{@days}","warm":"{keys.days}","batched":["days"]}
--> passes

{"where":"{1}","warm":"{1} AND shop IN (SELECT shop FROM orders WHERE {1})"}
--> passes

{"where":"TRUE","warm":"TRUE"}
--> passes
